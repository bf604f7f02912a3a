"""Tests of independence of two columns; to add one, a class with `prepare` and `p_value`.

What depends on one column alone is prepared once, as a column is tested with many others.
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from gpnet.common.types import Floats

N_PERMUTATIONS: Final = 100
ROUNDING: Final = 1e-12  # below which two statistics are equal


class Independence(Protocol):
    """Whether two columns are dependent."""

    def prepare(self, x: Floats) -> Any:
        """All that one column (N,) contributes."""
        ...

    def p_value(self, a: Any, b: Any, seed: list[int]) -> float:
        """Of two prepared columns; 1 where one of them does not vary."""
        ...


@dataclass(frozen=True)
class Gram:
    """A Gaussian kernel on one column."""

    centred: Floats  # (N, N), rows and columns of mean 0
    mean: float  # off the diagonal, not centred
    norm: float  # the mean square of centred


class Hsic:
    """Hilbert-Schmidt independence criterion, gamma null distribution (Gretton et al. 2007)."""

    def prepare(self, x: Floats) -> Gram:
        """exp(-(x_i - x_j)^2), the width that kpcalg takes for standardised data.

        Residuals keep their scale. Scaled to the same variance, they cost a tenth of the edges
        that are found; the median of distances in place of 1 is neither better nor worse.
        """
        n = len(x)
        kernel = np.exp(-(np.subtract.outer(x, x) ** 2))
        centred = centre(kernel)
        return Gram(centred, (kernel.sum() - n) / (n * (n - 1)), np.vdot(centred, centred) / n**2)

    def p_value(self, a: Gram, b: Gram, seed: list[int]) -> float:
        """The gamma has the mean and the variance of HSIC under independence."""
        n = len(a.centred)
        mean = (1 - a.mean) * (1 - b.mean) / n
        variance = 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * a.norm * b.norm
        if not (mean > 0 and variance > 0):
            return 1.0
        hsic = np.vdot(a.centred, b.centred) / n**2
        return float(gammaincc(mean**2 / variance, max(hsic, 0) * mean / variance))


class DistanceCovariance:
    """Distance covariance (Szekely et al. 2007), with a permutation null distribution."""

    def prepare(self, x: Floats) -> Floats:
        """(N, N): distances, centred."""
        return centre(np.abs(np.subtract.outer(x, x)))

    def p_value(self, a: Floats, b: Floats, seed: list[int]) -> float:
        """The share of permutations, the actual one among them, with as much covariance."""
        found = np.vdot(a, b)
        rows = np.tile(np.arange(len(a)), (N_PERMUTATIONS, 1))
        permuted = _permuted(a, b, np.random.default_rng(seed).permuted(rows, axis=1))
        as_much = permuted >= found - ROUNDING * abs(found)
        return float((1 + as_much.sum()) / (1 + N_PERMUTATIONS))


def _permuted(a: Floats, b: Floats, permutations: NDArray[np.intp]) -> Floats:
    """sum_ij a_ij b_p(i)p(j) of each permutation p."""
    rows, cells = np.empty_like(b), np.empty_like(b)
    totals = np.empty(len(permutations))
    for k, p in enumerate(permutations):
        b.take(p, axis=0, out=rows, mode="clip")  # clip: else numpy fills a buffer first
        rows.take(p, axis=1, out=cells, mode="clip")
        totals[k] = np.vdot(a, cells)
    return totals


def centre(matrix: Floats) -> Floats:
    """Of a symmetric matrix: minus the means of rows and columns."""
    means = matrix.mean(axis=0)
    return matrix - means - means[:, None] + means.mean()


TESTS: Final[dict[str, type[Independence]]] = {"hsic": Hsic, "dcor": DistanceCovariance}
