"""A small orthonormal basis for each variable, and roots of its kernel tabulated there.

A smooth one-dimensional kernel has low rank on data, and the spaces nest: K(theta) lies in the
span of the basis of any smaller theta. So N x N matrices are never needed.

1. The line is cut into panels, some lengthscales wide (see panels.py). In a panel every kernel
   function is interpolated from its values at a few nodes t: K(theta) = Phi K_t(theta) Phi' with
   Phi = Q_d R block by block, Q_d orthonormal.
2. Lengthscales are cut into bands of half an octave. In the coordinates of Q_d, from the longest
   band to the shortest, the band's space is added to the basis until what is left of K has a
   trace below CLEAR N: Q = Q_d B. Band l uses the leading m_l columns of Q, so many that what is
   left of K has a trace below TOLERANCE N.
3. In each band S(theta) = Q' K(theta) Q = L L', L lower triangular. As Q goes from smooth to rough,
   few columns of L do: L is tabulated as Chebyshev coefficients in log theta, as many columns
   as could matter, and beside it how much of the trace of S is left after each column.

Only step 1 sees the rows.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.gp.components.base import Component
from gpnet.gp.panels import NODES, WIDTH, Panels, chebyshev_nodes, interpolation, pieces_of

# Lengthscale. The prior mass below is 4e-8; where the likelihood outweighs that, the basis is built
# with more bands, further down.
SHORTEST = 0.1
BAND = np.log(2) / 2  # in log lengthscale
N_BANDS = 26  # up to 800, where an irrelevant parent drifts
N_CHEBYSHEV = 14  # coefficients a band: errors of S near 1e-11
TOLERANCE = 1e-16  # of the trace of K, for what a band leaves out
# Of the trace of K, for directions that a band adds to the basis: far above the rounding of K. Near
# it eigenvectors are chance. A band that gave those too would have the order of the basis, and with
# it what a thin factor leaves out, hang on the last bits of the data and on the processor.
CLEAR = 1e-9
NOISE = 1e-15  # of the largest eigenvalue of K: what is smaller is rounding
LEAST = 1e-11  # of the trace of S: columns of L that add less are not tabulated
JITTER = 4e-15  # of N, added to the diagonal of S: above the noise of its entries


@dataclass(frozen=True)
class Band:
    """The root L of S over a band of lengthscales: m_l rows, r_l columns."""

    size: int  # m_l
    root: Floats  # (entries, K): the columns of L one after the other, each from its diagonal down
    log_left: Floats  # (r_l, K): log of the trace that is left when c columns are taken
    nodes: Floats  # t: (k,)
    weights: Floats  # W with Q'k(Z, g) = W k(t, g), for any g: (m_l, k)


@dataclass(frozen=True)
class Basis:
    """The basis of one variable and its kernel in it. m = m_0 is the size of the finest band."""

    rows: _core.PanelRows  # local coordinates of each row, within its panel
    coordinates: Floats  # Q in these, padded with zeros: (M + p, m)
    bands: tuple[Band, ...]  # finest first
    line: Floats  # (m,): Q' z, for kernels with a linear part

    def project(self, columns: Floats) -> Floats:
        """Q' times columns (N, c)."""
        sums = self.no_sums(columns.shape[1])
        self.rows.add_products(0, np.ascontiguousarray(columns), sums)
        return self.coordinates.T @ sums

    def no_sums(self, n_columns: int) -> Floats:
        """To add products of rows to; Q' times columns is coordinates' times these."""
        return np.zeros((len(self.coordinates), n_columns))

    def columns(self, rows: NDArray[np.intp], size: int) -> Floats:
        """Some rows of Q, as far as its column `size`; one panel after the other."""
        found = np.empty((len(rows), size))
        panel, local = self.rows.starts(rows), self.rows.some(rows)
        order = np.argsort(panel, kind="stable")
        for these in np.split(order, np.flatnonzero(np.diff(panel[order])) + 1):
            start = panel[these[0]]
            own = self.coordinates[start : start + self.rows.width, :size]
            found[these] = local[these] @ own
        return found

    def cross(self, grid: Floats, log_lengthscale: float, component: Component) -> Floats:
        """Q'k(Z, g) for the values g of a grid (G,), in the band of the lengthscale: (m_l, G)."""
        n_bands = len(self.bands)
        shortest = np.log(shortest_lengthscale(n_bands - N_BANDS))
        steps = np.clip((log_lengthscale - shortest) / BAND, 0, n_bands)
        band = self.bands[min(int(steps), n_bands - 1)]
        k, inside = len(band.nodes), float(shortest + BAND * steps)
        gram = component.gram(np.concatenate([band.nodes, grid]), inside, 0)[0]
        return np.asarray(band.weights @ gram[:k, k:])

    def without_roots(self) -> "Basis":
        """When the core has them: they are most of its memory."""
        none = np.empty((0, N_CHEBYSHEV))
        bands = tuple(replace(band, root=none, log_left=none) for band in self.bands)
        return replace(self, bands=bands)

    @cached_property
    def matrix(self) -> Floats:
        """Q itself, (N, m): for tests."""
        every = np.arange(self.rows.n_rows)
        spread = np.zeros((len(every), len(self.coordinates)))
        local, panel = self.rows.some(every), self.rows.starts(every)
        for j in range(self.rows.width):
            spread[every, panel + j] += local[:, j]
        return spread @ self.coordinates


