"""The no-U-turn sampler (Hoffman & Gelman 2014, with Betancourt's multinomial trajectories).

Few dimensions, exact gradients, and a mode with its Hessian at hand: the space is whitened by
that Hessian, so that only the step size is left to adapt.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpnet.common.types import Floats

LogDensity = Callable[[Floats], tuple[float, Floats]]  # value and gradient
MAX_DEPTH = 8
LARGEST_LOSS = 1000.0  # an energy error beyond this is a divergence


@dataclass(frozen=True)
class _State:
    """A point of a trajectory: position, momentum, log density and its gradient."""

    q: Floats
    p: Floats
    value: float
    gradient: Floats

    @property
    def log_joint(self) -> float:
        return float(self.value - self.p @ self.p / 2)


@dataclass(frozen=True)
class _Tree:
    """A stretch of trajectory: its ends, one of its states drawn by weight, and totals."""

    left: _State
    right: _State
    chosen: _State
    log_weight: float
    going: bool  # neither turned back nor diverged
    acceptance: float  # summed over its states
    n_states: int


def sample(
    log_density: LogDensity, start: Floats, *, n_warmup: int, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Draws (n_draws, d) of one chain; the step size is adapted during the warm-up alone."""
    value, gradient = log_density(start)
    state = _State(start, np.zeros_like(start), value, gradient)
    adaptation, step = _DualAveraging(1.0), 1.0
    draws = np.empty((n_draws, len(start)))
    with np.errstate(over="ignore", invalid="ignore"):  # what diverges may overflow on its way
        for _ in range(n_warmup):
            state, acceptance = _transition(log_density, state, step, rng)
            step = adaptation.update(acceptance)
        for i in range(n_draws):
            state, _ = _transition(log_density, state, adaptation.final, rng)
            draws[i] = state.q
    return draws


def _transition(
    log_density: LogDensity, state: _State, step: float, rng: np.random.Generator
) -> tuple[_State, float]:
    """One new state, and the mean acceptance over the trajectory that led to it."""
    state = _State(state.q, rng.standard_normal(len(state.q)), state.value, state.gradient)
    start = state.log_joint
    tree = _Tree(state, state, state, 0.0, True, 0.0, 0)
    for depth in range(MAX_DEPTH):
        forward = rng.random() < 0.5
        edge = tree.right if forward else tree.left
        signed = step if forward else -step
        branch = _grow(log_density, edge, signed, depth, start, rng)
        tree = _join(tree, branch, forward, rng, biased=True)
        if not tree.going:
            break
    return tree.chosen, tree.acceptance / tree.n_states


def _grow(
    log_density: LogDensity,
    edge: _State,
    step: float,
    depth: int,
    start: float,
    rng: np.random.Generator,
) -> _Tree:
    """A tree of 2^depth leapfrog steps beyond the edge."""
    if depth == 0:
        state = _leapfrog(log_density, edge, step)
        gain = state.log_joint - start
        gain = gain if np.isfinite(gain) else -np.inf
        return _Tree(
            state, state, state, gain, gain > -LARGEST_LOSS, float(np.exp(min(0.0, gain))), 1
        )
    inner = _grow(log_density, edge, step, depth - 1, start, rng)
    if not inner.going:
        return inner
    outer_edge = inner.right if step > 0 else inner.left
    outer = _grow(log_density, outer_edge, step, depth - 1, start, rng)
    return _join(inner, outer, step > 0, rng, biased=False)


def _join(
    old: _Tree, new: _Tree, forward: bool, rng: np.random.Generator, *, biased: bool
) -> _Tree:
    """Both stretches as one; `biased` favours the newer one, which moves further."""
    left, right = (old.left, new.right) if forward else (new.left, old.right)
    log_weight = float(np.logaddexp(old.log_weight, new.log_weight))
    odds = new.log_weight - (old.log_weight if biased else log_weight)
    take = new.going and np.log(rng.random()) < odds
    return _Tree(
        left,
        right,
        new.chosen if take else old.chosen,
        log_weight,
        old.going and new.going and not _turned(left, right),
        old.acceptance + new.acceptance,
        old.n_states + new.n_states,
    )


def _turned(left: _State, right: _State) -> bool:
    span = right.q - left.q
    return bool(span @ left.p < 0 or span @ right.p < 0)


def _leapfrog(log_density: LogDensity, state: _State, step: float) -> _State:
    p = state.p + step / 2 * state.gradient
    q = state.q + step * p
    value, gradient = log_density(q)
    return _State(q, p + step / 2 * gradient, value, gradient)


class _DualAveraging:
    """Nesterov's scheme for the log step size (Hoffman & Gelman 2014, section 3.2)."""

    def __init__(self, step: float, target: float = 0.8):
        self._target = target
        self._centre = np.log(10 * step)
        self._error = 0.0
        self._log_average = 0.0
        self._n = 0

    def update(self, acceptance: float) -> float:
        """The step size to try next."""
        self._n += 1
        rate = 1 / (self._n + 10)
        self._error = (1 - rate) * self._error + rate * (self._target - acceptance)
        log_step = self._centre - np.sqrt(self._n) / 0.05 * self._error
        forget = self._n**-0.75
        self._log_average = forget * log_step + (1 - forget) * self._log_average
        return float(np.exp(log_step))

    @property
    def final(self) -> float:
        """The step size to keep."""
        return float(np.exp(self._log_average))
