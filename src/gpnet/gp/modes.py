"""The modes of a target: Newton from several starts, and a scan that looks for more.

Several modes are the rule with Gaussian processes: smooth and wiggly explanations compete, and no
error estimate sees a mode that was missed. So every mode found is scanned along each parameter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpnet.common.errors import EvidenceError
from gpnet.common.types import Floats
from gpnet.gp.kernels.base import LENGTHSCALES
from gpnet.gp.target import Target

SIGMAS = np.log([0.1, 0.3, 0.6, 0.9])
NO_DENSITY = "the likelihood could not be computed at any start; check the priors"
ARRIVING = 0.2  # in log units: a climb this near a known mode is given up
ROUGHLY = 2.0  # nats by which an explorer may misjudge a mode
BASE_LENGTHSCALES = np.log([1.0, 0.35, 3.0])


@dataclass(frozen=True)
class Mode:
    """A local maximum u (d,) of a target, with its Hessian (d, d)."""

    u: Floats
    value: float
    hessian: Floats
    converged: bool
    log_laplace: float  # value + d/2 log 2 pi - log|-H| / 2
    clamped: bool = False  # the target still rises where the tables of the fast route end
    cut: float = 0.0  # nats that may lie beyond their end

    @property
    def warnings(self) -> tuple[str, ...]:
        """What an evidence that rests on this mode must tell."""
        told = [] if self.converged else ["Newton did not converge"]
        if self.cut > 0:
            told.append(
                "a relation that changes over shorter distances than the tables resolve may "
                f"explain more: the value may be too low by some {self.cut:.0f} nats"
            )
        return tuple(told)


def find_modes(target: Target, *, within: float = 8.0) -> list[Mode]:
    """All modes found whose Laplace evidence is within so many nats of the best, best first."""
    explorer = target.explorer()
    if explorer is target:
        return _explore(target, within)
    modes: list[Mode] = []
    for mode in _explore(explorer, within + ROUGHLY):
        _add(modes, climb(target, mode.u))
    target.n_evaluations += explorer.n_evaluations
    return _near_best(modes, within)


def _explore(target: Target, within: float) -> list[Mode]:
    modes: list[Mode] = []
    for start in _base_starts(target):
        _add(modes, climb(target, start, known=modes))
    scanned: list[Mode] = []
    # Scan the best mode not yet scanned; each better mode found is scanned in its turn.
    while len(scanned) < 2 + target.n_dims:
        fresh = [m for m in _near_best(modes, within) if not any(m is s for s in scanned)]
        if not fresh:
            break
        scanned.append(fresh[0])
        for start in _scan(target, fresh[0], modes):
            _add(modes, climb(target, start, known=modes))
    return _near_best(modes, within)


def climb(
    target: Target,
    start: Floats,
    *,
    fixed: int | None = None,
    known: Sequence[Mode] = (),
    max_steps: int = 60,
) -> Mode:
    """Newton with the exact Hessian, eigenvalues floored, inside a trust radius.

    With `fixed`, that coordinate stays where it starts. A climb that comes close to a known mode is
    given up, not converged.
    """
    u = start
    value, gradient, hessian = target.hessian(u)
    free = np.arange(len(u)) != fixed
    radius, converged = 1.0, False
    for _ in range(max_steps if np.isfinite(value) else 0):
        eigenvalues, vectors = np.linalg.eigh(-hessian[np.ix_(free, free)])
        slopes = (vectors.T @ gradient[free]) / np.maximum(np.abs(eigenvalues), 1e-2)
        step = np.zeros_like(u)
        step[free] = vectors @ slopes
        if eigenvalues[0] > 0 and gradient @ step < max(2e-8, target.noise**2):
            converged = True
            break
        step *= min(1.0, radius / np.abs(step).max())
        trial = target.hessian(u + step)
        gain = trial[0] - value
        if gain > -max(1e-10, target.noise):
            expected = gradient @ step + step @ hessian @ step / 2
            radius = min(2.0, 2 * radius) if gain > 0.75 * expected else radius
            radius = radius / 2 if gain < 0.25 * expected - target.noise else radius
            u, (value, gradient, hessian) = u + step, trial
            if any(np.abs(u - mode.u).max() < ARRIVING for mode in known):
                break
        else:
            radius = np.abs(step).max() / 4
            if radius < 1e-7:
                break
    return Mode(u, value, hessian, converged, _log_laplace(value, hessian))


def _log_laplace(value: float, hessian: Floats) -> float:
    if not np.isfinite(value):
        return -np.inf
    eigenvalues = np.maximum(np.linalg.eigvalsh(-hessian), 1e-3)
    return float(value + 0.5 * (np.log(2 * np.pi) - np.log(eigenvalues)).sum())


def _base_starts(target: Target) -> list[Floats]:
    """All lengthscales alike, at three values, each with the noise that fits it best."""
    starts = []
    for lengthscale in BASE_LENGTHSCALES:
        trials = np.zeros((len(SIGMAS), target.n_dims))
        is_lengthscale = [p.grid == LENGTHSCALES for p in target.parameters]
        trials[:, :-1] = np.where(is_lengthscale, lengthscale, 0.0)
        trials[:, -1] = SIGMAS
        starts.append(trials[np.argmax(target.values(trials))])
    return starts


def _scan(target: Target, mode: Mode, modes: list[Mode]) -> list[Floats]:
    """Starts where the profile along one parameter peaks away from the modes known.

    The noise is tried at the mode's and at smaller values: what a wigglier function would explain
    is noise at this mode.
    """
    starts = []
    for i, parameter in enumerate(target.parameters):
        grid = np.array(parameter.grid)
        trials = np.repeat(mode.u[None], 3 * len(grid), axis=0)
        trials[:, i] = np.tile(grid, 3)
        trials[:, -1] += np.repeat(np.log([1.0, 0.5, 0.2]), len(grid))
        values = target.scan(mode.u, mode.value, trials).reshape(3, len(grid))
        profile = values.max(axis=0)
        padded = np.concatenate([[-np.inf], profile, [-np.inf]])
        peaks = np.flatnonzero((profile > padded[:-2]) & (profile > padded[2:]))
        known = np.array([m.u[:-1] for m in modes])
        for peak in peaks:
            start = trials[values[:, peak].argmax() * len(grid) + peak]
            if np.abs(known - start[:-1]).max(axis=1).min() > grid[1] - grid[0]:
                starts.append(start)
    return starts


def _add(modes: list[Mode], mode: Mode) -> None:
    """Keep a mode unless it was not reached, or is known."""
    known = any(np.abs(mode.u - other.u).max() < 0.05 for other in modes)
    if np.isfinite(mode.value) and not known:
        modes.append(mode)


def _near_best(modes: list[Mode], within: float) -> list[Mode]:
    """Converged modes if there are any, else what was reached."""
    if not modes:
        raise EvidenceError(NO_DENSITY)
    usable = [m for m in modes if m.converged] or modes
    ranked = sorted(usable, key=lambda m: -m.log_laplace)
    return [m for m in ranked if m.log_laplace > ranked[0].log_laplace - within]
