"""GP^2 at low rank: products of the parents' thin factors, while these are fewer than the rows.

K = tau1 sum_i V_i V_i' + tau2 sum_{i<j} (V_i * V_j)(V_i * V_j)', where V_i * V_j has a column for
each pair of columns; those too small to matter are left out. Where the rank is too large, and in
small tables, the dense route is cheaper and takes over by itself.
"""

from itertools import combinations
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.fast import FastModel
from gpnet.gp.kernels.base import Kernel
from gpnet.gp.kernels.interaction import Interaction
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import Residuals, residuals_of_design
from gpnet.gp.target import DenseTarget, Target

RESIDUAL = 1e-8  # of the trace of K, in units of sigma^2: what the factors may leave out
FEWEST_ROWS = 300  # below this the dense route is always cheaper
LARGEST_RANK = 0.55  # of the rows


class FastInteractionTarget(Target):
    """u = (log theta_1, ..., log theta_p, log tau1, log tau2, log sigma)."""

    def __init__(
        self, model: FastModel, values: Floats, node: Node, parents: Parents, priors: Hyperpriors
    ):
        self._dense = DenseTarget(values[:, node], values[:, parents], Interaction(), priors)
        self._x = values[:, node] - priors.mean.mean
        self._mean_sd = priors.mean.sd
        self._model, self._parents = model, parents
        self.parameters, self.n_dims = self._dense.parameters, self._dense.n_dims

    def value(self, u: Floats) -> float:
        """log p(x | u) + log p(u)."""
        self.n_evaluations += 1
        low_rank = self._low_rank(u)
        if low_rank is None:
            return self._dense.value(u)
        return low_rank.value() + self._dense.log_prior(u)[0]

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        self.n_evaluations += 1
        low_rank = self._low_rank(u)
        if low_rank is None:
            return self._dense.gradient(u)
        prior, slope, _ = self._dense.log_prior(u)
        return low_rank.value() + prior, low_rank.gradient() + slope

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        self.n_evaluations += 1
        low_rank = self._low_rank(u)
        if low_rank is None:
            return self._dense.hessian(u)
        prior, slope, curve = self._dense.log_prior(u)
        hessian = low_rank.hessian() + np.diag(curve)
        return low_rank.value() + prior, low_rank.gradient() + slope, hessian

    def leave_one_out(self, u: Floats, rows: NDArray[np.intp] | None = None) -> Residuals:
        """In the columns of low rank, where there are few."""
        low_rank = self._low_rank(u)
        found = low_rank.leave_one_out() if low_rank else self._dense.leave_one_out(u)
        return found.of(rows)

    def _low_rank(self, u: Floats) -> "_LowRank | None":
        """None where the rank would be too large, or a lengthscale lies below the tables."""
        p = len(self._parents)
        if np.exp(u[:p].min()) < self._model.shortest:
            return None
        variance = float(np.exp(2 * u[-1]))
        tau1, tau2 = float(np.exp(u[p])), float(np.exp(u[p + 1])) if p > 1 else 0.0
        tolerance = RESIDUAL * min(1.0, variance) / max(1.0, tau1, p * tau2)
        factors = [self._model.factor(j, u[i], tolerance) for i, j in enumerate(self._parents)]
        limit = LARGEST_RANK * len(self._x)
        n_main = 1 + sum(v.shape[1] for v, _, _ in factors)
        if n_main > limit:
            return None
        kept = {}
        for i, j in combinations(range(p), 2):
            kept[i, j] = _large_products(factors[i][0], factors[j][0], tolerance)
            n_main += len(kept[i, j])
            if n_main > limit:
                return None
        blocks = _Blocks(factors, kept, tau1, tau2, self._mean_sd)
        return _LowRank(blocks, self._x, variance)


def _large_products(v: Floats, w: Floats, tolerance: float) -> Floats:
    """Pairs (a, b) of columns whose products v_a w_b hold all but `tolerance` of the trace."""
    sizes = (v**2).T @ w**2
    order = np.argsort(sizes, axis=None)
    small = np.cumsum(sizes.ravel()[order]) < tolerance
    pairs = np.sort(order[~small])
    return np.column_stack(np.unravel_index(pairs, sizes.shape))


