"""How many orders of the nodes a DAG fits to."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet._core import log_linear_extensions as _count
from gpnet.common.types import Floats
from gpnet.graphs.distinct import distinct

MAX_NODES: Final = 20  # 2^20 sets take some milliseconds


def log_linear_extensions(dags: NDArray[np.bool_], *, max_nodes: int = MAX_NODES) -> Floats:
    """Log of the number of linear extensions of each DAG of (n_dags, n, n).

    Counted over the sets that are closed under predecessors: N({}) = 1, N(S) = sum over the last
    nodes v of S of N(S without v). Parts that no edge connects are counted apart and
    shuffled, k! / (k_1! k_2! ...) ways; nan where one of them has more than `max_nodes` nodes.
    """
    if not len(dags):
        return np.empty(0)
    different, place = distinct(dags)
    return _count(np.ascontiguousarray(different), max_nodes)[place]
