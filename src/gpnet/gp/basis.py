"""A small orthonormal basis for each variable, and its kernel tabulated there.

A smooth one-dimensional kernel has low rank on data, and the spaces nest: K(theta) lies in the
span of the basis of any smaller theta. So N x N matrices are never needed.

1. The line is cut into panels, some lengthscales wide. In a panel every kernel function is
   interpolated from its values at a few nodes t (the data values themselves where these are few):
   K(theta) = Phi K_t(theta) Phi' with Phi = Q_d R block by block, Q_d orthonormal.
2. In the coordinates of Q_d, from the longest lengthscale to the shortest, the octave's space is
   added to the basis until what is left of K has a trace below TOLERANCE N: Q = Q_d B, and
   octave l uses the leading m_l columns of Q.
3. S(theta) = Q' K(theta) Q is tabulated as Chebyshev coefficients in log theta, octave by octave.

Only step 1 sees the rows.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpnet.gp.components.base import Component
from gpnet.types import Floats

SHORTEST = 0.1  # lengthscale; the prior mass below is 4e-8
N_OCTAVES = 13  # up to 800, where an irrelevant parent drifts
N_CHEBYSHEV = 17  # coefficients an octave: errors of S near 1e-12
TOLERANCE = 1e-16  # of the trace of K, for what the basis leaves out
PANEL_WIDTH = 3.0  # in units of the shortest lengthscale
PANEL_NODES = 24  # interpolate such a panel to 1e-14


@dataclass(frozen=True)
class Basis:
    """The basis of one variable and its kernel in it. m = m_0 is the size of the finest octave."""

    rows: Floats  # (N, p): each row of Q_d, within its panel
    panel: NDArray[np.int32]  # (N,): where the row's panel starts among the M coordinates of Q_d
    coordinates: Floats  # B, padded with zeros: (M + p, m)
    sizes: tuple[int, ...]  # m_l for each octave, finest first
    tables: tuple[Floats, ...]  # for each octave (m_l, 17, m_l): S = sum_k tables[:, k, :] T_k
    line: Floats  # (m,): Q' z, for kernels with a linear part

    def project(self, columns: Floats) -> Floats:
        """Q' times columns (N, c)."""
        local = np.zeros((len(self.coordinates), columns.shape[1]))
        for j in range(self.rows.shape[1]):
            np.add.at(local, self.panel + j, self.rows[:, [j]] * columns)
        return self.coordinates.T @ local

    @cached_property
    def matrix(self) -> Floats:
        """Q itself, (N, m): for products of bases, and for tests."""
        spread = np.zeros((len(self.rows), len(self.coordinates)))
        for j in range(self.rows.shape[1]):
            spread[np.arange(len(spread)), self.panel + j] += self.rows[:, j]
        return spread @ self.coordinates


def build_basis(z: Floats, component: Component) -> Basis:
    """The basis of one column (N,)."""
    panels = _Panels.cut(z, smooth=component.smooth)
    grids = [_grid(panels, octave, component) for octave in range(N_OCTAVES)]
    line = panels.weights @ np.column_stack([np.ones(len(panels.nodes)), panels.nodes])
    basis = np.linalg.qr(line)[0][:, : min(2, len(panels.nodes))]
    sizes = []
    for octave in reversed(range(N_OCTAVES)):
        factor = _root(grids[octave], octave, component)
        basis = _extend(basis, factor, TOLERANCE * len(z))
        sizes.append(basis.shape[1])
    sizes.reverse()
    tables = tuple(
        _table(basis[:, :size].T @ grids[octave].weights, grids[octave].nodes, octave, component)
        for octave, size in enumerate(sizes)
    )
    # Zeros below, so that the last panel may be read as wide as the widest.
    coordinates = np.vstack([basis, np.zeros((panels.rows.shape[1], basis.shape[1]))])
    line_in_basis = basis.T @ line[:, 1]
    return Basis(panels.rows, panels.panel, coordinates, tuple(sizes), tables, line_in_basis)


@dataclass(frozen=True)
class _Panels:
    """Step 1: the data as local coordinates, and R, which takes values at nodes to Q_d."""

    rows: Floats  # (N, p)
    panel: NDArray[np.int32]  # (N,)
    nodes: Floats  # t: (M,)
    weights: Floats  # R: (M, M), block diagonal

    @classmethod
    def cut(cls, z: Floats, *, smooth: bool) -> "_Panels":
        order = np.argsort(z, kind="stable")
        pieces = _pieces(z, order, smooth)
        blocks = [_panel(z[index], smooth) for index in pieces]
        n_nodes = [len(nodes) for nodes, _, _ in blocks]
        starts = np.concatenate([[0], np.cumsum(n_nodes)]).astype(np.int32)
        rows = np.zeros((len(z), max(n_nodes)))
        panel = np.empty(len(z), dtype=np.int32)
        weights = np.zeros((starts[-1], starts[-1]))
        for start, size, index, (_, q, r) in zip(starts, n_nodes, pieces, blocks, strict=False):
            rows[index, : q.shape[1]] = q
            panel[index] = start
            weights[start : start + q.shape[1], start : start + size] = r
        nodes = np.concatenate([nodes for nodes, _, _ in blocks])
        return cls(rows, panel, nodes, weights)


