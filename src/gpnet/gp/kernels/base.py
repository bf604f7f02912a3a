"""What a kernel of a node must offer."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats
from gpnet.gp.components.base import Component
from gpnet.gp.priors import Hyperpriors, InverseGamma


@dataclass(frozen=True)
class Covariance:
    """K (N, N) at some parameters, with the derivatives asked for.

    `second` yields (a, b, d2K / du_a du_b) with a <= b, only where that is not zero; it is an
    iterator because all these matrices together may not fit into memory.
    """

    value: Floats
    first: list[Floats] = field(default_factory=list)
    second: Iterator[tuple[int, int, Floats]] = field(default_factory=lambda: iter(()))


@dataclass(frozen=True)
class Parameter:
    """One entry of u: the distribution of exp(u), and values worth a look when modes are sought."""

    prior: InverseGamma
    grid: tuple[float, ...]  # of u


def lengthscale(hyperpriors: Hyperpriors) -> Parameter:
    """A parameter in the units of a parent."""
    return Parameter(hyperpriors.lengthscale, LENGTHSCALES)


def variance(hyperpriors: Hyperpriors) -> Parameter:
    """An amplitude."""
    return Parameter(hyperpriors.amplitude, VARIANCES)


LENGTHSCALES = tuple(np.log(np.geomspace(0.06, 20, 14)))
VARIANCES = tuple(np.log([0.1, 0.3, 1.0, 3.0, 10.0]))


class Term(NamedTuple):
    """variance x the product of one-dimensional kernels of some parents."""

    places: tuple[int, ...]  # one parent, or two
    log_lengthscales: tuple[float | None, ...]  # None for a straight line
    variance: float


class Kernel(ABC):
    """The covariance of f(Pa), as a function of a vector u of log parameters."""

    component: Component  # of each parent

    @abstractmethod
    def parameters(self, n_parents: int, hyperpriors: Hyperpriors) -> list[Parameter]:
        """The entries of u, in order."""

    def priors(self, n_parents: int, hyperpriors: Hyperpriors) -> list[InverseGamma]:
        """The prior of each parameter."""
        return [parameter.prior for parameter in self.parameters(n_parents, hyperpriors)]

    @abstractmethod
    def covariance(self, parents: Floats, u: Floats, order: int) -> Covariance:
        """K and its derivatives up to `order` (0, 1 or 2) for the columns of parents (N, p)."""

    @abstractmethod
    def part(self, parents: Floats, u: Floats, i: int, grid: Floats) -> tuple[Floats, Floats]:
        """What parent i does by itself, at the G values of a grid and then at its N rows.

        Its own covariance (G + N, G + N), and that with the function of all parents in the rows
        (G + N, N).
        """

    def terms(self, n_parents: int, u: Floats) -> list[Term]:
        """The covariance as a sum of products: what functions are drawn from."""
        raise OptionError(f"kernel: {type(self).__name__} has no terms to draw functions from")
