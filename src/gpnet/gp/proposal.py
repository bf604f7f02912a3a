"""A mixture of split-t densities that covers a target: the proposal of importance sampling.

Each mode gives a product of t densities along the axes of its Hessian, with a scale of its own on
either side of each axis (Geweke 1989). A parent that may be switched off (a long lengthscale)
leaves a shoulder, not a mode: a long slope some nats below the top. Where the mixture would give
a scanned point too large a weight, a part is added there.
"""

from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from gpnet.common.types import Floats
from gpnet.gp.modes import Mode, climb
from gpnet.gp.target import Target

DEGREES = 4  # of freedom: tails heavier than any posterior here, quantiles in closed form
LOG_T_CONSTANT = lgamma((DEGREES + 1) / 2) - lgamma(DEGREES / 2) - 0.5 * log(DEGREES * pi)
REACHES = np.array([1.0, 1.5, 2.0, 3.0, 4.0])  # in standard deviations, where scales are taken
LEAST_WEIGHT = 0.1  # of a part in the mixture
LARGEST_RATIO = np.log(3.0)  # a scanned point may weigh so much more than the average
DEEPEST = 9.0  # nats below the best mode: what lies lower holds no mass that matters


class SplitT:
    """u = centre + C z, with z_k a t variable times a scale that depends on its sign.

    -H = E Lambda E' (Lambda floored), C = E Lambda^{-1/2};
    density prod_k t(z_k / scale) / scale / |C|.
    """

    def __init__(self, target: Target, mode: Mode, *, least_precision: float, widest: float):
        precisions, vectors = np.linalg.eigh(-mode.hessian)
        precisions = np.maximum(precisions, least_precision)
        self.log_mass = mode.value + 0.5 * (np.log(2 * np.pi) - np.log(precisions)).sum()
        self._sds = 1 / np.sqrt(precisions)
        # Each axis points where its largest entry is positive: the same axis everywhere.
        largest = np.abs(vectors).argmax(axis=0)
        self._axes = vectors * np.sign(vectors[largest, np.arange(len(largest))])
        self._centre = mode.u
        self._up = np.minimum(self._scales(target, mode, +1), widest)
        self._down = np.minimum(self._scales(target, mode, -1), widest)

    def _scales(self, target: Target, mode: Mode, side: int) -> Floats:
        """Wide enough for the fall of the target along each axis."""
        reach = side * REACHES[:, None, None] * (self._axes * self._sds).T
        points = (mode.u + reach).reshape(-1, target.n_dims)
        fall = mode.value - target.values(points).reshape(len(REACHES), -1)
        scales = REACHES[:, None] / np.sqrt(2 * np.maximum(fall, 1e-3))
        return np.asarray(np.maximum(scales.max(axis=0), 0.3))

    def draw(self, uniforms: Floats) -> Floats:
        """Points (m, d) from uniforms (m, d)."""
        z = t4_quantile(np.clip(uniforms, 1e-12, 1 - 1e-12))
        z *= np.where(z > 0, self._up, self._down)
        return np.asarray(self._centre + (z * self._sds) @ self._axes.T)

    def log_density(self, points: Floats) -> Floats:
        """At points (m, d)."""
        z = (points - self._centre) @ self._axes / self._sds
        scales = np.where(z > 0, self._up, self._down)
        kernel = LOG_T_CONSTANT - (DEGREES + 1) / 2 * np.log1p((z / scales) ** 2 / DEGREES)
        return np.asarray((kernel - np.log(scales * self._sds)).sum(axis=1))


def t4_quantile(p: Floats) -> Floats:
    """Of the t distribution with 4 degrees of freedom (Shaw 2006)."""
    root = 2 * np.sqrt(p * (1 - p))
    q = np.cos(np.arccos(np.minimum(root, 1)) / 3) / root
    return np.asarray(np.copysign(2 * np.sqrt(np.maximum(q - 1, 0)), p - 0.5))


@dataclass(frozen=True)
class Mixture:
    """Parts with weights by their Laplace mass, small ones raised to a least weight."""

    parts: list[SplitT]

    @cached_property
    def weights(self) -> Floats:
        """One for each part."""
        log_masses = np.array([part.log_mass for part in self.parts])
        weights = np.maximum(np.exp(log_masses - logsumexp(log_masses)), LEAST_WEIGHT)
        return np.asarray(weights / weights.sum())

    def draw(self, uniforms: Floats) -> Floats:
        """Points (m, d) from uniforms (m, d + 1): the first chooses the part."""
        choice = np.searchsorted(self.weights.cumsum()[:-1], uniforms[:, 0], side="right")
        points = np.empty((len(uniforms), uniforms.shape[1] - 1))
        for k, part in enumerate(self.parts):
            points[choice == k] = part.draw(uniforms[choice == k, 1:])
        return points

    def log_density(self, points: Floats) -> Floats:
        """At points (m, d)."""
        densities = [part.log_density(points) for part in self.parts]
        return np.asarray(logsumexp(np.log(self.weights)[:, None] + densities, axis=0))


@dataclass(frozen=True)
class PlainCover:
    """Importance sampling from a mixture in NumPy; the core's Cover is the same in C++."""

    target: Target
    mixture: Mixture

    def log_weights(self, net: NDArray[np.int64], shifts: NDArray[np.int64], n_bits: int) -> Floats:
        """(R, m): of a digital net (m, d + 1) under shifts (R, d + 1)."""
        bits = net ^ shifts[:, None]
        uniforms = (bits.reshape(-1, net.shape[1]) + 0.5) / 2**n_bits
        points = self.mixture.draw(uniforms)
        log_weights = self.target.values(points) - self.mixture.log_density(points)
        return log_weights.reshape(len(shifts), len(net))


def cover(target: Target, modes: list[Mode]) -> Mixture:
    """Parts at all modes, then at the shoulders that these leave uncovered."""
    mixture = Mixture([SplitT(target, m, least_precision=0.05, widest=4.0) for m in modes])
    for mode in modes:
        for axis in range(target.n_dims - 1):
            shoulder = _shoulder(target, mode, mixture, axis)
            if shoulder is not None:
                part = SplitT(target, shoulder, least_precision=1.0, widest=2.0)
                mixture = Mixture([*mixture.parts, part])
    return mixture


def _shoulder(target: Target, mode: Mode, mixture: Mixture, axis: int) -> Mode | None:
    """The scanned point most in need of cover, climbed to the top of its slice; None if covered."""
    grid = target.parameters[axis].grid
    points = np.repeat(mode.u[None], len(grid), axis=0)
    points[:, axis] = grid
    values = target.values(points)
    log_weights = values - mixture.log_density(points)
    average = logsumexp([part.log_mass for part in mixture.parts])
    log_weights[values < mode.value - DEEPEST] = -np.inf
    worst = int(log_weights.argmax())
    if log_weights[worst] < average + LARGEST_RATIO:
        return None
    return climb(target, points[worst], fixed=axis)
