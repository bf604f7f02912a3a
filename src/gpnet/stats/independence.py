"""Whether two columns depend on each other, in any way: distance covariance; arrays only.

Szekely, Rizzo & Bakirov (2007). With the distances within each column, centred by rows and columns
to A and B, the sum of A_ij B_ij is small if the columns are independent: then it is near
sum_kl a_k b_l z_kl^2 / n, with the eigenvalues a of A and b of B and z normal. Its tail is taken
from a gamma distribution with the same mean, variance and skewness.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import gammaincc

from gpnet.common.types import Floats

MOST_ROWS: Final = 500  # that are looked at: the cost goes with their cube


@dataclass(frozen=True, eq=False)
class Distances:
    """Of one column."""

    centred: Floats  # (N, N): A

    @classmethod
    def of(cls, x: Floats) -> "Distances":
        """Between the entries of x (N,), less means of rows and columns."""
        return cls._centred(np.abs(x[:, None] - x))

    @classmethod
    def of_levels(cls, x: Floats) -> "Distances":
        """The same of levels, any two of which are as far apart as any others."""
        return cls._centred((x[:, None] != x).astype(float))

    @classmethod
    def _centred(cls, distances: Floats) -> "Distances":
        means = distances.mean(axis=0)
        return cls(distances - means - means[:, None] + means.mean())

    @cached_property
    def power_sums(self) -> Floats:
        """(3,): tr A, tr A^2 and tr A^3, which is the sum of the k-th powers of eigenvalues."""
        square = self.centred @ self.centred
        return np.array([self.centred.trace(), square.trace(), np.vdot(square, self.centred)])


def independence_p_value(x: Distances, y: Distances) -> float:
    """How often independent columns would look as dependent as these.

    Cumulants of sum_kl a_k b_l z_kl^2 / n are 1, 2 and 8 times tr A^k tr B^k / n^k.
    """
    n = len(x.centred)
    mean, half, eighth = x.power_sums * y.power_sums / float(n) ** np.arange(1, 4)
    sd = np.sqrt(2 * half)
    if not (mean > 0 and sd > 0):  # a column that is constant
        return 1.0
    mean *= n / (n - 1)  # over all permutations, exactly
    shape = 4 / (8 * eighth / sd**3) ** 2
    z = (float(np.vdot(x.centred, y.centred)) - mean) / sd
    return float(gammaincc(shape, max(shape + z * np.sqrt(shape), 0.0)))
