"""Evidence that counts for less: Miller & Dunson's coarsened posterior, of two columns.

A model that is off by e nats a row says nothing by evidence below N e: all of it counts zeta =
1 / (1 + N e). Everywhere: log evidences (M, 3) of no edge, the true direction and the other one.
"""

import numpy as np
from scipy.special import expit, logsumexp, ndtr

from gpnet.common.types import Floats
from gpnet.data.transforms import normal_scores

N_BINS = 10  # of the distribution of residuals
DEGREE = 3  # of curves through residuals


def zeta(misfit: Floats, n_rows: Floats) -> Floats:
    """What a nat counts where the model is off by so many nats a row."""
    return 1 / (1 + n_rows * misfit)


def direction(log_evidence: Floats, zeta: Floats) -> Floats:
    """(M,): the probability of the true direction, given an edge."""
    return expit(zeta * (log_evidence[:, 1] - log_evidence[:, 2]))


def adjacency(log_evidence: Floats, zeta: Floats, penalty: float) -> Floats:
    """(M,): the probability of an edge, which costs so many nats of prior."""
    log_weights = zeta[:, None] * log_evidence - penalty * np.array([0, 1, 1])
    log_weights -= logsumexp(log_weights, axis=1, keepdims=True)
    return np.exp(log_weights[:, 1:]).sum(axis=1)


# How far the model is off, in nats a row, less what a right one would have on average


def dependence(residuals: Floats, parent: Floats) -> float:
    """Of residuals and their size on the parent; normal scores and polynomials of degree 3."""
    x = normal_scores(parent)
    basis = np.column_stack([x**k for k in range(DEGREE + 1)])
    parts = (normal_scores(residuals), normal_scores(np.abs(residuals)))
    return max(0.0, sum(_explained(part, basis) for part in parts))


def _explained(y: Floats, basis: Floats) -> float:
    """Nats a row that the basis (N, 1 + k), with a constant, explains of y."""
    left = y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
    share = left @ left / np.sum((y - y.mean()) ** 2)
    return float(-np.log(max(share, 1e-12)) / 2 - (basis.shape[1] - 1) / (2 * len(y)))


def shape(residuals: Floats) -> float:
    """Of residuals that should be standard normal: by a histogram of ten equal parts."""
    part = np.minimum((N_BINS * ndtr(residuals)).astype(int), N_BINS - 1)
    share = np.bincount(part, minlength=N_BINS) / len(residuals)
    seen = share[share > 0]
    return max(0.0, float(seen @ np.log(N_BINS * seen)) - (N_BINS - 1) / (2 * len(residuals)))
