"""Straight lines: the evidence of a node under Sigma = s^2 11' + v sum_i z_i z_i' + sigma^2 I.

From sufficient statistics, many parent sets of one size at once; arrays only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.curves import Curves, Places, Slopes
from gpnet.gp.functions import Domain, DrawnFunctions, lines, shares_to_counts
from gpnet.gp.priors import Hyperpriors, InverseGamma
from gpnet.gp.residuals import Residuals, residuals_of_products

LEAST_EIGENVALUE: Final = 1e-12  # of the largest eigenvalue: columns that repeat each other
LEAST_VARIANCE: Final = 1e-6  # to start from; the prior of sigma keeps away from 0
BLOCK: Final = 2**16  # rows at once
N_NEWTON: Final = 30
SMALL_STEP: Final = 1e-3  # of Newton's: the rule below need not be centred any better
# The trapezoidal rule on a smooth peak: its error falls as exp(-2 pi^2 / step^2), in widths.
STEP: Final = 0.6
REACH: Final = 9.0
STEPS: Final = np.arange(-REACH, REACH + STEP, STEP)


class LinearModel:
    """A standardised table (N, n); u = log sigma is integrated numerically, all else exactly."""

    def __init__(
        self,
        values: Floats,
        variance: float,
        hyperpriors: Hyperpriors,
        categorical: frozenset[Node] = frozenset(),  # columns whose values are levels
    ) -> None:
        self._n_rows, self._values = len(values), values
        self._noise, self._mean = hyperpriors.noise, hyperpriors.mean
        self._slope_sd = float(np.sqrt(variance))
        self._levels = {j: np.unique(values[:, j]) for j in sorted(categorical)}
        every = tuple(range(values.shape[1]))
        ends = np.cumsum([1, *(self._n_columns(j) for j in every)])
        self._columns = [tuple(range(a, b)) for a, b in pairwise(ends.tolist())]
        q, n = int(ends[-1]), len(every)
        self._sums = np.zeros(q)  # over the rows of the design, the constant first
        self._gram = np.zeros((q, q))
        self._products = np.zeros((q, n))
        self._squares = np.zeros(n)
        for start in range(0, len(values), BLOCK):  # the design itself is kept nowhere
            rows = slice(start, start + BLOCK)
            design, centred = self._design(every, rows), values[rows] - hyperpriors.mean.mean
            self._sums += design.sum(axis=0)
            self._gram += design.T @ design
            self._products += design.T @ centred
            self._squares += (centred**2).sum(axis=0)

    def _design(self, parents: Parents, rows: slice) -> Floats:
        """Some rows of the columns that stand for a constant and these parents."""
        each = [self._stands_for(j, self._values[rows, j]) for j in parents]
        n_rows = len(self._values[rows])
        return np.column_stack([np.full(n_rows, float(self._mean.sd)), *each])

    def _stands_for(self, parent: Node, z: Floats) -> Floats:
        """(N, k): the columns of the design of one parent at values z (N,)."""
        if parent not in self._levels:
            return np.asarray(self._slope_sd * z[:, None])
        return np.asarray(self._slope_sd * corners(z, self._levels[parent]))

    def _n_columns(self, parent: Node) -> int:
        """How many columns of the design stand for one parent."""
        return len(self._levels.get(parent, [0]))

    def columns_of(self, parents: Parents) -> Parents:
        """The columns of the design that stand for these parents: one each, or one for a level."""
        return tuple(column for parent in parents for column in self._columns[parent])

    def integrals(self, node: Node, column_sets: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Log of the integral of p(x | sigma) p(sigma), and log sigma at its peak, (m,) each.

        For sets (m, k) of k columns of the design, see `columns_of`.
        """
        scales, _, products = self._along_axes(node, column_sets)
        peak = self._peak(scales, products, float(self._squares[node]))
        mode, width = peak.find()
        log_values = peak.log_joint(mode[:, None] + width[:, None] * STEPS)
        return np.asarray(logsumexp(log_values, axis=1) + np.log(STEP * width)), mode

    def leave_one_out(self, node: int, parents: Parents, log_sigma: float) -> Residuals:
        """Of each row given all others, at this noise."""
        design = np.asfortranarray(self._design(parents, slice(None)))
        x = self._values[:, node] - self._mean.mean
        columns = [0, *self.columns_of(parents)]
        gram, products = self._gram[np.ix_(columns, columns)], self._products[columns, node]
        return residuals_of_products(design, x, gram, products, float(np.exp(2 * log_sigma)))

    def slopes(self, node: Node, parents: Parents) -> Slopes:
        """Of the lines of parents, at each value of the noise that the integral looks at."""
        noise = self._at_each_noise(node, self.columns_of(parents))
        mean = noise.along @ noise.axes.T
        sd = np.sqrt(noise.spread @ (noise.axes**2).T)
        level = self._mean.mean + self._mean.sd * float(noise.weights @ mean[:, 0])
        slopes = self._slope_sd * mean[:, 1:], self._slope_sd * sd[:, 1:]
        return Slopes(noise.weights, *slopes, level)

    def functions(
        self,
        node: Node,
        parents: Parents,
        domains: Sequence[Domain],
        n: int,
        rng: np.random.Generator,
    ) -> DrawnFunctions:
        """n draws of all lines at once, and of what each level does."""
        w = self._draw_weights(node, parents, n, rng)
        slopes, start = [], 1
        for parent, domain in zip(parents, domains, strict=True):
            own = w[:, start : start + len(self._columns[parent])]
            start += own.shape[1]
            slopes.append(
                own @ self._at(parent, domain.points).T
                if domain.levels
                else self._slope_sd * own[:, 0]
            )
        return lines(parents, domains, self._mean.mean + self._mean.sd * w[:, 0], slopes)

    def _draw_weights(
        self, node: Node, parents: Parents, n: int, rng: np.random.Generator
    ) -> Floats:
        """(n, q): of the columns of the design, in units of their prior sds."""
        noise = self._at_each_noise(node, self.columns_of(parents))
        at = np.repeat(np.arange(len(noise.weights)), shares_to_counts(noise.weights, n, rng))
        at = rng.permutation(at)
        error = np.sqrt(noise.spread[at]) * rng.standard_normal((n, noise.spread.shape[1]))
        return np.asarray((noise.along[at] + error) @ noise.axes.T)

    def curves(self, node: Node, parents: Parents, places: Places) -> Curves:
        """The lines, or what each level does, centred over the rows of the table.

        A part at a value with the design's columns a, less their means, is a'w.
        """
        columns = self.columns_of(parents)
        noise = self._at_each_noise(node, columns)
        means, shown = self._sums / self._n_rows, self._values[places.rows]
        expected = (noise.weights @ noise.along) @ noise.axes.T
        found, parts, start = [], [], 1
        for parent, grid in zip(parents, places.grid, strict=True):
            own = list(self._columns[parent])
            here = slice(start, start + len(own))
            a = (self._at(parent, grid) - means[own]) @ noise.axes[here]  # (G, r)
            found.append((noise.along @ a.T, np.sqrt(noise.spread @ (a**2).T)))
            rows = self._stands_for(parent, shown[:, parent])
            parts.append((rows - means[own]) @ expected[here])
            start += len(own)
        level = self._mean.mean + float(means[[0, *columns]] @ expected)
        mean, sd = (np.stack(each, axis=1) for each in zip(*found, strict=True))
        return Curves(noise.weights, mean, sd, np.array(parts), level)

    def _at_each_noise(self, node: Node, columns: Parents) -> "_AtEachNoise":
        """At each value of the noise that the integral looks at.

        With the axes E of the design's Gram matrix the weights w = (mu - m, b), in units of their
        prior sds, are N(E (E'A'x / (c + sigma^2)), E sigma^2 / (c + sigma^2) E').
        """
        scales, axes, products = self._along_axes(node, np.array([columns]))
        peak = self._peak(scales, products, float(self._squares[node]))
        mode, width = peak.find()
        u = mode + width * STEPS
        variance = np.exp(2 * u)[:, None]
        weights = softmax(peak.log_joint(u[None])[0])
        sums = scales + variance
        return _AtEachNoise(weights, axes[0], products / sums, variance / sums)

    def _at(self, parent: Node, grid: Floats) -> Floats:
        """(G, k): the columns of the design of one parent at other values."""
        if parent in self._levels:
            levels = self._levels[parent]
            grid = levels[np.abs(grid[:, None] - levels).argmin(axis=1)]
        return self._stands_for(parent, grid)

    def _along_axes(
        self, node: Node, column_sets: NDArray[np.intp]
    ) -> tuple[Floats, Floats, Floats]:
        """Of the Gram matrix of each set's design: eigenvalues, axes, and products with these."""
        columns = np.insert(column_sets, 0, 0, axis=1)
        eigenvalues, axes = np.linalg.eigh(self._gram[columns[:, :, None], columns[:, None, :]])
        products = np.einsum("mij,mi->mj", axes, self._products[columns, node])
        return np.maximum(eigenvalues, 0.0), axes, products

    def _peak(self, scales: Floats, products: Floats, square: float) -> "_Peak":
        """With the eigenvalues c (m, r) of the design's Gram matrix and x's products with its axes,

        -2 log p(x | u) = N log 2 pi + 2 (N - r) u + sum log(w + c) + R / w + sum b / (w + c),

        where w = e^2u, b = products^2 / c is what x has along an axis, and R what is left of x'x.
        """
        real = scales > LEAST_EIGENVALUE * scales.max(axis=1, keepdims=True)
        b = np.where(real, products**2 / np.where(real, scales, 1.0), 0.0)
        rest = np.maximum(square - b.sum(axis=1), 0.0)
        return _Peak(self._n_rows, scales, b, rest, self._noise, self._start(rest, square))

    def _start(self, rest: Floats, square: float) -> Floats:
        """(m,): the sum of squares that is taken for noise at first: what no line can explain."""
        return rest


