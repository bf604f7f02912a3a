"""Matern 5/2: functions with two derivatives, rougher than the squared exponential's."""

from dataclasses import dataclass
from math import exp

import numpy as np

from gpnet.common.types import Floats
from gpnet.gp.components.base import Component


@dataclass(frozen=True)
class Matern52(Component):
    """k(z, z') = (1 + q + q^2 / 3) e^{-q} with q = sqrt(5) |z - z'| / theta."""

    smooth = False

    def gram(self, z: Floats, log_lengthscale: float, order: int) -> Floats:
        """k' = q^2 (1 + q) e^{-q} / 3,  k'' = (q^4 - 2 q^3 - 2 q^2) e^{-q} / 3."""
        q = np.sqrt(5) / exp(log_lengthscale) * np.abs(z[:, None] - z)
        decay = np.exp(-q)
        layers = [(1 + q + q**2 / 3) * decay]
        if order >= 1:
            layers.append(q**2 * (1 + q) * decay / 3)
        if order >= 2:
            layers.append((q**4 - 2 * q**3 - 2 * q**2) * decay / 3)
        return np.stack(layers)
