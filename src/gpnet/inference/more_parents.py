"""A larger search space, where the posterior leans on the border of the one it is of.

Pilot draws are asked first, as they cost little, then the posterior itself. So little of it counts
as leaning that whether a space grows matters as little, should seeds differ in it.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats
from gpnet.inference.plan import Plan, check_space
from gpnet.runtime.context import Notes
from gpnet.score_table.search_space import SearchSpace

MOST_PARENTS: Final = 8  # that are tried without being asked for
STEP: Final = 2  # more parents at once: each time costs a table
LEANS: Final = 0.05  # of the posterior, in which a node has as many parents as may be


def larger(
    space: SearchSpace, dags: NDArray[np.bool_], weights: Floats, plan: Plan, notes: Notes
) -> SearchSpace | None:
    """With more parents of each node that leans on the most there are; None if none does.

    Not if the user said how many; and where it would not fit, that is told.
    """
    nodes = range(space.n_variables)
    caps = np.array([space.cap(node) for node in nodes])
    leaning = weights @ (dags.sum(axis=1) == caps) >= LEANS
    leaning &= caps < min(MOST_PARENTS, len(nodes) - 1)
    if plan.settings.max_parents is not None or not leaning.any():
        return None
    caps = np.minimum(caps + STEP * leaning, min(MOST_PARENTS, len(nodes) - 1))
    wider = replace(space, max_parents=int(caps.max()), caps=tuple(caps.tolist()))
    try:
        check_space(wider, plan.score, plan.sampler_name)
    except OptionError as error:
        notes.add(f"{caps.max()} parents of a variable were not tried: {error}")
        return None
    return wider
