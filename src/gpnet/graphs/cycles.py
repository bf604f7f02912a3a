"""Where a graph goes round in a circle; arrays only."""

import numpy as np

from gpnet.types import Dag


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
