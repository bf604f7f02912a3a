"""The default: importance sampling by randomised quasi Monte Carlo from a mixture of split-t laws.

Independent scramblings of a Sobol sequence give independent, unbiased estimates; their spread is
the standard error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from gpnet.gp.evidence.base import Evidence, EvidenceMethod
from gpnet.gp.likelihood import Target
from gpnet.gp.modes import Mode, find_modes
from gpnet.gp.proposal import cover
from gpnet.types import Floats
from gpnet.weights import effective_sample_size, pareto_k


@dataclass(frozen=True)
class Qmc(EvidenceMethod):
    """Doubles the number of points until the standard error meets its target."""

    target_error: float = 0.02
    n_scrambles: int = 16
    max_values: int = 2**15

    def estimate(self, target: Target, rng: np.random.Generator) -> Evidence:
        """S = mean of exp(f(u) - log q(u)) for u from the mixture q."""
        modes = find_modes(target)
        mixture = cover(target, modes)
        engines = _scrambled_sobol(mixture.n_uniforms, rng.spawn(self.n_scrambles))
        log_weights = np.empty((self.n_scrambles, 0))
        while True:
            n_more = max(16, log_weights.shape[1])  # points a scramble: each round doubles them
            uniforms = np.concatenate([engine.random(n_more) for engine in engines])
            points = mixture.draw(uniforms)
            fresh = target.values(points) - mixture.log_density(points)
            log_weights = np.hstack([log_weights, fresh.reshape(self.n_scrambles, -1)])
            value, std_error = _combine(log_weights)
            if std_error <= self.target_error or 2 * log_weights.size > self.max_values:
                break
        khat = pareto_k(log_weights.ravel())
        return Evidence(
            value=value,
            std_error=std_error,
            method="qmc",
            n_evaluations=target.n_evaluations,
            n_modes=len(modes),
            khat=khat,
            ess=effective_sample_size(log_weights.ravel()),
            warnings=self._warnings(std_error, khat, modes),
        )

    def _warnings(self, std_error: float, khat: float, modes: list[Mode]) -> tuple[str, ...]:
        warnings = []
        if not std_error <= self.target_error:
            warnings.append(
                f"standard error {std_error:.3f} misses its target {self.target_error:g} "
                f"after {self.max_values} values"
            )
        if khat > 0.7:
            warnings.append(f"heavy-tailed importance weights (k-hat {khat:.2f})")
        if not modes[0].converged:
            warnings.append("Newton did not converge")
        return tuple(warnings)


def _scrambled_sobol(n_dims: int, rngs: list[np.random.Generator]) -> list[Any]:
    # scipy.stats takes half a second to import; only this line needs it.
    from scipy.stats import qmc

    return [qmc.Sobol(n_dims, rng=rng) for rng in rngs]


def _combine(log_weights: Floats) -> tuple[float, float]:
    """log S over all scrambles (R, m), and its standard error by their spread."""
    n_scrambles, n_points = log_weights.shape
    log_estimates = logsumexp(log_weights, axis=1) - np.log(n_points)
    value = logsumexp(log_estimates) - np.log(n_scrambles)
    ratios = np.exp(log_estimates - value)
    # The spread of R values is itself uncertain: this factor gives z the variance of a normal's.
    small_sample = np.sqrt((n_scrambles - 1) / (n_scrambles - 3))
    return float(value), float(small_sample * ratios.std(ddof=1) / np.sqrt(n_scrambles))
