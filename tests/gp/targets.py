"""Targets whose integral is known, to hold every evidence method against."""

import numpy as np
from scipy.special import logsumexp

from gpnet.gp.kernels.base import Parameter
from gpnet.gp.priors import InverseGamma
from gpnet.gp.target import Target


class NormalMixture(Target):
    """sum_k exp(c_k) N(u; m_k, I / precision): its log integral is logsumexp(c)."""

    def __init__(self, centres, log_masses, precision=4.0):
        self._centres = np.asarray(centres, dtype=float)
        self._log_masses = np.asarray(log_masses, dtype=float)
        self._precision = precision
        self.n_dims = self._centres.shape[1]
        grid = tuple(np.linspace(-4, 4, 14))
        self.parameters = [Parameter(InverseGamma(2, 2), grid)] * (self.n_dims - 1)
        self.log_integral = float(logsumexp(self._log_masses))

    def _parts(self, u):
        away = u - self._centres
        scale = 0.5 * self.n_dims * np.log(self._precision / (2 * np.pi))
        return self._log_masses + scale - 0.5 * self._precision * (away**2).sum(axis=1), away

    def value(self, u):
        self.n_evaluations += 1
        return float(logsumexp(self._parts(u)[0]))

    def gradient(self, u):
        value, gradient, _ = self.hessian(u)
        return value, gradient

    def hessian(self, u):
        self.n_evaluations += 1
        parts, away = self._parts(u)
        value = logsumexp(parts)
        share = np.exp(parts - value)
        slopes = -self._precision * away
        gradient = share @ slopes
        hessian = (slopes.T * share) @ slopes - np.outer(gradient, gradient)
        return float(value), gradient, hessian - self._precision * np.eye(self.n_dims)

    def leave_one_out(self, u):
        raise NotImplementedError("it has no rows")


def two_parent_data(n=40, seed=3):
    """A node and two standardised parents, one of them without effect."""
    rng = np.random.default_rng(seed)
    parents = rng.standard_normal((n, 2))
    x = np.sin(2 * parents[:, 0]) + 0.4 * rng.standard_normal(n)
    table = np.column_stack([x, parents])
    table = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    return table[:, 0], table[:, 1:]
