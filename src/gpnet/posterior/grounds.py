"""What tells the direction of an edge: the same of A -> B and B -> A.

experiment     one of the two variables was set in rows in which the other was not
knowledge      required or forbidden edges, tiers, roots or exogenous columns leave one direction
independences  the direction is that of every DAG in its Markov equivalence class
shape          only curves and noise tell it: some DAG of the class has it the other way

The last two hold if the model does: on real tables they are right little more often than a coin.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag, Floats
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior.weighted_dags import WeightedDags

EXPERIMENT, KNOWLEDGE = "experiment", "knowledge"
INDEPENDENCES, SHAPE = "independences", "shape"
IDENTIFIED: Final = (EXPERIMENT, KNOWLEDGE)  # by other than the model
MAX_DRAWS: Final = 2000  # that are looked at: a share of them will do


def grounds(posterior: WeightedDags) -> NDArray[np.object_]:
    """(n, n), symmetric: of each pair, whatever its probability."""
    found = np.where(_share_compelled(posterior) > 0.5, INDEPENDENCES, SHAPE).astype(object)
    if posterior.identified is not None:
        found[posterior.identified] = KNOWLEDGE
        found[posterior.identified & _set_apart(posterior)] = EXPERIMENT
    return found


def _share_compelled(posterior: WeightedDags) -> Floats:
    """(n, n), symmetric: of the draws in which two are adjacent, if the model holds."""
    plain = posterior.plain_log_weights
    m = posterior.n_draws if plain is None else len(plain)
    weights = np.exp(posterior.log_weights if plain is None else plain)
    some = np.unique(np.linspace(0, m - 1, min(m, MAX_DRAWS)).astype(int))
    either = cpdag(posterior.dags[some], posterior.identified)
    reverse = either.swapaxes(1, 2)
    cases = either | reverse, either ^ reverse
    adjacent, told = (np.tensordot(weights[some], one, 1) for one in cases)
    return np.divide(told, adjacent, out=np.zeros_like(told), where=adjacent > 0)


def _set_apart(posterior: WeightedDags) -> Dag:
    """(n, n): pairs of which experimenters set just one, in some rows."""
    names, recorded = posterior.names, posterior.settings.get("data", {})
    found = np.zeros((len(names), len(names)), dtype=bool)
    for pattern in recorded.get("interventions", []):
        was_set = np.isin(names, pattern["targets"])
        found |= was_set[:, None] != was_set
    return found