def shortest_lengthscale(n_finer: int) -> float:
    """Where tables with so many bands below SHORTEST end."""
    return _shortest(-n_finer)


def count_nodes(z: Floats, component: Component, n_finer: int) -> int:
    """How many nodes a basis of one column (N,) is built from: the cost goes with their cube."""
    pieces = pieces_of(z, component.smooth, _panel_width(n_finer))
    sizes = [len(np.unique(z[index])) for index in pieces]
    return sum(min(size, NODES) if component.smooth else size for size in sizes)


def _panel_width(n_finer: int) -> float:
    return WIDTH * shortest_lengthscale(n_finer)


def build_basis(z: Floats, component: Component, n_finer: int = 0) -> Basis:
    """The basis of one column (N,), with some bands below SHORTEST if asked for."""
    pieces = pieces_of(z, component.smooth, _panel_width(n_finer))
    panels = Panels.cut(z, pieces, smooth=component.smooth)
    finest_first = range(-n_finer, N_BANDS)
    grids = [_grid(panels, band, component) for band in finest_first]
    line = panels.weights @ np.column_stack([np.ones(len(panels.nodes)), panels.nodes])
    roots = [_root(grid, band, component) for band, grid in zip(finest_first, grids, strict=True)]
    basis = _directions(line, roots, len(z))
    sizes = _sizes(basis, roots, TOLERANCE * len(z))
    bands = tuple(
        _tabulate(basis[:, :size].T @ grid.weights, grid.nodes, band, component, len(z))
        for band, size, grid in zip(finest_first, sizes, grids, strict=True)
    )
    return Basis(panels.rows, panels.local(basis), bands, basis.T @ line[:, 1])


@dataclass(frozen=True)
class _Grid:
    """Nodes that resolve the kernels of a band: K = Q_d weights K_nodes weights' Q_d'."""

    nodes: Floats  # (k,)
    weights: Floats  # (M, k)


def _grid(panels: Panels, band: int, component: Component) -> _Grid:
    """Long lengthscales need few nodes over the whole range; short ones those of the panels."""
    low, high = panels.nodes.min(), panels.nodes.max()
    half = (high - low) / 2
    n_nodes = int(8 * half / _shortest(band)) + 16
    if not component.smooth or n_nodes >= len(panels.nodes):
        return _Grid(panels.nodes, panels.weights)
    nodes = low + half * (1 + chebyshev_nodes(n_nodes))
    return _Grid(nodes, panels.weights @ interpolation(nodes, panels.nodes))


def _root(grid: _Grid, band: int, component: Component) -> Floats:
    """C with C C' = K in the coordinates of Q_d, at the band's shortest lengthscale."""
    gram = component.gram(grid.nodes, np.log(_shortest(band)), 0)[0]
    eigenvalues, vectors = np.linalg.eigh(gram)
    keep = eigenvalues > NOISE * eigenvalues[-1]
    return np.asarray(grid.weights @ (vectors[:, keep] * np.sqrt(eigenvalues[keep])))


