"""Directed cycles of a graph; arrays only."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag


def find_cycle(graph: Dag) -> list[int]:
    """The nodes of one directed cycle, each the parent of the next; empty where there is none."""
    alive = np.ones(len(graph), dtype=bool)
    while (ends := alive & ~graph[:, alive].any(axis=1)).any():
        alive &= ~ends  # those without a child among the rest lie on no cycle
    if not alive.any():
        return []
    path = [int(np.flatnonzero(alive)[0])]
    while True:  # everyone left has a child among the rest: follow them until one comes again
        child = int(np.flatnonzero(graph[path[-1]] & alive)[0])
        if child in path:
            return path[path.index(child) :]
        path.append(child)


def directed_cycle(graph: Dag, names: Sequence[str]) -> str:
    """One directed cycle in words, 'A -> B -> A' by these names; empty where there is none."""
    cycle = find_cycle(graph)
    return " -> ".join(names[node] for node in [*cycle, *cycle[:1]])


def find_cyclic(graphs: NDArray[np.bool_]) -> int | None:
    """Which of (m, n, n) is no DAG, if only one of several; None where all are DAGs.

    Nodes without a child among the rest are taken away, from all graphs at once, eight bits a byte.
    """
    rest = np.arange(len(graphs))
    children = np.packbits(graphs, axis=2)
    alive = np.ones(graphs.shape[:2], dtype=bool)
    while len(rest):
        parents = (children & np.packbits(alive, axis=1)[:, None]).any(axis=2) & alive
        if (stuck := (parents == alive).all(axis=1) & alive.any(axis=1)).any():
            return int(rest[stuck][0])
        going = parents.any(axis=1)
        rest, children, alive = rest[going], children[going], parents[going]
    return None
