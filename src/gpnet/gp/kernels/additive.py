"""The additive kernel (paper.tex, label addkernel), and what each parent may have besides."""

from dataclasses import dataclass, field
from math import exp

import numpy as np

from gpnet.common.types import Floats
from gpnet.gp.components.base import Component
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.kernels.base import Covariance, Kernel, Parameter, Term, lengthscale, variance
from gpnet.gp.priors import Hyperpriors


@dataclass(frozen=True)
class Additive(Kernel):
    """K = sum_i [e^a_i k(z_i, z_i'; theta_i) + line e^v_i z_i z_i'].

    For each parent u holds log theta, then a where there is an amplitude, then v where the
    variance of the linear part is a parameter. The paper's kernel has the first alone.
    """

    component: Component = field(default_factory=SquaredExponential)
    amplitude: bool = False
    line: float = 0.0  # variance of a linear part, 0 for none
    line_parameter: bool = False

    @property
    def n_each(self) -> int:
        """Parameters of one parent."""
        return 1 + self.amplitude + self.line_parameter

    def parameters(self, n_parents: int, hyperpriors: Hyperpriors) -> list[Parameter]:
        """Parent by parent."""
        each = [lengthscale(hyperpriors)] + [variance(hyperpriors)] * (self.n_each - 1)
        return each * n_parents

    def covariance(self, parents: Floats, u: Floats, order: int) -> Covariance:
        """Second derivatives differ from zero only among the parameters of one parent."""
        n, p = parents.shape
        value = np.zeros((n, n))
        first: list[Floats] = []
        second: list[tuple[int, int, Floats]] = []
        for i in range(p):
            own = self._one_parent(parents[:, i], u[i * self.n_each :], order)
            value += own.value
            at = len(first)
            first += own.first
            second += [(at + a, at + b, matrix) for a, b, matrix in own.second]
        return Covariance(value, first, iter(second))

    def _one_parent(self, z: Floats, u: Floats, order: int) -> Covariance:
        k = self.component.gram(z, float(u[0]), order)
        if self.amplitude:
            k = exp(u[1]) * k
        value, first, second = k[0], list(k[1:2]), [(0, 0, m) for m in k[2:]]
        if self.amplitude and order >= 1:
            first.append(k[0])
            second += [(0, 1, k[1]), (1, 1, k[0])]
        if self.line:
            last = self.n_each - 1
            scale = self.line * (exp(u[last]) if self.line_parameter else 1.0)
            straight = scale * np.outer(z, z)
            value = value + straight
            if self.line_parameter and order >= 1:
                first.append(straight)
                second.append((last, last, straight))
        return Covariance(value, first, iter(second))

    def part(self, parents: Floats, u: Floats, i: int, grid: Floats) -> tuple[Floats, Floats]:
        """Parts are independent of each other."""
        z = np.concatenate([grid, parents[:, i]])
        own = self._one_parent(z, u[i * self.n_each :], 0).value
        return own, own[:, len(grid) :]

    def terms(self, n_parents: int, u: Floats) -> list[Term]:
        """A curve of each parent, and a line where there is one."""
        found = []
        for i in range(n_parents):
            own = u[i * self.n_each : (i + 1) * self.n_each]
            found.append(Term((i,), (float(own[0]),), exp(own[1]) if self.amplitude else 1.0))
            if self.line:
                scale = self.line * (exp(own[-1]) if self.line_parameter else 1.0)
                found.append(Term((i,), (None,), scale))
        return found
