"""Curves of an additive kernel in the bases of its parents, at any number of rows.

With K_i = Q_i F_i F_i' Q_i' (see basis.py) the node about m is A w + noise, where w ~ N(0, I) and
A = [s 1, Q_1 F_1, ..., Q_p F_p]. So

    w | x ~ N(B^-1 A'x, sigma^2 B^-1),  B = sigma^2 I + A'A.

The part of parent i at a value g is h'w_i and what no row tells: with c = Q_i' k_i(Z_i, g) it is
F_i h = c, and of the variance k_i(g, g) there is k_i(g, g) - h'h left. Rows are seen once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.curves import Curves, Places
from gpnet.gp.fast import FastModel
from gpnet.gp.hyperdraws import Hyperdraws

RESIDUAL: Final = 1e-8  # of the trace of K, in units of sigma^2 up to 1: what roots may leave out
BLOCK: Final = 2**14  # rows at once


def fast_curves(
    model: FastModel,
    node: Node,
    parents: Parents,
    draws: Hyperdraws,
    places: Places,
    lines: Mapping[Node, float] = MappingProxyType({}),
) -> Curves:
    """Averaged over draws of the hyperparameters.

    Parents among `lines` are straight lines with this variance of their slopes, of which draws have
    no parameters.
    """
    roots = [roots_at(model, parents, u, places.grid, lines) for u in draws.points]
    design = Design.of(model, node, parents, roots)
    points = [
        design.solve(some, float(np.exp(2 * u[-1])))
        for some, u in zip(roots, draws.points, strict=True)
    ]
    coefficients = draws.weights @ np.array([point.coefficients for point in points])
    shown = design.columns(model, parents, places.rows) - design.means
    return Curves(
        weights=draws.weights,
        mean=np.array([point.mean for point in points]),
        sd=np.array([point.sd for point in points]),
        parts=np.array([shown[:, part] @ coefficients[part] for part in design.parts]),
        level=model.hyperpriors.mean.mean + float(design.means @ coefficients),
    )


@dataclass(frozen=True, eq=False)
class Root:
    """One parent at its parameters."""

    factor: Floats  # F: (m, r)
    values: Floats  # h of each value on the grid: (G, r)
    left: Floats  # (G,)


def roots_at(
    model: FastModel,
    parents: Parents,
    u: Floats,
    grid: Floats | Sequence[Floats],
    lines: Mapping[Node, float],
) -> list[Root]:
    """Of each parent, with values on a grid of its own."""
    tolerance = RESIDUAL * min(1.0, float(np.exp(2 * u[-1])))
    own = iter(u[:-1].reshape(-1, model.kernel.n_each))
    return [
        _line(model, j, values, lines[j])
        if j in lines
        else _root(model, j, next(own), values, tolerance)
        for j, values in zip(parents, grid, strict=True)
    ]


def _line(model: FastModel, j: Node, grid: Floats, variance: float) -> Root:
    """One column, in the span of the first two of Q: those of a constant and of z itself."""
    column = np.sqrt(variance) * model.basis(j).line[:2, None]
    return Root(column, np.sqrt(variance) * grid[:, None], np.zeros(len(grid)))


def _root(model: FastModel, j: Node, u: Floats, grid: Floats, tolerance: float) -> Root:
    """The columns of the curve are lower triangular above; that of a line, if any, comes last."""
    kernel = model.kernel
    factor = model.root(j, u, tolerance)
    curved = factor.shape[1] - (kernel.line > 0)
    amplitude = float(np.exp(u[1])) if kernel.amplitude else 1.0
    c = amplitude * model.basis(j).cross(grid, float(u[0]), model.component(j))
    h = lapack.dtrtrs(factor[:curved, :curved], c[:curved], lower=1)[0].T
    left = np.maximum(amplitude - (h**2).sum(axis=1), 0.0)
    if kernel.line > 0:
        slope = np.sqrt(kernel.line * (np.exp(u[-1]) if kernel.line_parameter else 1.0))
        h = np.column_stack([h, slope * grid])
    return Root(factor, h, left)


class Weights(NamedTuple):
    """w ~ N(mean, sigma^2 (L L')^-1), the constant first."""

    own: list[slice]  # those of each parent
    t: Floats  # from w to coefficients of the columns of the design
    lower: Floats  # L
    mean: Floats


@dataclass(frozen=True, eq=False)
class _Point:
    """What is known at one draw of the hyperparameters."""

    mean: Floats  # (p, G)
    sd: Floats  # (p, G)
    coefficients: Floats  # of the columns of the design


@dataclass(frozen=True, eq=False)
class Design:
    """The columns [s 1, Q_1, ..., Q_p], as far as any draw needs them, and the node about m."""

    sizes: list[int]  # columns of each parent
    gram: Floats  # (1 + sum of sizes, the same)
    products: Floats  # with the node
    means: Floats  # over the rows
    mean_sd: float  # s

    @classmethod
    def of(
        cls, model: FastModel, node: Node, parents: Parents, roots: Sequence[Sequence[Root]]
    ) -> "Design":
        """With the columns that some draw of the hyperparameters has roots for."""
        sizes = [max(len(root.factor) for root in each) for each in zip(*roots, strict=True)]
        n_columns, s = 1 + sum(sizes), model.hyperpriors.mean.sd
        gram, products = np.zeros((n_columns, n_columns)), np.zeros(n_columns)
        totals = np.zeros(n_columns)
        empty = cls(sizes, gram, products, totals, s)
        x = model.centred(node)
        n_rows = len(x)
        for start in range(0, n_rows, BLOCK):
            rows = np.arange(start, min(start + BLOCK, n_rows))
            columns = empty.columns(model, parents, rows)
            gram += columns.T @ columns
            products += columns.T @ x[rows]
            totals += columns.sum(axis=0)
        return cls(sizes, gram, products, totals / n_rows, s)

    def columns(self, model: FastModel, parents: Parents, rows: NDArray[np.intp]) -> Floats:
        """Some rows of it."""
        bases = [
            model.basis(j).columns(rows, size) for j, size in zip(parents, self.sizes, strict=True)
        ]
        return np.hstack([np.full((len(rows), 1), self.mean_sd), *bases])

    @property
    def parts(self) -> list[slice]:
        """Where the columns of each parent are."""
        return _slices(self.sizes)

    def weigh(self, roots: Sequence[Root], variance: float) -> Weights:
        """The posterior of w where A = [columns] T, sigma^2 = variance."""
        own = _slices([root.factor.shape[1] for root in roots])
        t = np.zeros((len(self.gram), own[-1].stop))
        t[0, 0] = 1
        for part, columns, root in zip(self.parts, own, roots, strict=True):
            t[part, columns][: len(root.factor)] = root.factor
        b = t.T @ self.gram @ t
        b.flat[:: len(b) + 1] += variance
        lower, _ = lapack.dpotrf(b, lower=1)
        w, _ = lapack.dpotrs(lower, t.T @ self.products, lower=1)
        return Weights(own, t, lower, w)

    def solve(self, roots: Sequence[Root], variance: float) -> _Point:
        """Means and standard deviations of the parts, centred over the rows."""
        own, t, lower, w = self.weigh(roots, variance)
        h = np.zeros((len(roots), len(roots[0].values), len(w)))
        for i, (columns, root) in enumerate(zip(own, roots, strict=True)):
            h[i, :, columns] = root.values - self.means @ t[:, columns]
        half, _ = lapack.dtrtrs(lower, h.reshape(-1, len(w)).T, lower=1)
        known = variance * (half**2).sum(axis=0).reshape(h.shape[:2])
        left = np.array([root.left for root in roots])
        return _Point(h @ w, np.sqrt(known + left), t @ w)


def _slices(sizes: Sequence[int]) -> list[slice]:
    """One after the other, behind the constant."""
    ends = list(accumulate(sizes, initial=1))
    return [slice(start, end) for start, end in pairwise(ends)]
