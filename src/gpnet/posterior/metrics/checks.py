"""What metrics are given, checked once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Floats
from gpnet.graphs.cycles import directed_cycle

ROUNDING: Final = 1e-6  # by which weights may miss a sum of 1


def checked(
    dags: NDArray[np.bool_], weights: Floats, truth: Dag
) -> tuple[NDArray[np.bool_], Floats]:
    """The DAGs and weights as arrays, of shapes that fit, and a truth without cycles."""
    dags, weights = np.asarray(dags, dtype=bool), np.asarray(weights, dtype=float)
    shape = np.shape(truth)
    square = len(shape) == 2 and shape[0] == shape[1]
    if not square or dags.shape[1:] != shape or weights.shape != dags.shape[:1]:
        raise OptionError(
            "dags, weights, truth: of shapes (m, n, n), (m,), (n, n), "
            f"found {dags.shape}, {weights.shape}, {shape}"
        )
    check_weights(weights)
    columns = [str(node + 1) for node in range(len(truth))]
    if cycle := directed_cycle(np.asarray(truth, dtype=bool), columns):
        raise OptionError(f"truth: contains a directed cycle of columns, {cycle}; give a DAG")
    return dags, weights


def check_weights(weights: Floats) -> None:
    """None is negative, and they sum to 1."""
    if not (weights >= 0).all() or not abs(weights.sum() - 1) < ROUNDING:
        raise OptionError(
            f"weights: none negative, and of sum 1; found the sum {weights.sum():.6g}. Divide by it"
        )


def ordered_pairs(
    probabilities: Floats, truth: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Of all ordered pairs: the probability of an edge, and whether there is one."""
    p, is_edge = np.asarray(probabilities, dtype=float), np.asarray(truth, dtype=bool)
    if p.ndim < 2 or p.shape[-1] != p.shape[-2] or p.shape != is_edge.shape:
        raise OptionError(
            f"probabilities, truth: of the same shape (..., n, n), found {p.shape}, {is_edge.shape}"
        )
    apart = ~np.eye(p.shape[-1], dtype=bool)
    p = p[..., apart].reshape(-1)
    if not ((p >= 0) & (p <= 1 + ROUNDING)).all():
        raise OptionError("probabilities: from 0 to 1")
    return np.minimum(p, 1), is_edge[..., apart].reshape(-1)
