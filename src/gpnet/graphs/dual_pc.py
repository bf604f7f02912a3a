"""The dual PC algorithm: a skeleton from correlations alone; arrays only.

After Giudice, Kuipers & Moffa (2023). PC starts from conditioning on nothing and adds variables.
The inverse correlation matrix gives, at the same cost, the tests at the other end: given all
others, and from there leaving variables out. Working inwards from both ends removes edges earlier.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from gpnet.common.types import Dag, Floats

RIDGE: Final = 1e-9  # columns that repeat each other have an inverse too
BLOCK: Final = 10_000  # tests at once
# Given all others, few rows are left to tell dependence from none, and edges would go for want of
# evidence: the dual tests wait for this many rows a variable.
ROWS_PER_VARIABLE: Final = 2


@dataclass(frozen=True)
class _End:
    """One end to work from: a matrix whose submatrices answer for conditional independence.

    Inverted, the submatrix of x, y and others has the correlation r at (x, y), up to its sign:
    of the correlation matrix, the partial one given the others; of its inverse, the one given all
    but the others.
    """

    matrix: Floats  # (n, n)
    n_free: int  # rows less what is conditioned on when there are no others, less 3
    step: int  # what one more of the others adds to n_free

    def independent(self, rows: NDArray[np.intp], bound: float) -> NDArray[np.bool_]:
        """Fisher's z of x, y and others in rows (m, 2 + k): |atanh r| sqrt(n_free) <= bound."""
        n_free = self.n_free + self.step * (rows.shape[1] - 2)
        if n_free < 1:
            return np.zeros(len(rows), dtype=bool)
        inverse = np.linalg.inv(self.matrix[rows[:, :, None], rows[:, None, :]])
        r = np.abs(inverse[:, 0, 1]) / np.sqrt(inverse[:, 0, 0] * inverse[:, 1, 1])
        return np.asarray(np.arctanh(np.minimum(r, 1 - RIDGE)) * sqrt(n_free) <= bound)


def dual_pc_skeleton(
    correlation: Floats, n_rows: int, *, alpha: float, max_order: int, dual: bool = True
) -> Dag:
    """(n, n), symmetric: which variables are adjacent.

    An edge goes where a test at level alpha finds independence given k of the neighbours of one
    of its ends, or given all variables but k of them, for k = 0, ..., max_order. Neighbours are
    those before a round of tests, so that the order of the columns does not matter.
    """
    n, bound = len(correlation), float(ndtri(1 - alpha / 2))
    ends = _ends(correlation, n_rows, dual=dual)
    adjacent = ~np.eye(n, dtype=bool)
    for order in range(max_order + 1):
        tests = _tests(adjacent, adjacent.copy(), order)
        n_asked = 0
        while rows := list(islice(tests, BLOCK)):
            n_asked += len(rows)
            asked = np.array(rows, dtype=np.intp)
            gone = np.logical_or.reduce([end.independent(asked, bound) for end in ends])
            x, y = asked[gone, 0], asked[gone, 1]
            adjacent[x, y] = adjacent[y, x] = False
        if not n_asked:
            break
    return adjacent


def _ends(correlation: Floats, n_rows: int, *, dual: bool) -> list[_End]:
    n = len(correlation)
    regular = (correlation + RIDGE * np.eye(n)) / (1 + RIDGE)
    ends = [_End(regular, n_rows - 3, -1)]
    if dual and n > 2 and n_rows >= ROWS_PER_VARIABLE * n:
        inverse: Floats = np.linalg.inv(regular).astype(np.float64)
        ends.append(_End(inverse, n_rows - (n - 2) - 3, 1))
    return ends


def _tests(adjacent: Dag, before: Dag, order: int) -> Iterator[tuple[int, ...]]:
    """x, y and `order` neighbours of x; a pair that was taken apart meanwhile is passed over."""
    for x, y in np.argwhere(before).tolist():
        others = [v for v in np.flatnonzero(before[x]).tolist() if v != y]
        for some in combinations(others, order):
            if not adjacent[x, y]:
                break
            yield (x, y, *some)
