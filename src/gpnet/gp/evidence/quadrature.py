"""No parents: x ~ N(m, s^2 11' + sigma^2 I), one integral over log sigma, exact.

Not a member of the family: it stands in for every member where there are no parents.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from gpnet.common.types import Floats
from gpnet.gp.evidence.base import Evidence
from gpnet.gp.priors import Hyperpriors


def integrate_noise(x: Floats, hyperpriors: Hyperpriors) -> Evidence:
    """The trapezoidal rule, refined until it stands: the integrand is smooth and decays fast."""
    n, mean = len(x), hyperpriors.mean
    residual, total = ((x - x.mean()) ** 2).sum(), (x - mean.mean).sum()

    def log_joint(s: Floats) -> Floats:
        """In O(1): Sigma has the eigenvalue sigma^2 + n sd^2 once and sigma^2 n - 1 times."""
        variance = np.exp(2 * s)
        along_ones = variance + n * mean.sd**2
        log_determinant = (n - 1) * 2 * s + np.log(along_ones)
        quadratic = residual / variance + total**2 / n / along_ones
        log_likelihood = -(log_determinant + quadratic + n * np.log(2 * np.pi)) / 2
        return np.asarray(log_likelihood + hyperpriors.noise.log_density(s)[0])

    mode = minimize_scalar(lambda s: -float(log_joint(np.asarray(s))), bracket=(-1.0, 0.5)).x
    curvature = 2 * residual * np.exp(-2 * mode) + hyperpriors.noise.scale * np.exp(-mode)
    width = 1 / np.sqrt(curvature)
    coarse, n_evaluations = np.inf, 0
    for step in (0.4, 0.2, 0.1, 0.05):
        values = log_joint(mode + width * np.arange(-40, 40, step))
        n_evaluations += len(values)
        fine = float(logsumexp(values) + np.log(step * width))
        if abs(fine - coarse) < 1e-10 * max(1.0, abs(fine)):
            break
        coarse = fine
    return Evidence(fine, abs(fine - coarse), "quadrature", n_evaluations)
