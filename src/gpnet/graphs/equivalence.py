"""Which edges of a DAG its data could tell apart: the CPDAG of its Markov equivalence class.

Where experimenters set variables, or knowledge rules directions out, fewer DAGs are equivalent: the
direction of an edge between a variable that was set and one that was not shows (Hauser & Buehlmann
2012), and what follows from such edges is known as well. All that these say is which pairs have an
`identified` direction; the graph of a class is then its interventional essential graph.
"""

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag
from gpnet.graphs.distinct import for_distinct


def cpdag(dags: NDArray[np.bool_], identified: Dag | None = None) -> NDArray[np.bool_]:
    """(m, n, n) of DAGs -> (m, n, n): [i, j] alone is i -> j in every equivalent DAG.

    With [j, i] too, some equivalent DAG has i -> j and some other j -> i. Equivalent are the DAGs
    with the same adjacencies and v-structures, and the same directions of `identified` pairs, which
    is (n, n) and symmetric.
    """
    n = dags.shape[-1]
    if identified is None or not identified.any():
        graphs: NDArray[np.bool_] = for_distinct(_cpdags, dags, cells_each=n**3)
        return graphs
    return np.asarray(
        for_distinct(lambda some: _essential(some, identified), dags, cells_each=n**3)
    )


def identified_by(were_set: NDArray[np.bool_]) -> Dag:
    """(n, n), symmetric: pairs of which just one was set in some row of (N, n)."""
    alone = [np.logical_xor.outer(row, row) for row in np.unique(were_set, axis=0)]
    return np.asarray(np.logical_or.reduce(alone))


def _essential(dags: NDArray[np.bool_], identified: Dag) -> NDArray[np.bool_]:
    """Known directions beside those of the v-structures, and all that follows from both."""
    either = _cpdags(dags)
    left = either & either.swapaxes(1, 2) & ~identified
    directed, left = follow_meek(dags & ~left, left)
    return directed | left


def follow_meek(
    directed: NDArray[np.bool_], left: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Meek's (1995) four rules until none applies, on graphs (..., n, n).

    Edges that are directed, and those that are left open, which is symmetric.
    """
    adjacent = directed | directed.swapaxes(-1, -2) | left
    apart = ~(adjacent | np.eye(directed.shape[-1], dtype=bool))
    while True:
        fresh = left & _follows(directed, left, adjacent, apart)
        if not fresh.any():
            return directed, left
        directed = directed | fresh
        left = left & ~(fresh | fresh.swapaxes(-1, -2))


def _follows(
    directed: NDArray[np.bool_],
    left: NDArray[np.bool_],
    adjacent: NDArray[np.bool_],
    apart: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """[b, c] where one of the rules directs b -> c.

    1: a -> b, a and c apart.  2: b -> a -> c.  3: b - d -> c, b - e -> c, d and e apart.
    4: b - d -> e -> c, b and e adjacent, d and c apart.
    """
    arrow, gap = directed.astype(np.float32), apart.astype(np.float32)
    into = directed.swapaxes(-1, -2)[..., None, :, :]
    # By b, c and d, or e: all that the rules ask of one node in the middle.
    third = (left[..., :, None, :] & into).astype(np.float32)
    fourth = (left[..., :, None, :] & apart[..., None, :, :]).astype(np.float32)
    last = into & adjacent[..., :, None, :]
    return np.asarray(
        (arrow.swapaxes(-1, -2) @ gap > 0)
        | (arrow @ arrow > 0)
        | ((third @ gap[..., None, :, :]) * third > 0).any(axis=-1)
        | ((fourth @ arrow[..., None, :, :] > 0) & last).any(axis=-1)
    )


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
