"""What shields a node from all others; arrays only."""

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Node


def markov_blanket(dags: NDArray[np.bool_], node: Node) -> NDArray[np.bool_]:
    """(m, n): the node's parents, its children, and the other parents of its children."""
    children = dags[:, node, :]
    partners = (dags & children[:, None, :]).any(axis=2)
    blanket = dags[:, :, node] | children | partners
    blanket[:, node] = False
    return np.asarray(blanket)
