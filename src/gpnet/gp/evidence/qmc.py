"""The default: importance sampling from a mixture of split-t densities, by randomised quasi Monte
Carlo.

Independent scramblings of a Sobol sequence give independent, unbiased estimates; their spread is
the standard error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.gp.evidence.base import Evidence, EvidenceMethod
from gpnet.gp.fast import FastTarget
from gpnet.gp.modes import Mode
from gpnet.gp.proposal import PlainCover, cover
from gpnet.gp.target import Target
from gpnet.stats.importance_weights import effective_sample_size, pareto_k

SOBOL_BITS = 30
FIRST_POINTS = 8  # of each scramble
GUESS_DEGREES = 3
LARGEST_ERROR = 0.5  # in nats: beyond it, a standard error says little


@dataclass(frozen=True)
class Qmc(EvidenceMethod):
    """Doubles the number of points until the standard error meets its target."""

    target_error: float = 0.02
    n_scrambles: int = 32
    max_values: int = 2**15

    def relaxed(self, factor: float) -> Self:
        """With another target, within reason."""
        return replace(self, target_error=min(factor * self.target_error, LARGEST_ERROR))

    def estimate(self, target: Target, modes: list[Mode], seed: Sequence[int]) -> Evidence:
        """S = mean of exp(f(u) - log q(u)) for u from the mixture q."""
        proposal = _cover(target, modes)
        n_coordinates = target.n_dims + 1
        rng = np.random.default_rng(seed)
        shifts = rng.integers(2**SOBOL_BITS, size=(self.n_scrambles, n_coordinates))
        net = _sobol(n_coordinates, self.max_values // self.n_scrambles)
        log_weights = np.empty((self.n_scrambles, 0))
        while True:
            n_old = log_weights.shape[1]
            n_all = max(FIRST_POINTS, 2 * n_old)  # of each scramble: each round doubles them
            fresh = proposal.log_weights(net[n_old:n_all], shifts, SOBOL_BITS)
            log_weights = np.hstack([log_weights, fresh])
            value, std_error = _combine(log_weights)
            if std_error <= self.target_error or 2 * log_weights.size > self.max_values:
                break
        if isinstance(proposal, _core.Cover):
            target.n_evaluations += proposal.n_evaluations
        k_hat = pareto_k(log_weights.ravel())
        return Evidence(
            value=value,
            std_error=std_error,
            method="qmc",
            n_evaluations=target.n_evaluations,
            n_modes=len(modes),
            mode=tuple(modes[0].u),
            k_hat=k_hat,
            ess=effective_sample_size(log_weights.ravel()),
            cut=modes[0].cut,
            warnings=modes[0].warnings + self._warnings(std_error, k_hat),
        )

    def _warnings(self, std_error: float, k_hat: float) -> tuple[str, ...]:
        warnings = []
        if not std_error <= self.target_error:
            warnings.append(
                f"standard error {std_error:.3f} misses its target {self.target_error:g} "
                f"after {self.max_values} values"
            )
        if k_hat > 0.7:
            warnings.append(f"heavy-tailed importance weights (k-hat {k_hat:.2f})")
        return tuple(warnings)


def _cover(target: Target, modes: list[Mode]) -> PlainCover | _core.Cover:
    """In the core where the target lives there."""
    if isinstance(target, FastTarget):
        return target.cover(modes)
    return PlainCover(target, cover(target, modes))


@lru_cache(maxsize=32)
def _sobol(n_dims: int, n_points: int) -> NDArray[np.int64]:
    """The first points of one scrambled sequence, as integers: a random shift makes it anew."""
    # scipy.stats takes half a second to import; only this line needs it.
    from scipy.stats import qmc

    points = qmc.Sobol(n_dims, bits=SOBOL_BITS, rng=np.random.default_rng(n_dims)).random(n_points)
    return np.asarray(points * 2**SOBOL_BITS, dtype=np.int64)


def _combine(log_weights: Floats) -> tuple[float, float]:
    """log S over all scrambles (R, m), and its standard error by their spread."""
    n_scrambles, n_points = log_weights.shape
    log_estimates = logsumexp(log_weights, axis=1) - np.log(n_points)
    value = logsumexp(log_estimates) - np.log(n_scrambles)
    between = np.exp(log_estimates - value).var(ddof=1) / n_scrambles
    # Few scrambles may agree by chance. Had the points been independent, the weights alone would
    # tell the error; half of that counts as a guess worth GUESS_DEGREES scrambles.
    guess = np.exp(log_weights - value).var() / log_weights.size / 4
    degrees = n_scrambles - 1
    # Divided by two less than all degrees: so z has the variance of a normal's, not of a t's.
    variance = (degrees * between + GUESS_DEGREES * guess) / (degrees + GUESS_DEGREES - 2)
    return float(value), float(np.sqrt(variance))