class _Blocks:
    """V = [s 1, sqrt(tau1) V_i ..., sqrt(tau2) V_i * V_j ...], and dSigma/du_a = V M_a V'."""

    def __init__(
        self,
        factors: list[tuple[Floats, Floats, Floats]],
        kept: dict[tuple[int, int], Floats],
        tau1: float,
        tau2: float,
        mean_sd: float,
    ):
        self._factors, self._kept = factors, kept
        n = len(factors[0][0])
        columns = [np.full((n, 1), mean_sd)]
        columns += [np.sqrt(tau1) * v for v, _, _ in factors]
        for (i, j), pairs in kept.items():
            product = factors[i][0][:, pairs[:, 0]] * factors[j][0][:, pairs[:, 1]]
            columns.append(np.sqrt(tau2) * product)
        sizes = [c.shape[1] for c in columns]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self.columns = np.hstack(columns)

    def _empty(self) -> Floats:
        return np.zeros((self.columns.shape[1],) * 2)

    def _place(self, matrix: Floats, block: int, content: Floats) -> None:
        part = slice(self._starts[block], self._starts[block + 1])
        matrix[part, part] = content

    def lengthscale(self, i: int, order: int, *, main: bool = True, pair: bool = True) -> Floats:
        """M of the first (order 1) or second derivative in log theta_i, on the blocks asked for."""
        matrix, p = self._empty(), len(self._factors)
        change = self._factors[i][order]
        if main:
            self._place(matrix, 1 + i, change)
        for k, (pair_of, pairs) in enumerate(self._kept.items()):
            if pair and i in pair_of:
                own, other = (0, 1) if pair_of[0] == i else (1, 0)
                alike = pairs[:, None, other] == pairs[:, other]
                self._place(matrix, 1 + p + k, change[np.ix_(pairs[:, own], pairs[:, own])] * alike)
        return matrix

    def both_lengthscales(self, i: int, j: int) -> Floats:
        """M of the mixed derivative in log theta_i and log theta_j, i < j."""
        matrix, pairs = self._empty(), self._kept[i, j]
        first = self._factors[i][1][np.ix_(pairs[:, 0], pairs[:, 0])]
        second = self._factors[j][1][np.ix_(pairs[:, 1], pairs[:, 1])]
        block = 1 + len(self._factors) + list(self._kept).index((i, j))
        self._place(matrix, block, first * second)
        return matrix

    def amplitude(self, k: int) -> Floats:
        """M of log tau1 (k = 0) or log tau2 (k = 1): the blocks themselves."""
        matrix, p = np.zeros(self.columns.shape[1]), len(self._factors)
        first, last = (1, 1 + p) if k == 0 else (1 + p, len(self._starts) - 1)
        matrix[self._starts[first] : self._starts[last]] = 1
        return np.diag(matrix)

    def first(self) -> list[Floats]:
        """M_a for each kernel parameter, in the order of u."""
        p = len(self._factors)
        return [self.lengthscale(i, 1) for i in range(p)] + [
            self.amplitude(k) for k in range(min(p, 2))
        ]

    def second(self) -> dict[tuple[int, int], Floats]:
        """M_ab, a <= b, where it is not zero."""
        p = len(self._factors)
        found = {(i, i): self.lengthscale(i, 2) for i in range(p)}
        found |= {(i, p): self.lengthscale(i, 1, pair=False) for i in range(p)}
        found[p, p] = self.amplitude(0)
        if p > 1:
            found |= {(i, p + 1): self.lengthscale(i, 1, main=False) for i in range(p)}
            found |= {(i, j): self.both_lengthscales(i, j) for i, j in self._kept}
            found[p + 1, p + 1] = self.amplitude(1)
        return found


class _LowRank:
    """The formulae of likelihood.cpp with one block: B = sigma^2 I + V'V, Z = I - sigma^2 B^-1."""

    def __init__(self, blocks: _Blocks, x: Floats, variance: float):
        self._blocks, self._variance, self._n, self._x = blocks, variance, len(x), x
        v = blocks.columns
        self._rank = v.shape[1]
        b = v.T @ v
        b.flat[:: self._rank + 1] += variance
        self._factor, _ = lapack.dpotrf(b, lower=1)
        c = v.T @ x
        self._gamma, _ = lapack.dpotrs(self._factor, c, lower=1)
        self._unexplained = float(x @ x - c @ self._gamma)

    def value(self) -> float:
        n, r, variance = self._n, self._rank, self._variance
        log_determinant = 2 * np.log(self._factor.diagonal()).sum() + (n - r) * np.log(variance)
        return float(
            -0.5 * (log_determinant + self._unexplained / variance + n * np.log(2 * np.pi))
        )

    def leave_one_out(self) -> Residuals:
        return residuals_of_design(self._blocks.columns, self._x, self._variance)

    def _prepare(self) -> None:
        lower, _ = lapack.dpotri(self._factor, lower=1)
        self._inverse = np.tril(lower) + np.tril(lower, -1).T
        self._z = np.eye(self._rank) - self._variance * self._inverse
        self._first = self._blocks.first()
        variance = self._variance
        self._t1 = (self._n - self._rank) / variance + np.trace(self._inverse)
        self._a2 = (self._unexplained - variance * self._gamma @ self._gamma) / variance**2

    def _change(self, m: Floats) -> float:
        """(gamma'M gamma - <Z, M>) / 2: what dSigma = V M V' does to the log likelihood."""
        return float(self._gamma @ m @ self._gamma - np.vdot(self._z, m)) / 2

    def gradient(self) -> Floats:
        self._prepare()
        kernel = [self._change(m) for m in self._first]
        return np.array([*kernel, self._variance * (self._a2 - self._t1)])

    def hessian(self) -> Floats:
        self._prepare()
        variance, gamma = self._variance, self._gamma
        gamma2 = self._inverse @ gamma
        t2 = (self._n - self._rank) / variance**2 + np.vdot(self._inverse, self._inverse)
        a3 = (self._a2 - gamma @ gamma2) / variance
        w = self._inverse - variance * self._inverse @ self._inverse
        d = len(self._first) + 1
        hessian = np.zeros((d, d))
        products = [self._z @ m for m in self._first]
        pulls = [m @ gamma for m in self._first]
        for a in range(d - 1):
            for b in range(a, d - 1):
                trace = np.vdot(products[a], products[b].T)
                hessian[a, b] = trace / 2 - pulls[a] @ self._z @ pulls[b]
            hessian[a, -1] = variance * (np.vdot(w, self._first[a]) - 2 * pulls[a] @ gamma2)
        for (a, b), m in self._blocks.second().items():
            hessian[a, b] += self._change(m)
        hessian[-1, -1] = 2 * variance * (variance * (t2 - 2 * a3) - self._t1 + self._a2)
        return hessian + np.triu(hessian, 1).T


def fast_interaction_route(kernel: Kernel, values: Floats) -> TypeGuard[Interaction]:
    """Whether a kernel has this route on this table."""
    smooth = isinstance(kernel, Interaction) and kernel.component.smooth
    return smooth and len(values) >= FEWEST_ROWS
