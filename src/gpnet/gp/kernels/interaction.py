"""The additive kernel with all first-order interactions (paper.tex, label intkernel): GP^2."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import exp

import numpy as np

from gpnet.common.types import Floats
from gpnet.gp.components.base import Component
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.kernels.base import Covariance, Kernel, Parameter, Term, lengthscale, variance
from gpnet.gp.priors import Hyperpriors


@dataclass(frozen=True)
class Interaction(Kernel):
    """K = tau1 sum_i k_i + tau2 sum_{i<j} k_i k_j, u = (log theta_1..p, log tau1, log tau2).

    With one parent there is no pair, and no tau2.
    """

    component: Component = field(default_factory=SquaredExponential)

    def parameters(self, n_parents: int, hyperpriors: Hyperpriors) -> list[Parameter]:
        """A lengthscale a parent, then the two amplitudes."""
        lengthscales = [lengthscale(hyperpriors)] * n_parents
        return lengthscales + [variance(hyperpriors)] * min(n_parents, 2)

    def covariance(self, parents: Floats, u: Floats, order: int) -> Covariance:
        """See `_second` for the formulae of the second derivatives."""
        p = parents.shape[1]
        k = np.stack([self.component.gram(parents[:, i], float(u[i]), order) for i in range(p)])
        tau1, tau2 = exp(u[p]), exp(u[p + 1]) if p > 1 else 0.0
        main = k[:, 0].sum(axis=0)
        pairs = (main**2 - (k[:, 0] ** 2).sum(axis=0)) / 2  # sum over i < j of k_i k_j
        first = []
        if order >= 1:
            # dK/du_i = k_i' (tau1 + tau2 sum_{j != i} k_j)
            first = [k[i, 1] * (tau1 + tau2 * (main - k[i, 0])) for i in range(p)]
            first += [tau1 * main, tau2 * pairs][: min(p, 2)]
        second = self._second(k, tau1, tau2) if order >= 2 else iter(())
        return Covariance(tau1 * main + tau2 * pairs, first, second)

    @staticmethod
    def _second(k: Floats, tau1: float, tau2: float) -> Iterator[tuple[int, int, Floats]]:
        p = len(k)
        main = k[:, 0].sum(axis=0)
        for i in range(p):
            others = main - k[i, 0]
            yield i, i, k[i, 2] * (tau1 + tau2 * others)
            yield i, p, tau1 * k[i, 1]
            if p > 1:
                yield i, p + 1, tau2 * k[i, 1] * others
            for j in range(i + 1, p):
                yield i, j, tau2 * k[i, 1] * k[j, 1]
        yield p, p, tau1 * main
        if p > 1:
            yield p + 1, p + 1, tau2 * (main**2 - (k[:, 0] ** 2).sum(axis=0)) / 2

    def part(self, parents: Floats, u: Floats, i: int, grid: Floats) -> tuple[Floats, Floats]:
        """The mean over the rows of the other parents, as pairs hold effects of each alone too.

        f_i(z) + sum_j mean_r f_ij(z, z_rj): its covariance is k_i (tau1 + tau2 sum_j mean_rs k_j),
        with the rows r it is k_i (tau1 + tau2 sum_j mean_s k_j(z_sj, z_rj)).
        """
        p, n = parents.shape[1], len(grid)
        k = self.component.gram(np.concatenate([grid, parents[:, i]]), float(u[i]), 0)[0]
        tau1, tau2 = exp(u[p]), exp(u[p + 1]) if p > 1 else 0.0
        others = np.zeros(len(parents))
        for j in range(p):
            if j != i:
                others += self.component.gram(parents[:, j], float(u[j]), 0)[0].mean(axis=0)
        return k * (tau1 + tau2 * others.mean()), k[:, n:] * (tau1 + tau2 * others)

    def terms(self, n_parents: int, u: Floats) -> list[Term]:
        """Each parent, then each pair."""
        p = n_parents
        each = [Term((i,), (float(u[i]),), exp(u[p])) for i in range(p)]
        return each + [
            Term((i, j), (float(u[i]), float(u[j])), exp(u[p + 1]))
            for i, j in combinations(range(p), 2)
        ]
