"""How often directions tell nothing, fitted to pairs of known order.

With q the probability that the model gives to the known order, the pair has the likelihood
(1 - kappa) q + kappa / 2. Collections differ in their kappa, and users bring one that is not among
them: kappas of collections are beta distributed, with a flat prior over the mean and the log of the
concentration. As the likelihood is linear in kappa, the best single number for a new collection is
the predictive mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import logsumexp
from scipy.stats import beta

from gpnet.common.types import Floats

GRID: Final = (np.arange(200) + 0.5) / 200  # of kappa
MEANS: Final = (np.arange(40) + 0.5) / 40
CONCENTRATIONS: Final = 2.0 ** np.arange(0, 7)


@dataclass(frozen=True)
class Kappa:
    """The predictive mean, its standard error, and the spread over collections."""

    mean: float
    std_error: float
    spread: float
    best: Mapping[str, float]  # of each collection, by itself


def fit(collections: Mapping[str, tuple[Floats, Floats]]) -> Kappa:
    """To (probabilities of the known order, weights) of each collection."""
    logs = {name: _log_likelihoods(q, w) for name, (q, w) in collections.items() if len(q)}
    log_posterior = np.zeros((len(MEANS), len(CONCENTRATIONS)))
    for i, mean in enumerate(MEANS):
        for j, concentration in enumerate(CONCENTRATIONS):
            density = beta.pdf(GRID, mean * concentration, (1 - mean) * concentration)
            prior = density / density.sum()
            log_posterior[i, j] = sum(logsumexp(one, b=prior) for one in logs.values())
    posterior = np.exp(log_posterior - logsumexp(log_posterior))
    mean = float((posterior * MEANS[:, None]).sum())
    of_mean = float((posterior * (MEANS[:, None] - mean) ** 2).sum())
    within = MEANS[:, None] * (1 - MEANS[:, None]) / (1 + CONCENTRATIONS)
    spread = float(np.sqrt(of_mean + (posterior * within).sum()))
    best = {name: float(GRID[one.argmax()]) for name, one in logs.items()}
    return Kappa(mean, float(np.sqrt(of_mean)), spread, best)


def _log_likelihoods(q: Floats, weights: Floats) -> Floats:
    """(GRID,): of the pairs of a collection, each as often as it weighs."""
    right = (1 - GRID[:, None]) * q + GRID[:, None] / 2
    return np.asarray(np.log(right) @ weights)
