"""The PC algorithm: from answers about conditional independence to a DAG; knows nothing of data.

Graphs are (n, n): [i, j] alone is i -> j, with [j, i] too the edge has no direction yet.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag, Node
from gpnet.graphs.dag import is_acyclic

Nodes: TypeAlias = tuple[Node, ...]  # sorted
Asked: TypeAlias = Callable[[Node, Node, Nodes], float]  # the p-value of x and y given some
Separators: TypeAlias = dict[tuple[Node, Node], tuple[Nodes, float]]  # x < y: given what, p-value
Graph: TypeAlias = NDArray[np.bool_]


def skeleton(
    p_value: Asked, n: int, *, alpha: float, max_conditions: int
) -> tuple[Graph, Separators]:
    """Which nodes are adjacent, and what separates the others.

    Neighbours are those before a round of tests (Colombo & Maathuis 2014), so that the order of
    the columns does not matter.
    """
    adjacent = ~np.eye(n, dtype=bool)
    separators: Separators = {}
    for size in range(max_conditions + 1):
        before = adjacent.copy()
        for x, y in np.argwhere(np.triu(before)).tolist():
            for given in _conditions(before, x, y, size):
                p = p_value(x, y, given)
                if p >= alpha:
                    adjacent[x, y] = adjacent[y, x] = False
                    separators[x, y] = given, p
                    break
    return adjacent, separators


def _conditions(adjacent: Graph, x: Node, y: Node, size: int) -> Iterator[Nodes]:
    """Sets of neighbours of x, then of y that are not all neighbours of x."""
    of_x, of_y = (np.flatnonzero(adjacent[one]).tolist() for one in (x, y))
    yield from combinations([v for v in of_x if v != y], size)
    for given in combinations([v for v in of_y if v != x], size):
        if not set(given) <= set(of_x):
            yield given


def pattern(adjacent: Graph, separators: Separators) -> Graph:
    """The skeleton with its v-structures: x -> z <- y where z does not separate x and y.

    Errors of tests make them contradict each other. The surest independence, of the largest
    p-value, comes first; one that would reverse an edge or close a directed cycle is left out.
    """
    graph, arrows = adjacent.copy(), np.zeros_like(adjacent)
    surest = sorted(separators.items(), key=lambda item: (-item[1][1], item[0]))
    for (x, y), (given, _) in surest:
        for z in set(np.flatnonzero(adjacent[x] & adjacent[y]).tolist()) - set(given):
            more = arrows.copy()
            more[x, z] = more[y, z] = True
            if is_acyclic(more):
                arrows = more
    graph[arrows.T] = False
    return graph


def extension(graph: Graph, rng: np.random.Generator) -> Dag:
    """A DAG with the same edges and arrows and no v-structure more, if there is one.

    After Dor & Tarsi (1992): take away, again and again, a node that may be last, its open edges
    pointing to it. Of several that may be, one at random, so that no column's place favours a
    direction. Where none may be, the one that costs the fewest v-structures: the arrows have no
    cycle, so that one without arrows out of it always remains, and the result is a DAG.

    Meek's rules orient what all such DAGs agree on, and would change nothing.
    """
    dag = graph & ~graph.T
    left = graph.copy()
    remaining = list(range(len(graph)))
    while remaining:
        last = [v for v in remaining if not (left[v] & ~left[:, v]).any()]
        costs = np.array([_new_v_structures(left, v) for v in last])
        node = last[rng.choice(np.flatnonzero(costs == costs.min()))]
        dag[left[:, node], node] = True
        left[node] = left[:, node] = False
        remaining.remove(node)
    return dag


def _new_v_structures(graph: Graph, node: Node) -> int:
    """Pairs of an open neighbour and another one that are apart; each would point to the node."""
    near = np.flatnonzero(graph[:, node])
    is_open = graph[node, near]
    apart = ~(graph | graph.T)[np.ix_(near, near)] & ~np.eye(len(near), dtype=bool)
    return int((apart & (is_open[:, None] | is_open)).sum() // 2)