def _pieces(z: Floats, order: NDArray[np.intp], smooth: bool) -> list[NDArray[np.intp]]:
    """The rows of each panel that has any: of equal width, or of few distinct values."""
    if smooth:
        place = np.floor((z[order] - z[order[0]]) / (PANEL_WIDTH * SHORTEST))
    else:
        rank = np.concatenate([[0], np.cumsum(np.diff(z[order]) > 0)])
        place = rank // PANEL_NODES
    return np.split(order, np.flatnonzero(np.diff(place)) + 1)


def _panel(z: Floats, smooth: bool) -> tuple[Floats, Floats, Floats]:
    """Nodes (k,), and the QR factors of the interpolation from them to z."""
    distinct = np.unique(z)
    if len(distinct) <= PANEL_NODES or not smooth:
        phi = (z[:, None] == distinct).astype(float)
        q, r = np.linalg.qr(phi)
        return distinct, q, r
    middle, half = (z.max() + z.min()) / 2, (z.max() - z.min()) / 2
    nodes = middle + half * _chebyshev_nodes(PANEL_NODES)
    q, r = np.linalg.qr(_interpolation(nodes, z))
    return nodes, q, r


@dataclass(frozen=True)
class _Grid:
    """Nodes that resolve the kernels of an octave: K = Q_d weights K_nodes weights' Q_d'."""

    nodes: Floats  # (k,)
    weights: Floats  # (M, k)


def _grid(panels: _Panels, octave: int, component: Component) -> _Grid:
    """Long lengthscales need few nodes over the whole range; short ones those of the panels."""
    low, high = panels.nodes.min(), panels.nodes.max()
    half = (high - low) / 2
    n_nodes = int(8 * half / _shortest(octave)) + 16
    if not component.smooth or n_nodes >= len(panels.nodes):
        return _Grid(panels.nodes, panels.weights)
    nodes = low + half * (1 + _chebyshev_nodes(n_nodes))
    return _Grid(nodes, panels.weights @ _interpolation(nodes, panels.nodes))


def _root(grid: _Grid, octave: int, component: Component) -> Floats:
    """C with C C' = K in the coordinates of Q_d, at the octave's shortest lengthscale."""
    gram = component.gram(grid.nodes, np.log(_shortest(octave)), 0)[0]
    eigenvalues, vectors = np.linalg.eigh(gram)
    keep = eigenvalues > 1e-17 * eigenvalues[-1]
    return np.asarray(grid.weights @ (vectors[:, keep] * np.sqrt(eigenvalues[keep])))


def _extend(basis: Floats, factor: Floats, tolerance: float) -> Floats:
    """Step 2: add directions of C until the trace of what is left of C C' meets the tolerance."""
    rest = factor - basis @ (basis.T @ factor)
    rest -= basis @ (basis.T @ rest)
    directions, sizes, _ = np.linalg.svd(rest, full_matrices=False)
    left = np.cumsum((sizes**2)[::-1])[::-1]  # what would be left out, from each direction on
    fresh = directions[:, : int((left > tolerance).sum())]
    fresh = fresh[:, : len(basis) - basis.shape[1]]
    for _ in range(2):  # twice is enough
        fresh = np.linalg.qr(fresh - basis @ (basis.T @ fresh))[0]
    return np.hstack([basis, fresh])


def _table(weights: Floats, nodes: Floats, octave: int, component: Component) -> Floats:
    """Step 3: Chebyshev coefficients of W K_nodes(theta) W' over the octave, (m, 17, m)."""
    k = np.arange(N_CHEBYSHEV)
    angles = np.pi * (k + 0.5) / N_CHEBYSHEV
    logs = np.log(_shortest(octave)) + np.log(2) * (np.cos(angles) + 1) / 2
    samples = np.stack([weights @ component.gram(nodes, u, 0)[0] @ weights.T for u in logs])
    transform = np.cos(np.outer(k, angles)) * 2 / N_CHEBYSHEV
    transform[0] /= 2
    table = np.tensordot(transform, samples, axes=1)  # (17, m, m)
    return np.ascontiguousarray(table.transpose(1, 0, 2))


def _shortest(octave: int) -> float:
    return SHORTEST * 2.0**octave


def _chebyshev_nodes(n: int) -> Floats:
    """Of the first kind, on (-1, 1)."""
    return np.cos(np.pi * (np.arange(n) + 0.5) / n)


def _interpolation(nodes: Floats, z: Floats) -> Floats:
    """Phi (N, n): polynomial interpolation from Chebyshev nodes to z, by barycentric weights."""
    n = len(nodes)
    signs = (-1.0) ** np.arange(n) * np.sin(np.pi * (np.arange(n) + 0.5) / n)
    distance = z[:, None] - nodes
    distance[distance == 0] = np.finfo(float).tiny
    phi = signs / distance
    return np.asarray(phi / phi.sum(axis=1, keepdims=True))
