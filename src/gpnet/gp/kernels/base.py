"""What a kernel of a node must offer."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpnet.gp.priors import Hyperpriors, InverseGamma
from gpnet.types import Floats


@dataclass(frozen=True)
class Covariance:
    """K (N, N) at some parameters, with the derivatives asked for.

    `second` yields (a, b, d2K / du_a du_b) with a <= b, only where that is not zero; it is an
    iterator because all these matrices together may not fit into memory.
    """

    value: Floats
    first: list[Floats] = field(default_factory=list)
    second: Iterator[tuple[int, int, Floats]] = field(default_factory=lambda: iter(()))


class Kernel(ABC):
    """The covariance of f(Pa), as a function of a vector u of log parameters."""

    @abstractmethod
    def priors(self, n_parents: int, hyperpriors: Hyperpriors) -> list[InverseGamma]:
        """The law of each parameter, in the order of u; its length is the number of parameters."""

    @abstractmethod
    def covariance(self, parents: Floats, u: Floats, order: int) -> Covariance:
        """K and its derivatives up to `order` (0, 1 or 2) for the columns of parents (N, p)."""
