"""Which edges of a DAG its data could tell apart: the CPDAG of its Markov equivalence class."""

import numpy as np
from numpy.typing import NDArray

from gpnet.graphs.distinct import for_distinct


def cpdag(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m, n, n) of DAGs -> (m, n, n): [i, j] alone is i -> j in every equivalent DAG.

    With [j, i] too, some equivalent DAG has i -> j and some other j -> i. Equivalent are the DAGs
    with the same adjacencies and v-structures.
    """
    n = dags.shape[-1]
    graphs: NDArray[np.bool_] = for_distinct(_cpdags, dags, cells_each=n**3)
    return graphs


def _cpdags(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Meek's (1995) rules, marking as compelled, from the v-structures on, until nothing changes.

    The third starts from v-structures and from edges that are not compelled yet. Of the latter
    there are ever fewer, and of the former never more: once, at the beginning, is enough.
    """
    apart = ~(dags | dags.swapaxes(1, 2) | np.eye(dags.shape[-1], dtype=bool))
    compelled = _mark_v_structures(dags, apart)
    active = np.flatnonzero(compelled.any(axis=(1, 2)))
    while len(active):
        before = compelled[active]
        after = before | (dags[active] & _one_step(before, apart[active]))
        compelled[active] = after
        active = active[(after != before).any(axis=(1, 2))]
    return np.asarray(dags | (dags & ~compelled).swapaxes(1, 2))


def _mark_v_structures(dags: NDArray[np.bool_], apart: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """x -> z <- y with x, y apart; then a -> z where a - x, a - y, a - z are not compelled."""
    into = dags.swapaxes(1, 2)
    meeting = into[:, :, :, None] & into[:, :, None, :] & np.triu(apart)[:, None, :, :]
    graph, z, x, y = np.nonzero(meeting)
    compelled = np.zeros_like(dags)
    compelled[graph, x, z] = compelled[graph, y, z] = True
    free = dags & ~compelled
    loose = free | free.swapaxes(1, 2)
    third, a = np.nonzero(loose[graph, x] & loose[graph, y] & loose[graph, z])
    compelled[graph[third], a, z[third]] = True
    return compelled


def _one_step(compelled: NDArray[np.bool_], apart: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[b, c] where a -> b is compelled and a, c are apart, or b -> a -> c is compelled."""
    known = compelled.astype(np.float32)
    return np.asarray((known.swapaxes(1, 2) @ apart.astype(np.float32) + known @ known) > 0)
