"""All DAGs of a few nodes, one by one."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError

MAX_NODES: Final = 5  # 29 281 DAGs; six nodes have 3 781 503


def all_dags(n_nodes: int) -> NDArray[np.bool_]:
    """(n_dags, n, n), dag[parent, child]: every DAG once, the empty one first."""
    if not 0 <= n_nodes <= MAX_NODES:
        raise OptionError(f"all DAGs: of 0 to {MAX_NODES} nodes, found {n_nodes}")
    off_diagonal = ~np.eye(n_nodes, dtype=bool)
    codes = _acyclic_codes(n_nodes)
    dags = np.zeros((len(codes), n_nodes, n_nodes), dtype=bool)
    edges = np.arange(off_diagonal.sum())
    # Bits run along the children, so that a node's parents stand together.
    dags.swapaxes(1, 2)[:, off_diagonal] = codes[:, None] >> edges & 1
    return dags


def _acyclic_codes(n_nodes: int) -> NDArray[np.int64]:
    """The acyclic ones among all graphs: bits v (n - 1) and on are the parents of v, v left out.

    A graph is acyclic if all its nodes can be placed, each after its parents.
    """
    width = max(n_nodes - 1, 0)
    codes = np.arange(1 << n_nodes * width)
    placed = np.zeros_like(codes)
    for _ in range(n_nodes):
        for v in range(n_nodes):
            parents = codes >> v * width & ((1 << width) - 1)
            below = parents & ((1 << v) - 1)
            parents = below | (parents ^ below) << 1
            placed |= np.where(parents & ~placed, 0, 1 << v)
    return np.asarray(codes[placed == (1 << n_nodes) - 1])
