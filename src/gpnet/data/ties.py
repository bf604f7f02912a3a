"""Ties of a column: values that are equal, or would be but for the last digits.

A column that repeats few values stays one where its unit is changed, or where arithmetic leaves
1e-16 behind: ranks and the resolution of a column may not depend on that.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats

CLOSE: Final = 0.01  # of the mean distance of neighbours: continuous columns hardly have such gaps
TAIL: Final = 0.1  # of the rows at either end, which do not say how wide a column is


def distinct_values(x: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The sorted values that differ, and which of them each cell has; as np.unique has them.

    Close values are one where that leaves fewer than half as many as there are rows; else the
    column has no ties to speak of, and equal values alone are one.
    """
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    inside = ordered / max(np.abs(ordered).max(), np.finfo(float).tiny)  # which cannot overflow
    apart = np.diff(inside) > CLOSE / len(x) * _width(inside)
    if 2 * (1 + int(apart.sum())) >= len(x):
        apart = ordered[1:] > ordered[:-1]
    place = np.empty(len(x), dtype=np.intp)
    place[order] = np.concatenate([[0], np.cumsum(apart)])
    return ordered[np.concatenate([[True], apart])], place


def _width(x: Floats) -> float:
    """The standard deviation, or the middle range where outliers make that large."""
    low, high = np.quantile(x, [TAIL, 1 - TAIL])
    return float(min(x.std(), high - low)) if high > low else float(x.std())
