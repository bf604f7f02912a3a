"""The squared exponential, the paper's kernel."""

from dataclasses import dataclass
from math import exp

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.gp.components.base import Component


@dataclass(frozen=True)
class SquaredExponential(Component):
    """k(z, z') = exp(-(z - z')^2 / (2 theta^2))."""

    smooth = True

    def gram(self, z: Floats, log_lengthscale: float, order: int) -> Floats:
        """With q = (z - z')^2 / theta^2: k = e^{-q/2}, k' = q k, k'' = q (q - 2) k."""
        return _core.squared_exponential_gram(z, exp(log_lengthscale), order)