def corners(z: Floats, levels: Floats) -> Floats:
    """(N, K): of values among K levels, the corners of a simplex whose total variance is 1.

    As in `components.levels`, so that their products are its squared distances.
    """
    size = np.sqrt(len(levels) / max(len(levels) - 1, 1))
    return np.asarray(size * (z[:, None] == levels))


class _AtEachNoise(NamedTuple):
    """The posterior of the weights at K values of the noise, along r axes."""

    weights: Floats  # (K,): of the values
    axes: Floats  # (q, r)
    along: Floats  # (K, r): means along the axes
    spread: Floats  # (K, r): variances


@dataclass(frozen=True)
class _Peak:
    """log p(x, u) as a function of u = log sigma, for m sets at once."""

    n_rows: int
    c: Floats  # (m, r)
    b: Floats  # (m, r)
    rest: Floats  # (m,)
    noise: InverseGamma
    start: Floats  # (m,): the sum of squares where Newton starts

    def log_joint(self, u: Floats) -> Floats:
        """(m, q), at u (m, q)."""
        w = np.exp(2 * u)
        total = self.n_rows * np.log(2 * np.pi) + 2 * (self.n_rows - self.c.shape[1]) * u
        total += self.rest[:, None] / w
        for c, b in zip(self.c.T[:, :, None], self.b.T[:, :, None], strict=True):
            total += np.log(w + c) + b / (w + c)
        return np.asarray(self.noise.log_density(u)[0] - total / 2)

    def find(self) -> tuple[Floats, Floats]:
        """Mode and width 1 / sqrt(-second derivative), (m,) each, by Newton's steps."""
        u = 0.5 * np.log(np.maximum(self.start / self.n_rows, LEAST_VARIANCE))
        moving = np.ones(len(u), dtype=bool)
        for _ in range(N_NEWTON):
            first, second = self._derivatives(u)
            step = np.clip(first / np.maximum(-second, 1.0), -1.0, 1.0)
            # Each set stops by itself: in other company it comes out the same, bit by bit.
            u = np.where(moving, u + step, u)
            moving &= np.abs(step) >= SMALL_STEP
            if not moving.any():
                break
        return u, 1 / np.sqrt(np.maximum(-self._derivatives(u)[1], 1.0))

    def _derivatives(self, u: Floats) -> tuple[Floats, Floats]:
        """Of log_joint, the first and the second, (m,) each."""
        w = np.exp(2 * u)
        wide, c, b = w[:, None], self.c, self.b
        _, prior, prior_second = self.noise.log_density(u)
        free = self.n_rows - c.shape[1]
        first = free + (wide / (wide + c) - b * wide / (wide + c) ** 2).sum(axis=1) - self.rest / w
        bend = wide * c / (wide + c) ** 2 - b * wide * (c - wide) / (wide + c) ** 3
        second = 2 * bend.sum(axis=1) + 2 * self.rest / w
        return prior - first, prior_second - second
