"""log p(x, u | Pa) of one node, with gradient and Hessian: the dense, plain route.

Every evidence method sees only `Target`. The dense target costs O(N^3) an evaluation and is the
oracle for anything faster.
"""

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import lapack

from gpnet.common.errors import EvidenceError
from gpnet.common.types import Floats
from gpnet.gp.kernels.base import Covariance, Kernel, Parameter
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import Residuals, residuals_of_precision

NO_RESIDUALS = "the covariance of the rows is singular where their residuals are asked for"


class Target(ABC):
    """A log density over u = (log kernel parameters ..., log sigma), not normalised.

    Its integral over u is the marginal likelihood of the node.
    """

    n_dims: int
    parameters: list[Parameter]  # of the kernel: all but the last dimension
    n_evaluations: int = 0
    noise: float = 0.0  # nats by which values at points close by may disagree

    @abstractmethod
    def value(self, u: Floats) -> float:
        """The log density at u (d,); minus infinity where it cannot be computed."""

    @abstractmethod
    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient (d,)."""

    @abstractmethod
    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient (d,) and Hessian (d, d)."""

    @abstractmethod
    def leave_one_out(self, u: Floats) -> Residuals:
        """Of each row given all others, at u."""

    def values(self, points: Floats) -> Floats:
        """The log density at each row of points (m, d)."""
        return np.array([self.value(u) for u in points])

    def explorer(self) -> "Target":
        """What modes are looked for with: this, or a cheaper one that is near enough."""
        return self

    def scan(self, u: Floats, value: float, points: Floats) -> Floats:
        """The log density at points around a mode u, or a guess where that tells enough."""
        return self.values(points)


class DenseTarget(Target):
    """x | u ~ N(m, s^2 11' + K(u) + sigma^2 I) with u ~ hyperpriors; mu ~ N(m, s^2) integrated out.

    x is (N,), parents is (N, p); both standardised.
    """

    def __init__(self, x: Floats, parents: Floats, kernel: Kernel, hyperpriors: Hyperpriors):
        self._x = x - hyperpriors.mean.mean
        self._parents = parents
        self._kernel = kernel
        self._mean_variance = hyperpriors.mean.sd**2
        self.parameters = kernel.parameters(parents.shape[1], hyperpriors)
        self._priors = [*(parameter.prior for parameter in self.parameters), hyperpriors.noise]
        self.n_dims = len(self._priors)

    def value(self, u: Floats) -> float:
        """log p(x | u) + log p(u)."""
        factor = self._factor(self._covariance(u, 0), u)
        if factor is None:
            return -np.inf
        return self._log_likelihood(factor)[0] + self.log_prior(u)[0]

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """g_a = (alpha'S_a alpha - tr(P S_a)) / 2; P = Sigma^-1, alpha = P x, S_a = dSigma/du_a."""
        covariance = self._covariance(u, 1)
        factor = self._factor(covariance, u)
        if factor is None:
            return -np.inf, np.full(self.n_dims, np.nan)
        value, alpha = self._log_likelihood(factor)
        precision = _inverse(factor)
        prior_value, prior_gradient, _ = self.log_prior(u)
        gradient = self._likelihood_gradient(covariance, precision, alpha, u)
        return value + prior_value, gradient + prior_gradient

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """H_ab = tr(P S_b P S_a)/2 - alpha'S_a P S_b alpha + (alpha'S_ab alpha - tr(P S_ab))/2."""
        covariance = self._covariance(u, 2)
        factor = self._factor(covariance, u)
        d = self.n_dims
        if factor is None:
            return -np.inf, np.full(d, np.nan), np.full((d, d), np.nan)
        value, alpha = self._log_likelihood(factor)
        precision = _inverse(factor)
        gradient = self._likelihood_gradient(covariance, precision, alpha, u)
        hessian = np.zeros((d, d))
        noise = 2 * np.exp(2 * u[-1])  # dSigma/ds = 2 sigma^2 I
        products = [*(precision @ first for first in covariance.first), noise * precision]
        pulls = [*(first @ alpha for first in covariance.first), noise * alpha]
        for a in range(d):
            for b in range(a + 1):
                trace = np.vdot(products[a], products[b].T)
                hessian[a, b] = trace / 2 - pulls[a] @ precision @ pulls[b]
        # d2Sigma/ds2 = 4 sigma^2 I
        hessian[-1, -1] += noise * (alpha @ alpha - np.trace(precision))
        for a, b, second in covariance.second:
            hessian[b, a] += (alpha @ second @ alpha - np.vdot(precision, second)) / 2
        hessian += np.tril(hessian, -1).T
        prior_value, prior_gradient, prior_curvature = self.log_prior(u)
        hessian[np.diag_indices(d)] += prior_curvature
        return value + prior_value, gradient + prior_gradient, hessian

    def leave_one_out(self, u: Floats) -> Residuals:
        """By the precision matrix itself."""
        factor = self._factor(self._covariance(u, 0), u)
        if factor is None:
            raise EvidenceError(NO_RESIDUALS)
        return residuals_of_precision(_inverse(factor), self._x)

    def _covariance(self, u: Floats, order: int) -> Covariance:
        self.n_evaluations += 1
        return self._kernel.covariance(self._parents, u[:-1], order)

    def _factor(self, covariance: Covariance, u: Floats) -> Floats | None:
        """The lower Cholesky factor of Sigma; None where it is not positive definite."""
        sigma = covariance.value + self._mean_variance
        sigma.flat[:: len(sigma) + 1] += np.exp(2 * u[-1])
        factor, failed = lapack.dpotrf(sigma.T, lower=1, overwrite_a=1)
        return None if failed else factor

    def _log_likelihood(self, factor: Floats) -> tuple[float, Floats]:
        """-(x' P x + log|Sigma| + N log 2 pi) / 2, and alpha = P x."""
        alpha, _ = lapack.dpotrs(factor, self._x, lower=1)
        log_determinant = 2 * np.log(factor.diagonal()).sum()
        n = len(self._x)
        return -(self._x @ alpha + log_determinant + n * np.log(2 * np.pi)) / 2, alpha

    def _likelihood_gradient(
        self, covariance: Covariance, precision: Floats, alpha: Floats, u: Floats
    ) -> Floats:
        kernel = [alpha @ first @ alpha - np.vdot(precision, first) for first in covariance.first]
        noise = 2 * np.exp(2 * u[-1]) * (alpha @ alpha - np.trace(precision))
        return np.array([*kernel, noise]) / 2

    def log_prior(self, u: Floats) -> tuple[float, Floats, Floats]:
        """log p(u), its gradient (d,) and the diagonal of its Hessian (d,)."""
        terms = np.array([prior.log_density(v) for prior, v in zip(self._priors, u, strict=True)])
        return terms[:, 0].sum(), terms[:, 1], terms[:, 2]


def _inverse(factor: Floats) -> Floats:
    """Sigma^-1 from its lower Cholesky factor."""
    lower, _ = lapack.dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
