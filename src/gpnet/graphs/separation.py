"""Which variables tell nothing about each other once some are known; arrays only."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Node
from gpnet.graphs.distinct import for_distinct


def d_separated(
    dags: NDArray[np.bool_], a: Sequence[Node], b: Sequence[Node], given: Sequence[Node]
) -> NDArray[np.bool_]:
    """(m,): whether `given` d-separates all of a from all of b; no two of the sets may meet.

    After Lauritzen et al. (1990): no path leads from a to b around `given` in the moral graph
    of the three sets and their ancestors.
    """

    def separated(some: NDArray[np.bool_]) -> NDArray[np.bool_]:
        known = _marked(some, given)
        relevant = _spread(_marked(some, [*a, *b]) | known, some.swapaxes(1, 2))
        roads = _moral(some & relevant[:, None, :]) & ~known[:, None, :]
        return np.asarray(~_spread(_marked(some, a), roads)[:, list(b)].any(axis=1))

    result: NDArray[np.bool_] = for_distinct(separated, dags, cells_each=dags.shape[-1] ** 2)
    return result


def _marked(dags: NDArray[np.bool_], nodes: Sequence[Node]) -> NDArray[np.bool_]:
    marks = np.zeros(dags.shape[:2], dtype=bool)
    marks[:, list(nodes)] = True
    return marks


def _moral(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Edges without their direction, and an edge between any two parents of one child."""
    into = dags.astype(np.float32)
    return np.asarray(dags | dags.swapaxes(1, 2) | (into @ into.swapaxes(1, 2) > 0))


def _spread(start: NDArray[np.bool_], roads: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m, n): what can be reached from the start, itself included; roads[i, j] lead to j."""
    reached, steps = start, roads.astype(np.float32)
    while True:
        further = reached | (reached.astype(np.float32)[:, None, :] @ steps > 0)[:, 0]
        if np.array_equal(further, reached):
            return reached
        reached = further
