"""No parents: x ~ N(m, s^2 11' + sigma^2 I), one integral over log sigma, exact.

Not a member of the family: it stands in for every member where there are no parents.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from gpnet.gp.evidence.base import Evidence
from gpnet.gp.priors import Hyperpriors
from gpnet.types import Floats


def integrate_noise(x: Floats, hyperpriors: Hyperpriors) -> Evidence:
    """The trapezoidal rule: spectrally accurate, as the integrand is smooth and decays fast."""
    n = len(x)

    def log_joint(s: Floats) -> Floats:
        """In O(1): Sigma has the eigenvalue sigma^2 + n s^2 once and sigma^2 n - 1 times."""
        variance, along_ones = np.exp(2 * s), np.exp(2 * s) + n * hyperpriors.mean.sd**2
        total, residual = (x - hyperpriors.mean.mean).sum(), ((x - x.mean()) ** 2).sum()
        log_determinant = (n - 1) * 2 * s + np.log(along_ones)
        quadratic = residual / variance + total**2 / n / along_ones
        log_likelihood = -(log_determinant + quadratic + n * np.log(2 * np.pi)) / 2
        return np.asarray(log_likelihood + hyperpriors.noise.log_density(s)[0])

    mode = minimize_scalar(lambda s: -float(log_joint(np.asarray(s))), bracket=(-1.0, 0.5)).x
    width = 1 / np.sqrt(2 * n)  # the curvature of the likelihood in log sigma is 2 n
    points = mode + width * np.arange(-40, 40, 0.1)
    values = log_joint(points)
    fine = _log_integral(values, 0.1 * width)
    coarse = _log_integral(values[::2], 0.2 * width)
    return Evidence(fine, abs(fine - coarse), "quadrature", len(points))


def _log_integral(values: Floats, step: float) -> float:
    return float(logsumexp(values) + np.log(step))
