"""What directed paths lead to; arrays only."""

import numpy as np
from numpy.typing import NDArray

from gpnet.graphs.distinct import for_distinct


def ancestors(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m, n, n): [i, j] is True where a directed path of one edge or more leads from i to j."""
    paths: NDArray[np.bool_] = for_distinct(_closure, dags, cells_each=dags.shape[-1] ** 2)
    return paths


def _closure(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Paths of up to 1, 2, 4, ... edges: two of one kind make one of the next."""
    paths, longest = dags.copy(), 1
    while longest < dags.shape[-1] - 1:
        steps = paths.astype(np.float32)
        paths |= steps @ steps > 0
        longest *= 2
    return paths


def generations(dags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(m, n): the number of edges on the longest directed path that leads to each node."""
    found: NDArray[np.intp] = for_distinct(_generations, dags, cells_each=dags.shape[-1] ** 2)
    return found


def _generations(dags: NDArray[np.bool_]) -> NDArray[np.intp]:
    n_dags, n_nodes = dags.shape[:2]
    longest = np.zeros((n_dags, n_nodes), dtype=np.intp)
    reached = np.ones((n_dags, 1, n_nodes), dtype=np.float32)
    edges = dags.astype(np.float32)
    for length in range(1, n_nodes):
        reached = (reached @ edges > 0).astype(np.float32)  # those that paths of `length` lead to
        longest[reached[:, 0] > 0] = length
    return longest
