"""Curves that are small against the noise: of a fixed amplitude and lengthscale, in closed form.

A weak curve does not tell its lengthscale, so that there is little to integrate over: with both
fixed, the evidence is that of a linear model whose columns are the curve's own features. The curve
of a parent is f(z) = a k(z, g) L^-T w with w ~ N(0, I), where k is the squared exponential kernel,
g are even knots and L L' = k(g, g): all but exactly a Gaussian process of variance a^2 between the
knots, and nothing far beyond them.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.linalg import solve_triangular

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.functions import Domain, DrawnFunctions
from gpnet.gp.linear import LinearModel, corners
from gpnet.gp.priors import Hyperpriors

SPACING: Final = 0.75  # of knots, in lengthscales: a thousandth of the variance is lost at most
FARTHEST_KNOT: Final = 4.0  # in standard deviations: few rows lie beyond, whatever the column


class WeakCurves(LinearModel):
    """A standardised table (N, n); a level of a categorical parent does as much as a curve."""

    def __init__(
        self,
        values: Floats,
        amplitude: float,
        lengthscale: float,
        hyperpriors: Hyperpriors,
        categorical: frozenset[Node] = frozenset(),
    ) -> None:
        self._lengthscale = lengthscale
        self._knots = [knots(z, lengthscale) for z in values.T]
        super().__init__(values, amplitude**2, hyperpriors, categorical)

    def _n_columns(self, parent: Node) -> int:
        return len(self._levels.get(parent, self._knots[parent]))

    def _stands_for(self, parent: Node, z: Floats) -> Floats:
        if parent in self._levels:
            return np.asarray(self._slope_sd * corners(z, self._levels[parent]))
        return self._slope_sd * features(z, self._knots[parent], self._lengthscale)

    def _start(self, rest: Floats, square: float) -> Floats:
        """All of it: so many features could explain everything, but not with small weights."""
        return np.full(len(rest), square)

    def functions(
        self,
        node: Node,
        parents: Parents,
        domains: Sequence[Domain],
        n: int,
        rng: np.random.Generator,
    ) -> DrawnFunctions:
        """n draws of all curves at once."""
        w = self._draw_weights(node, parents, n, rng)
        heights, start = [], 1
        for parent, domain in zip(parents, domains, strict=True):
            own = w[:, start : start + self._n_columns(parent)]
            start += own.shape[1]
            heights.append(own @ self._at(parent, domain.points).T)
        constant, straight = self._mean.mean + self._mean.sd * w[:, 0], np.zeros(n, dtype=bool)
        return DrawnFunctions(parents, tuple(domains), constant, tuple(heights), straight)


def knots(z: Floats, lengthscale: float) -> Floats:
    """(m,): as far as the values reach, or FARTHEST_KNOT."""
    step = SPACING * lengthscale
    ends = np.clip([z.min(), z.max()], -FARTHEST_KNOT, FARTHEST_KNOT) / step
    return step * np.arange(np.floor(ends[0]), np.ceil(ends[1]) + 1)


def features(z: Floats, at: Floats, lengthscale: float) -> Floats:
    """(N, m): columns whose products are the kernel, as far as the knots (m,) tell."""
    lower = np.linalg.cholesky(_kernel(at, at, lengthscale))
    return np.asarray(solve_triangular(lower, _kernel(at, z, lengthscale), lower=True).T)


def _kernel(one: Floats, other: Floats, lengthscale: float) -> Floats:
    return np.asarray(np.exp(-0.5 * ((one[:, None] - other) / lengthscale) ** 2))
