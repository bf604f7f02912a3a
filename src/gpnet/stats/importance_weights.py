"""Diagnostics of importance weights; arrays only."""

from typing import Final

import numpy as np
from scipy.special import logsumexp

from gpnet.common.types import Floats

GOOD_SHARE: Final = 0.5  # of the draws: the effective sample size of good weights
GOOD_K: Final = 0.7  # beyond it a few draws may carry all the weight


def normalised(log_weights: Floats) -> Floats:
    """Of weights that sum to 1.

    Less their largest first: log targets of a million rows are some 1e7, and rounded to 1e-9.
    """
    relative = log_weights - log_weights.max()
    return np.asarray(relative - logsumexp(relative))


def effective_sample_size(log_weights: Floats) -> float:
    """(sum w)^2 / sum w^2."""
    log_weights = log_weights - log_weights.max()
    return float(np.exp(2 * logsumexp(log_weights) - logsumexp(2 * log_weights)))


def pareto_k(log_weights: Floats) -> float:
    """Shape of the generalised Pareto distribution of the largest weights (Vehtari et al. 2024).

    Below 0.5 the weights have a finite variance, above 0.7 averages cannot be trusted. Minus
    infinity where the largest weights are all alike.
    """
    n = len(log_weights)
    n_tail = int(min(0.2 * n, 3 * np.sqrt(n)))
    if n_tail < 5:
        return float("nan")
    ordered = np.sort(np.exp(log_weights - log_weights.max()))
    excess = ordered[-n_tail:] - ordered[-n_tail - 1]
    excess = excess[excess > 0]
    return _fit_pareto_shape(excess) if len(excess) >= 5 else float("-inf")


def _fit_pareto_shape(excess: Floats) -> float:
    """Posterior mean fit of Zhang & Stephens (2009), drawn a little towards 1/2; excess ascends."""
    n = len(excess)
    n_grid = 30 + int(np.sqrt(n))
    steps = 1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    b = 1 / excess[-1] + steps / (3 * excess[int(n / 4 + 0.5) - 1])
    b = b[
        b != 0
    ]  # the exponential distribution between both kinds of tails: 0 / 0, where ties hit it
    k = -np.log1p(-b[:, None] * excess).mean(axis=1)
    log_profile = n * (np.log(b / k) + k - 1)
    weight = np.exp(log_profile - logsumexp(log_profile))
    shape = np.log1p(-(b @ weight) * excess).mean()
    return float((n * shape + 5) / (n + 10))
