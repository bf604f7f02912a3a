"""What a one-dimensional kernel must offer."""

from abc import ABC, abstractmethod
from typing import ClassVar

from gpnet.common.types import Floats


class Component(ABC):
    """k(z, z'; lengthscale) with unit variance, for one parent."""

    smooth: ClassVar[bool]  # analytic in z - z', so that few nodes interpolate it

    @abstractmethod
    def gram(self, z: Floats, log_lengthscale: float, order: int) -> Floats:
        """The Gram matrix (N, N) and its derivatives in the log lengthscale: (order + 1, N, N)."""
