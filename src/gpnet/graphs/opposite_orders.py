"""Two random orders of a DAG's nodes that agree on some edges and turn all others; arrays only.

Nodes are divided again and again, first as they have to stand, then as they may:

- the strongly connected components of kept edges, and of the others taken both ways, stand in the
  sequence that kept edges demand, in both orders: only these lead from one to another;
- of each of them, the weakly connected components of kept edges stand in a random sequence, and in
  the reverse of it in the other order: no kept edge leads from one to another.

So each edge that is not kept lies between components of the second kind, and points either way just
as often, unless kept edges leave it one direction only. What can be divided neither way is put in
an order that kept edges and random priorities make; there one direction may be the likelier.
"""

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gpnet.common.types import Floats
from gpnet.graphs.reachability import ancestors

Ints = NDArray[np.intp]
Ends = tuple[Ints, Ints]  # of edges, by number of draw x n + node
SIGNS: Final = (1, -1)  # of what is random, in one order and in the other


def opposite_orders(
    kept: NDArray[np.bool_], adjacent: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """(M, n) each: the places of nodes; of kept edges (M, n, n), and adjacency in any direction."""
    m, n = kept.shape[:2]
    priority = rng.random((m, n))
    if not kept.any():
        return _ranks(priority), _ranks(-priority)
    kept = adjacent & ancestors(kept)  # and what they imply
    free = np.triu(adjacent & ~kept & ~kept.swapaxes(1, 2))
    kept_ends, free_ends = _ends(kept), _ends(free)
    block = np.repeat(np.arange(m), n)
    places, n_blocks = [block, block], m
    while True:
        demanding, others = _inside(kept_ends, block), _inside(free_ends, block)
        both_ways = [demanding, others, others[::-1]]
        block = _components(both_ways, m * n, "strong")
        level = _levels(demanding, block)
        places = [_finer(place, level, block) for place in places]
        block = _components([_inside(demanding, block)], m * n, "weak")
        random = rng.random(block.max() + 1)[block]
        places = [_finer(p, sign * random) for p, sign in zip(places, SIGNS, strict=True)]
        n_before, n_blocks = n_blocks, int(block.max()) + 1
        if n_blocks in (n_before, m * n):
            break
    if n_blocks < m * n:
        left = kept & (block.reshape(m, n, 1) == block.reshape(m, 1, n))
        greedy = [_greedy(left, sign * priority).reshape(-1) for sign in SIGNS]
        places = [_finer(p, key) for p, key in zip(places, greedy, strict=True)]
    one, other = (_ranks(place.reshape(m, n)) for place in places)
    return one, other


def _ranks(values: NDArray[np.floating] | Ints) -> Ints:
    """(M, n): of each value in its row."""
    return np.asarray(values.argsort(axis=1).argsort(axis=1))


def _ends(edges: NDArray[np.bool_]) -> Ends:
    draw, source, target = np.nonzero(edges)
    n = edges.shape[1]
    return draw * n + source, draw * n + target


def _inside(ends: Ends, block: Ints) -> Ends:
    """The edges that stay within a block."""
    source, target = ends
    inside = block[source] == block[target]
    return source[inside], target[inside]


def _components(ends: list[Ends], n_nodes: int, kind: Literal["weak", "strong"]) -> Ints:
    """(n_nodes,): of each node the number of its component, by edges of all these."""
    source, target = (np.concatenate(one) for one in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(source), bool), (source, target)), shape=(n_nodes, n_nodes))
    _, found = connected_components(graph.tocsr(), connection=kind)
    return np.asarray(found, dtype=np.intp)


def _levels(ends: Ends, component: Ints) -> Ints:
    """Of each node, the length of the longest way to its component by edges between components."""
    source, target = (component[end] for end in ends)
    between = source != target
    source, target = source[between], target[between]
    level = np.zeros(component.max() + 1, dtype=np.intp)
    while (level[target] <= level[source]).any():
        np.maximum.at(level, target, level[source] + 1)
    return level[component]


def _finer(place: Ints, *keys: Floats | Ints) -> Ints:
    """Places, of which those that were the same follow the keys; equal ones stay the same."""
    columns = (place, *keys)
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), dtype=bool)
    for column in columns:
        new[1:] |= column[order[1:]] != column[order[:-1]]
    found = np.empty(len(order), dtype=np.intp)
    found[order] = np.cumsum(new)
    return found


def _greedy(kept: NDArray[np.bool_], priority: Floats) -> Ints:
    """(M, n): of the nodes whose kept parents all have a place, the lowest priority is next."""
    n_dags, n = priority.shape
    place = np.zeros((n_dags, n), dtype=np.intp)
    n_before = kept.sum(axis=1)
    left = priority.copy()
    every = np.arange(n_dags)
    for number in range(n):
        chosen = np.where(n_before == 0, left, np.inf).argmin(axis=1)
        place[every, chosen] = number
        left[every, chosen] = np.inf
        n_before = n_before - kept[every, chosen]
    return place