def _directions(line: Floats, roots: list[Floats], n: int) -> Floats:
    """Step 2: B, the constant and the line first, then from the longest band to the shortest.

    What a band still lacks comes with the next ones, for whom it is above the noise. Only the
    shortest has no next.
    """
    basis = np.linalg.qr(line)[0][:, : min(2, len(line))]
    for root in reversed(roots):
        basis = _extend(basis, root, CLEAR * n)
    return _extend(basis, roots[0], TOLERANCE * n)


def _sizes(basis: Floats, roots: list[Floats], tolerance: float) -> list[int]:
    """m_l: so many columns that what is left of C C' meets the tolerance, also in longer bands."""
    left = [((basis.T @ root) ** 2).sum(axis=1)[::-1].cumsum()[::-1] for root in roots]
    enough = [int((each > tolerance).sum()) for each in left]
    least = min(2, basis.shape[1])  # the constant and the line
    return [max(least, *enough[band:]) for band in range(len(roots))]


def _extend(basis: Floats, factor: Floats, tolerance: float) -> Floats:
    """Add directions of C until the trace of what is left of C C' meets the tolerance."""
    rest = factor - basis @ (basis.T @ factor)
    rest -= basis @ (basis.T @ rest)
    directions, sizes = _left_singular(rest)
    left = np.cumsum((sizes**2)[::-1])[::-1]  # what would be left out, from each direction on
    fresh = directions[:, : int((left > tolerance).sum())]
    fresh = fresh[:, : len(basis) - basis.shape[1]]
    for _ in range(2):  # twice is enough
        fresh = np.linalg.qr(fresh - basis @ (basis.T @ fresh))[0]
    return np.hstack([basis, fresh])


def _left_singular(a: Floats) -> tuple[Floats, Floats]:
    """Left singular vectors and singular values, largest first.

    Divide and conquer fails on one matrix in many thousands, under some kernels of OpenBLAS; QR
    iteration, which is slower, does not.
    """
    try:
        vectors, sizes, _ = np.linalg.svd(a, full_matrices=False)
    except np.linalg.LinAlgError:
        vectors, sizes, _ = linalg.svd(a, full_matrices=False, lapack_driver="gesvd")
    return vectors, sizes


def _tabulate(weights: Floats, nodes: Floats, band: int, component: Component, n: int) -> Band:
    """Step 3, with S = W K_nodes(theta) W'."""
    angles = np.pi * (np.arange(N_CHEBYSHEV) + 0.5) / N_CHEBYSHEV
    logs = np.log(_shortest(band)) + BAND * (np.cos(angles) + 1) / 2
    s = np.stack([weights @ component.gram(nodes, u, 0)[0] @ weights.T for u in logs])
    roots, jitter = _cholesky(s, JITTER * n)  # (K, m, m)
    columns = (roots**2).sum(axis=1) - jitter  # each column's share of the trace: (K, m)
    left = np.maximum(columns[:, ::-1].cumsum(axis=1)[:, ::-1], jitter)
    rank = int((left.max(axis=0) > max(LEAST, 2 * jitter)).sum())
    below = np.tril_indices(len(weights))
    column_first = np.lexsort(below)
    rows, cols = (index[column_first] for index in below)
    packed = roots[:, rows[cols < rank], cols[cols < rank]]
    log_left = np.log(left[:, :rank])
    packed, log_left = _chebyshev(packed, angles), _chebyshev(log_left, angles)
    return Band(len(weights), packed, log_left, nodes, weights)


def _cholesky(s: Floats, jitter: float) -> tuple[Floats, float]:
    """Roots of matrices (K, m, m), and what had to be added to their diagonals."""
    while True:
        try:
            return np.asarray(np.linalg.cholesky(s + jitter * np.eye(s.shape[1]))), jitter
        except np.linalg.LinAlgError:
            jitter *= 4


def _chebyshev(samples: Floats, angles: Floats) -> Floats:
    """Coefficients (entries, K) from samples (K, entries) at the cosines of the angles."""
    k = np.arange(N_CHEBYSHEV)
    transform = np.cos(np.outer(k, angles)) * 2 / N_CHEBYSHEV
    transform[0] /= 2
    return np.asfortranarray((transform @ samples).T)


def _shortest(band: int) -> float:
    """Of a band from SHORTEST upwards: 0 is the first, those below have negative numbers."""
    return float(SHORTEST * np.exp(BAND * band))
