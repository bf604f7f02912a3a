"""One variable's rows as local coordinates: panels of the line, and interpolation in each.

In a panel every kernel function is interpolated from its values at a few nodes t (the data values
themselves where these are few): k(Z, g) = Phi k(t, g), with Phi = Q_d R, Q_d orthonormal.

A panel of few rows keeps its rows of Q_d. One of many keeps none: its local coordinates are the
rows of Phi, which the core computes from the values whenever it needs them, and Q_d = Phi R^-1. So
of a million rows no more is kept than their values and the numbers of their panels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet import _core
from gpnet.common.types import Floats

NODES: Final = 24  # interpolate a panel of WIDTH to 1e-14
WIDTH: Final = 3.0  # of a panel, in units of the shortest lengthscale
MOST_KEPT: Final = 2**12  # rows of a panel that keeps them
# Of R: what R^-1 makes of rounding stays below 1e-12. Values that crowd in a part of their panel
# are worse, and are kept.
LARGEST_CONDITION: Final = 100.0
BLOCK: Final = 2**14  # rows at once


@dataclass(frozen=True)
class Panels:
    """The rows, and R, which takes values at nodes to Q_d."""

    rows: _core.PanelRows
    nodes: Floats  # t: (M,)
    weights: Floats  # R: (M, M), block diagonal
    backs: list[tuple[slice, Floats]]  # R^-1 of the panels whose rows are those of Phi

    @classmethod
    def cut(cls, z: Floats, pieces: Sequence[NDArray[np.intp]], *, smooth: bool) -> "Panels":
        """From the rows of each panel."""
        panels = [_panel(z[index], smooth) for index in pieces]
        sizes = [len(panel.nodes) for panel in panels]
        ends = np.cumsum(sizes)
        weights = np.zeros((ends[-1], ends[-1]))
        backs = []
        for end, size, panel in zip(ends.tolist(), sizes, panels, strict=True):
            own = slice(end - size, end)
            weights[own, own] = panel.r
            if panel.back is not None:
                backs.append((own, panel.back))
        starts = (ends - sizes).astype(np.int32)
        nodes = np.concatenate([panel.nodes for panel in panels])
        return cls(_rows(z, pieces, panels, starts), nodes, weights, backs)

    def local(self, coordinates: Floats) -> Floats:
        """From coordinates in Q_d (M, m) to those that rows have; zeros below the last panel.

        So that it may be read as wide as the widest.
        """
        found = np.vstack([coordinates, np.zeros((self.rows.width, coordinates.shape[1]))])
        for own, back in self.backs:
            found[own] = back @ coordinates[own]
        return found


def pieces_of(z: Floats, smooth: bool, width: float) -> list[NDArray[np.intp]]:
    """The rows of each panel that has any: of equal width, or of few distinct values."""
    order = np.argsort(z, kind="stable")
    if smooth:
        place = np.floor((z[order] - z[order[0]]) / width)
    else:
        rank = np.concatenate([[0], np.cumsum(np.diff(z[order]) > 0)])
        place = rank // NODES
    return np.split(order, np.flatnonzero(np.diff(place)) + 1)


@dataclass(frozen=True)
class _Panel:
    """One of both: the rows of Q_d that are kept, or how to interpolate rows of Phi."""

    nodes: Floats  # (k,)
    r: Floats  # R: (k, k)
    kept: Floats | None = None
    interpolation: Floats | None = None  # barycentric weights: (k,)
    back: Floats | None = None  # R^-1: (k, k)


def _panel(z: Floats, smooth: bool) -> _Panel:
    distinct, counts = np.unique(z, return_counts=True)
    few = len(distinct) <= NODES or not smooth
    if len(z) > MOST_KEPT and few:
        root = np.sqrt(counts)  # in any case each row is at a node
        return _Panel(distinct, np.diag(root), None, np.ones(len(distinct)), np.diag(1.0 / root))
    if few:
        q, r = np.linalg.qr((z[:, None] == distinct).astype(float))
        return _Panel(distinct, r, q)
    middle, half = (z.max() + z.min()) / 2, (z.max() - z.min()) / 2
    nodes = middle + half * chebyshev_nodes(NODES)
    if len(z) > MOST_KEPT:
        r = _triangle(nodes, z)
        if np.linalg.cond(r) < LARGEST_CONDITION:
            return _Panel(
                nodes, r, None, _barycentric(NODES), np.asarray(np.linalg.inv(r), dtype=float)
            )
    q, r = np.linalg.qr(interpolation(nodes, z))
    return _Panel(nodes, r, q)


def _triangle(nodes: Floats, z: Floats) -> Floats:
    """R of Phi = Q_d R, of some rows after the other."""
    r: Floats = np.empty((0, len(nodes)))
    for start in range(0, len(z), BLOCK):
        phi = interpolation(nodes, z[start : start + BLOCK])
        r = np.asarray(np.linalg.qr(np.vstack([r, phi]), mode="r"))
    return r


def _rows(
    z: Floats,
    pieces: Sequence[NDArray[np.intp]],
    panels: Sequence[_Panel],
    starts: NDArray[np.int32],
) -> _core.PanelRows:
    width = max(len(panel.nodes) for panel in panels)
    number = np.empty(len(z), dtype=np.int32)
    nodes, weights = np.zeros((len(panels), width)), np.zeros((len(panels), width))
    for k, (index, panel) in enumerate(zip(pieces, panels, strict=True)):
        number[index] = k
        if panel.interpolation is not None:
            nodes[k, : len(panel.nodes)] = panel.nodes
            weights[k, : len(panel.nodes)] = panel.interpolation
    own = [
        (i, panel.kept) for i, panel in zip(pieces, panels, strict=True) if panel.kept is not None
    ]
    kept = np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(index for index, _ in own)]))
    values = np.zeros((len(kept), width))
    for index, q in own:
        values[np.searchsorted(kept, index), : q.shape[1]] = q
    return _core.PanelRows(z, number, starts, nodes, weights, kept, values)


def chebyshev_nodes(n: int) -> Floats:
    """Of the first kind, on (-1, 1)."""
    return np.cos(np.pi * (np.arange(n) + 0.5) / n)


def _barycentric(n: int) -> Floats:
    """Weights of interpolation from Chebyshev nodes."""
    return np.asarray((-1.0) ** np.arange(n) * np.sin(np.pi * (np.arange(n) + 0.5) / n))


def interpolation(nodes: Floats, z: Floats) -> Floats:
    """Phi (N, n): polynomial interpolation from Chebyshev nodes to z."""
    distance = z[:, None] - nodes
    distance[distance == 0] = np.finfo(float).tiny
    phi = _barycentric(len(nodes)) / distance
    return np.asarray(phi / phi.sum(axis=1, keepdims=True))
