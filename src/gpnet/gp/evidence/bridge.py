"""The paper's route: NUTS draws of the hyperparameters, then bridge sampling.

Meng & Wong's (1996) optimal bridge between the posterior and a normal distribution with its first
two moments; error after Fruehwirth-Schnatter (2004).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

from gpnet.common.types import Floats
from gpnet.gp import nuts
from gpnet.gp.evidence.base import Evidence, EvidenceMethod
from gpnet.gp.modes import Mode
from gpnet.gp.target import Target


@dataclass(frozen=True)
class Bridge(EvidenceMethod):
    """N1 = N2 = n_draws; as many draws again give the moments, so that both are independent."""

    n_draws: int = 300
    n_chains: int = 4
    n_warmup: int = 100
    thinning: int = (
        5  # every fifth state is kept: 300 draws then have an effective size of nearly 300
    )

    def estimate(self, target: Target, modes: list[Mode], seed: Sequence[int]) -> Evidence:
        """Mu is integrated out already; the paper's Theta less mu is exp(u)."""
        rng = np.random.default_rng(seed)
        chains = self._draw(target, modes, rng)
        n_moments = chains.shape[1] // 2
        moments = chains[:, :n_moments].reshape(-1, target.n_dims)
        chains = chains[:, n_moments:]
        proposal = _Normal(moments.mean(axis=0), np.cov(moments.T))
        draws, proposed = chains.reshape(-1, target.n_dims), proposal.draw(self.n_draws, rng)
        # l = log target - log proposal, at draws of either
        l_draws = target.values(draws) - proposal.log_density(draws)
        l_proposed = target.values(proposed) - proposal.log_density(proposed)
        n_effective = _effective_draws(l_draws.reshape(chains.shape[:2]))
        value = meng_wong(l_draws, l_proposed, n_effective)
        std_error = _relative_error(l_draws - value, l_proposed - value, n_effective)
        return Evidence(
            value=value,
            std_error=std_error,
            method="bridge",
            n_evaluations=target.n_evaluations,
            n_modes=len(modes),
            mode=tuple(modes[0].u),
            ess=n_effective,
            cut=modes[0].cut,
            warnings=modes[0].warnings + _warnings(chains, modes, n_effective),
        )

    def _draw(self, target: Target, modes: list[Mode], rng: np.random.Generator) -> Floats:
        """Chains (C, 2 n_draws / C, d), each started at a mode drawn by its Laplace evidence."""
        log_masses = np.array([mode.log_laplace for mode in modes])
        weights = np.exp(log_masses - logsumexp(log_masses))
        per_chain = -(-2 * self.n_draws // self.n_chains)
        chains = []
        for child in rng.spawn(self.n_chains):
            mode = modes[child.choice(len(modes), p=weights)]
            axes = _whitening(mode)

            def whitened(z: Floats, mode: Mode = mode, axes: Floats = axes) -> tuple[float, Floats]:
                value, gradient = target.gradient(mode.u + axes @ z)
                return value, axes.T @ gradient

            start = child.standard_normal(target.n_dims) / 2
            n_states = self.thinning * per_chain
            z = nuts.sample(whitened, start, n_warmup=self.n_warmup, n_draws=n_states, rng=child)
            chains.append(mode.u + z[:: self.thinning] @ axes.T)
        return np.stack(chains)


class _Normal:
    """N(mean, covariance)."""

    def __init__(self, mean: Floats, covariance: Floats):
        self._mean, self._factor = mean, np.linalg.cholesky(covariance)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        return self._mean + rng.standard_normal((n, len(self._mean))) @ self._factor.T

    def log_density(self, points: Floats) -> Floats:
        z = np.linalg.solve(self._factor, (points - self._mean).T)
        log_scale = np.log(self._factor.diagonal()).sum() + len(z) / 2 * np.log(2 * np.pi)
        return np.asarray(-0.5 * (z**2).sum(axis=0) - log_scale)


def meng_wong(l_draws: Floats, l_proposed: Floats, n_effective: float) -> float:
    """The log evidence r that solves the optimal bridge's fixed-point equation.

    r = mean_proposed[e^l / (s1 e^l + s2 r)] / mean_draws[1 / (s1 e^l + s2 r)],
    with s1 : s2 the shares of effective draws and proposed points.
    """
    n_proposed = len(l_proposed)
    log_s1 = np.log(n_effective / (n_effective + n_proposed))
    log_s2 = np.log(n_proposed / (n_effective + n_proposed))
    value = float(np.median(l_draws))
    for _ in range(1000):  # a contraction: some ten steps are the rule
        above = logsumexp(l_proposed - np.logaddexp(log_s1 + l_proposed, log_s2 + value))
        below = logsumexp(-np.logaddexp(log_s1 + l_draws, log_s2 + value))
        previous, value = value, float(above - np.log(n_proposed) - below + np.log(len(l_draws)))
        if abs(value - previous) < 1e-10:
            break
    return value


def _relative_error(l_draws: Floats, l_proposed: Floats, n_effective: float) -> float:
    """The standard error of log r; l is centred at log r, both densities normalised."""
    n_proposed = len(l_proposed)
    log_odds = np.log(n_effective / n_proposed)
    at_proposed = expit(l_proposed + log_odds)  # share of the posterior in the mixture
    at_draws = expit(-l_draws - log_odds)
    spread_proposed = at_proposed.var() / at_proposed.mean() ** 2 / n_proposed
    spread_draws = at_draws.var() / at_draws.mean() ** 2 / n_effective
    return float(np.sqrt(spread_proposed + spread_draws))


def _effective_draws(values: Floats) -> float:
    """Effective sample size of chains (C, m), by their batch means."""
    n_chains, n_draws = values.shape
    size = max(2, int(np.sqrt(n_draws)))
    batches = values[:, : n_draws // size * size].reshape(-1, size).mean(axis=1)
    inflation = size * batches.var(ddof=1) / values.var(ddof=1)
    return float(n_chains * n_draws / max(1.0, inflation))


def _whitening(mode: Mode) -> Floats:
    precisions, vectors = np.linalg.eigh(-mode.hessian)
    return np.asarray(vectors / np.sqrt(np.maximum(precisions, 0.05)))


def _warnings(chains: Floats, modes: list[Mode], n_effective: float) -> tuple[str, ...]:
    warnings = []
    n_draws = chains.shape[0] * chains.shape[1]
    if n_effective < n_draws / 3:
        warnings.append(f"the chains mix slowly: {n_effective:.0f} effective of {n_draws} draws")
    if len(modes) > 1:
        warnings.append(
            f"{len(modes)} modes: chains may not cross between them as often as they should; "
            "compare with qmc"
        )
    return tuple(warnings)
