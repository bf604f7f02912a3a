"""Hyperpriors: the distributions of lengthscales, noise, amplitudes and mean; arrays only.

Every positive parameter is handled by its logarithm u. ``log_density`` is the density *of u*:
the Jacobian is inside, so a mode or an integral over u needs no correction.
"""

from dataclasses import dataclass, field
from math import lgamma, log

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats

WIDEST = 1000.0  # sd of the mean's prior; beyond this its covariance drowns all others


@dataclass(frozen=True)
class InverseGamma:
    """InvGamma(shape, scale) on a positive parameter exp(u).

    log p(u) = a log b - lgamma(a) - a u - b e^{-u}
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        if not (0 < self.shape < np.inf and 0 < self.scale < np.inf):
            raise OptionError(
                f"inverse gamma prior: shape and scale must be positive and finite, "
                f"found {self.shape:g} and {self.scale:g}"
            )

    def log_density(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        """The log density of u and its first two derivatives."""
        tail = self.scale * np.exp(-u)
        constant = self.shape * log(self.scale) - lgamma(self.shape)
        return constant - self.shape * u - tail, tail - self.shape, -tail

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Independent draws of the parameter itself, not of its logarithm."""
        return self.scale / rng.gamma(self.shape, size=size)


@dataclass(frozen=True)
class Normal:
    """N(mean, sd^2), for the mean of a node; it is integrated out exactly."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mean) and 0 <= self.sd <= WIDEST):
            raise OptionError(
                f"normal prior: mean must be finite and sd between 0 and {WIDEST:g}, as data are "
                f"standardised; found {self.mean:g} and {self.sd:g}"
            )


@dataclass(frozen=True)
class Hyperpriors:
    """The paper's choices, for standardised data; each can be replaced."""

    lengthscale: InverseGamma = field(default_factory=lambda: InverseGamma(2, 2))
    noise: InverseGamma = field(
        default_factory=lambda: InverseGamma(1, 1)
    )  # of the sd, not variance
    amplitude: InverseGamma = field(default_factory=lambda: InverseGamma(1, 1))  # tau, a variance
    mean: Normal = field(default_factory=lambda: Normal(0, 1))
