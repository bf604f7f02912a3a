"""The additive kernel (paper.tex, label addkernel)."""

from dataclasses import dataclass, field

import numpy as np

from gpnet.gp.components.base import Component
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.kernels.base import Covariance, Kernel
from gpnet.gp.priors import Hyperpriors, InverseGamma
from gpnet.types import Floats


@dataclass(frozen=True)
class Additive(Kernel):
    """K = sum_i k(z_i, z_i'; theta_i), u = (log theta_1, ..., log theta_p)."""

    component: Component = field(default_factory=SquaredExponential)

    def priors(self, n_parents: int, hyperpriors: Hyperpriors) -> list[InverseGamma]:
        """One lengthscale a parent."""
        return [hyperpriors.lengthscale] * n_parents

    def covariance(self, parents: Floats, u: Floats, order: int) -> Covariance:
        """Only the diagonal second derivatives differ from zero."""
        n, p = parents.shape
        value = np.zeros((n, n))
        first, diagonal = [], []
        for i in range(p):
            layers = self.component.gram(parents[:, i], float(u[i]), order)
            value += layers[0]
            if order >= 1:
                first.append(layers[1])
            if order >= 2:
                diagonal.append((i, i, layers[2]))
        return Covariance(value, first, iter(diagonal))
