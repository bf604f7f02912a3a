"""Draws from the posterior of the hyperparameters: where their effects are averaged over.

Importance resampling: many points from the mixture that log marginal likelihoods are computed with,
of which few are kept, as the weights say. What is done at a point costs more than its weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import softmax

from gpnet.common.types import Floats
from gpnet.gp.modes import Mode
from gpnet.gp.proposal import cover
from gpnet.gp.target import Target

N_TRIED: Final = 256
N_KEPT: Final = 40


@dataclass(frozen=True, eq=False)
class Hyperdraws:
    """Weighted points u = (log kernel parameters ..., log sigma)."""

    points: Floats  # (K, d)
    weights: Floats  # (K,), summing to 1


def draw_hyperparameters(target: Target, modes: list[Mode], seed: Sequence[int]) -> Hyperdraws:
    """At most N_KEPT different points; the same for the same seed."""
    mixture = cover(target, modes)
    points = mixture.draw(_spread(N_TRIED, target.n_dims + 1, np.random.default_rng(seed)))
    weights = softmax(target.values(points) - mixture.log_density(points))
    # Along the shortest lengthscale, which a curve depends on most: so that rough and smooth ones
    # get their share for certain, not by chance.
    order = np.argsort(points[:, :-1].min(axis=1), kind="stable")
    steps = (np.arange(N_KEPT) + 0.5) / N_KEPT
    picked = np.minimum(np.searchsorted(weights[order].cumsum(), steps), N_TRIED - 1)
    kept, times = np.unique(order[picked], return_counts=True)
    return Hyperdraws(points[kept], times / N_KEPT)


def _spread(n_points: int, n_dims: int, rng: np.random.Generator) -> Floats:
    """Points that fill the unit cube evenly: multiples of powers of 1 / g modulo 1, shifted.

    g > 1 solves g^(d + 1) = g + 1; for d = 1 it is the golden ratio.
    """
    g = 2.0
    for _ in range(60):
        g = (1 + g) ** (1 / (n_dims + 1))
    steps = g ** -np.arange(1.0, n_dims + 1)
    return np.asarray((rng.random(n_dims) + np.outer(np.arange(n_points), steps)) % 1)
