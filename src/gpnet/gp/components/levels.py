"""Levels of a categorical parent, none nearer to one than to another."""

from dataclasses import dataclass
from math import exp

import numpy as np

from gpnet.common.types import Floats
from gpnet.gp.components.base import Component


@dataclass(frozen=True)
class Levels(Component):
    """k(a, b) = 1 if a = b, else exp(-d^2 / (2 theta^2)) with d^2 = 2 K / (K - 1) for K levels.

    The squared exponential between the corners of a simplex whose total variance is 1, as that of a
    standardised column: so a lengthscale means the same for both, and two levels are two numbers.
    """

    n_levels: int

    smooth = False

    @property
    def squared_distance(self) -> float:
        """d^2, between any two levels."""
        return 2 * self.n_levels / max(self.n_levels - 1, 1)

    def gram(self, z: Floats, log_lengthscale: float, order: int) -> Floats:
        """With q = d^2 / theta^2 between two levels: k = e^{-q/2}, k' = q k, k'' = q (q - 2) k."""
        q = np.where(z[:, None] == z, 0.0, self.squared_distance / exp(2 * log_lengthscale))
        k = np.exp(-q / 2)
        return np.stack([k, q * k, q * (q - 2) * k][: order + 1])
