"""What functions leave of the rows, as a distribution to draw from and to weigh by.

Of any shape, but one and the same in all rows: a smooth density through the residuals.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node
from gpnet.effects.abduction import Rows
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.networks import Network
from gpnet.stats.smooth_density import SmoothDensity

MOST_RESIDUALS: Final = 4000  # of all draws of a network together
MOST_ROWS: Final = 1000


def noise_of(
    model: LearntModel,
    network: Network,
    nodes: set[Node],
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> dict[Node, SmoothDensity]:
    """Of each of these nodes; one without parents is noise alone. Cells that were set are not."""
    z = network.data.standardised()[rows]
    residuals = Rows.of(network, z, None, rng).residuals
    were_set = model.given.interventions
    found = {}
    for node in sorted(nodes):
        left: Floats = residuals.get(node, z[None, :, node])
        if were_set is not None and not were_set[rows, node].all():
            left = left[:, ~were_set[rows, node]]
        sample = left.ravel()
        if sample.size > MOST_RESIDUALS:
            sample = rng.choice(sample, MOST_RESIDUALS, replace=False)
        found[node] = SmoothDensity.of(sample)
    return found
