"""Rows that stand for all rows: the likelihood of GP^2 at the cost of a table of few rows.

A smooth covariance has low rank, and what interpolates some functions interpolates smoother ones as
well. Pivoted Cholesky of K at some parameters chooses M rows P, and C (N, M) with K = C K_PP C',
where K_PP is the covariance of these rows alone. The same C serves wherever lengthscales are longer
and amplitudes, in units of sigma^2, smaller. With x = C t + r, C'r = 0 and A = (C'C)^-1,

    log N(x; 0, C K_PP C' + sigma^2 I) = log N(t; 0, K_PP + sigma^2 A)
        - ((N - M) log(2 pi sigma^2) + |r|^2 / sigma^2 + log|C'C|) / 2,

so that an evaluation sees no more than M rows, with a noise of their own. K contains the constant.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.gp.kernels.base import Covariance
from gpnet.gp.kernels.interaction import Interaction

LONGEST: Final = np.log(4.0)  # a lengthscale that serves for longer ones: these save few rows
SMALLEST: Final = np.log(0.01)  # an amplitude, in units of sigma^2, that serves for smaller ones
LARGEST: Final = np.log(1e6)  # the same; beyond it rounding costs more than 1e-3 nats
ROUNDING: Final = 1e-13  # of the trace of K
NOTHING: Final = 1e-8  # of the same, in units of sigma^2: what rows that are cheap may leave out
CONSTANT: Final = 10.0  # the amplitude of the constant, in units of the largest other one
AMPLITUDE: Final = 0.25  # what a log amplitude adds to the rows needed, a log lengthscale adding 1


@dataclass(frozen=True)
class Care:
    """What pivot rows may leave out, and where they serve."""

    tolerance: float  # of the trace of K, in units of sigma^2: nats, by and large
    cheap: int  # pivot rows that are taken in any case, as long as they tell anything
    share: float  # of all rows, that may be pivot rows
    most: int  # pivot rows of large tables
    always: bool  # whether so many are taken, whatever they leave out, where more are needed
    margin: float  # in log lengthscale: they serve for rougher functions than the one that asks
    reach: float  # in log lengthscales, summed: for smoother functions yet, fewer will do


class PivotRows:
    """The log likelihood of x (N,), about its mean, where `rows` of z (N, p) stand for all."""

    def __init__(self, x: Floats, z: Floats, mean_sd: float, pivots: "_Pivots"):
        self.left = pivots.left
        columns = pivots.interpolation()
        factor, _ = lapack.dpotrf(columns @ columns.T, lower=1)
        self._noise = _inverse(factor)
        self._target = self._noise @ (columns @ x)
        self._rest = float(((x - self._target @ columns) ** 2).sum())
        self._n_left = len(x) - len(columns)
        self._z, self._mean_variance = z[pivots.rows], mean_sd**2
        log_gram = 2 * np.log(factor.diagonal()).sum()
        self._constant = -0.5 * float(log_gram + len(x) * np.log(2 * np.pi))
        self._core = _core.PivotRows(self._z, self._noise, self._target, self._n_left, self._rest)

    def __len__(self) -> int:
        return len(self._target)

    def value(self, u: Floats) -> float:
        """log p(x | u); minus infinity where it cannot be computed."""
        lengthscales, tau1, tau2, variance = _natural(u)
        found = self._core.log_likelihood(lengthscales, self._mean_variance, tau1, tau2, variance)
        return found + self._constant

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        value, gradient, _ = self._derivatives(u, 1)
        return value, gradient

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        return self._derivatives(u, 2)

    def _derivatives(self, u: Floats, order: int) -> tuple[float, Floats, Floats]:
        """Those of a dense target, where dS/ds = 2 sigma^2 A."""
        d, variance = len(u), float(np.exp(2 * u[-1]))
        covariance = Interaction().covariance(self._z, u[:-1], order)
        noise, outside = variance * self._noise, self._rest / variance
        total = covariance.value + self._mean_variance + noise
        factor, failed = lapack.dpotrf(total.T, lower=1, overwrite_a=1)
        if failed:
            return -np.inf, np.full(d, np.nan), np.full((d, d), np.nan)
        alpha, _ = lapack.dpotrs(factor, self._target, lower=1)
        log_determinant = 2 * np.log(factor.diagonal()).sum() + self._n_left * 2 * u[-1]
        value = self._constant - float(log_determinant + self._target @ alpha + outside) / 2
        slopes = _Slopes(_inverse(factor), alpha, [*covariance.first, 2 * noise])
        gradient = slopes.gradient()
        gradient[-1] += outside - self._n_left
        if order == 1:
            return value, gradient, np.empty((0, 0))
        hessian = slopes.hessian(covariance)
        hessian[-1, -1] += slopes.change(4 * noise) - 2 * outside
        return value, gradient, hessian


@dataclass(frozen=True)
class _Slopes:
    """Derivatives of log N(t; 0, S) from P = S^-1, alpha = P t and S_a = dS/du_a."""

    precision: Floats
    alpha: Floats
    first: list[Floats]

    def change(self, m: Floats) -> float:
        """(alpha'M alpha - tr(P M)) / 2."""
        return float(self.alpha @ m @ self.alpha - np.vdot(self.precision, m)) / 2

    def gradient(self) -> Floats:
        return np.array([self.change(m) for m in self.first])

    def hessian(self, covariance: Covariance) -> Floats:
        """tr(P S_a P S_b) / 2 - alpha'S_a P S_b alpha, and what S_ab changes."""
        products = [self.precision @ m for m in self.first]
        pulls = np.array([m @ self.alpha for m in self.first])
        hessian = -np.triu(pulls @ self.precision @ pulls.T)
        for a, product in enumerate(products):
            for b in range(a, len(products)):
                hessian[a, b] += np.vdot(product, products[b].T) / 2
        for a, b, second in covariance.second:
            hessian[a, b] += self.change(second)
        return np.asarray(hessian + np.triu(hessian, 1).T)


def _inverse(factor: Floats) -> Floats:
    """Of a matrix, from its lower Cholesky factor."""
    lower, _ = lapack.dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def n_parents(u: Floats) -> int:
    """Of log parameters: a lengthscale for each, one amplitude or two, the noise."""
    return max(len(u) - 3, 1)


def _natural(u: Floats) -> tuple[Floats, float, float, float]:
    """Lengthscales, tau1, tau2 (0 of one parent) and sigma^2."""
    p, kernel = n_parents(u), np.exp(u[:-1])
    tau2 = float(kernel[p + 1]) if p > 1 else 0.0
    return kernel[:p], float(kernel[p]), tau2, float(np.exp(2 * u[-1]))


@dataclass(frozen=True)
class _Pivots:
    rows: NDArray[np.int64]  # (M,)
    root: Floats  # (N, M), lower triangular in these rows
    left: float  # of the trace, in units of sigma^2

    def interpolation(self) -> Floats:
        """C' (M, N), where root = C root_P."""
        return np.asarray(blas.dtrsm(1.0, self.root[self.rows], self.root.T, lower=1, trans_a=1))


class NearbyPivotRows:
    """Pivot rows made where they are first asked for, then used for what is smoother nearby."""

    def __init__(self, x: Floats, z: Floats, mean_sd: float, care: Care):
        self._x, self._z, self._mean_sd, self._care = x, np.asfortranarray(z), mean_sd, care
        p = z.shape[1]
        self._weights = np.concatenate([np.ones(p), np.full(min(p, 2), AMPLITUDE)])
        self._limits = np.empty((0, len(self._weights)))  # the roughest that those made serve for
        self._made: list[PivotRows | None] = []

    def at(self, u: Floats) -> PivotRows | None:
        """The fewest that serve at u; None where too many would be needed."""
        known, rows = self.find(u)
        return rows if known else self.make(u)

    def find(self, u: Floats) -> tuple[bool, PivotRows | None]:
        """Whether any were asked for nearby, and the same as `at`."""
        spare = self._limits - _roughness(u)
        serve = (spare.min(axis=1) >= 0) & (spare @ self._weights <= self._care.reach)
        found = [self._made[k] for k in np.flatnonzero(serve)]
        return bool(found), min((rows for rows in found if rows), key=len, default=None)

    def make(self, u: Floats) -> PivotRows | None:
        """Some more, with a margin."""
        limit = _roughness(u) + self._care.margin / self._weights
        p = n_parents(u)
        amplitudes = np.exp(np.append(limit[p:], -np.inf))
        constant = CONSTANT * self._mean_sd**2 * float(amplitudes.max())
        pivots = None
        if limit[p:].max() < LARGEST:
            given = np.exp(-limit[:p]), constant, float(amplitudes[0]), float(amplitudes[1])
            pivots = self._choose(*given, always=self._care.always)
        rows = PivotRows(self._x, self._z, self._mean_sd, pivots) if pivots else None
        self._limits = np.vstack([self._limits, limit])
        self._made.append(rows)
        return rows

    def design(self, u: Floats) -> Floats | None:
        """V (N, M) with K + s^2 11' = V V' at u; None where it would have too many columns."""
        lengthscales, tau1, tau2, variance = _natural(u)
        constant = self._mean_sd**2 / variance
        pivots = self._choose(lengthscales, constant, tau1 / variance, tau2 / variance)
        return np.sqrt(variance) * pivots.root if pivots else None

    def _choose(
        self,
        lengthscales: Floats,
        constant: float,
        main: float,
        pair: float,
        *,
        always: bool = False,
    ) -> _Pivots | None:
        n, p = self._z.shape
        trace = n * (constant + p * main + p * (p - 1) / 2 * pair)
        given, rounding = (self._z, lengthscales, constant, main, pair), ROUNDING * trace
        tolerance, most = (
            max(self._care.tolerance, rounding),
            min(int(self._care.share * n), self._care.most),
        )
        if self._care.cheap:
            cheap = min(self._care.cheap, most)
            pivots = _Pivots(*_core.choose_pivots(*given, max(NOTHING, rounding), cheap))
            if pivots.left <= tolerance:
                return pivots
        pivots = _Pivots(*_core.choose_pivots(*given, tolerance, most))
        return pivots if always or pivots.left <= tolerance else None


def _roughness(u: Floats) -> Floats:
    """What decides how many rows are needed, more the larger any entry: limits of where some serve.

    Minus the log lengthscales, then the log amplitudes in units of sigma^2.
    """
    p = n_parents(u)
    amplitudes = np.maximum(u[p:-1] - 2 * u[-1], SMALLEST)
    return np.concatenate([-np.minimum(u[:p], LONGEST), amplitudes])
