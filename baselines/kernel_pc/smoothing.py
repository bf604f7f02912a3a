"""Additive regression on smooth curves: residuals of the targets given some columns.

Natural cubic splines on ten knots for each column, penalised by the integral of the squared second
derivative. One smoothness for all the columns, chosen by generalised cross-validation for each
target: then one decomposition serves all targets, and the choice costs next to nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.interpolate import CubicSpline

from gpnet.common.types import Floats

MOST_KNOTS: Final = 10  # as many functions as mgcv takes for a curve
ROWS_A_KNOT: Final = 5  # so that four curves never have as many columns as there are rows
SMOOTHNESS: Final = np.logspace(-6, 6, 49)[:, None]  # from no penalty to straight lines
NEGLIGIBLE: Final = 1e-8  # beside the largest singular value


@dataclass(frozen=True)
class Smoother:
    """At smoothness s the fit of y is the sum of u (u . y) / (1 + s r) over columns u."""

    columns: Floats  # (N, p), orthonormal, and orthogonal to the constant
    roughness: Floats  # (p,), the penalty r of each column

    def residuals(self, targets: Floats) -> Floats:
        """(N, m) -> (N, m), each at the smoothness of least N rss / (N - freedom)^2."""
        n_rows = len(targets)
        centred = targets - targets.mean(axis=0)
        parts = self.columns.T @ centred
        kept = 1 / (1 + SMOOTHNESS * self.roughness)
        outside = (centred**2).sum(axis=0) - (parts**2).sum(axis=0)
        left = np.maximum(outside, 0) + (1 - kept) ** 2 @ parts**2
        freedom = 1 + kept.sum(axis=1, keepdims=True)
        best = (left / (n_rows - freedom) ** 2).argmin(axis=0)
        return centred - self.columns @ (kept[best].T * parts)


def curve(x: Floats) -> Smoother:
    """Of one column; a straight line where too few values differ, nothing where none do."""
    n_knots = max(2, min(MOST_KNOTS, len(x) // ROWS_A_KNOT))
    knots = np.unique(np.quantile(x, np.linspace(0, 1, n_knots)))
    if len(knots) < 2:
        return Smoother(np.empty((len(x), 0)), np.empty(0))
    cardinal = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
    return _diagonal(cardinal(x), _bending(knots, cardinal(knots, 2)))


def together(curves: Sequence[Smoother]) -> Smoother:
    """The sum of a curve for each column."""
    if len(curves) == 1:
        return curves[0]
    columns = np.concatenate([one.columns for one in curves], axis=1)
    roughness = np.concatenate([one.roughness for one in curves])
    return _diagonal(columns, np.diag(roughness))


def _bending(knots: Floats, second: Floats) -> Floats:
    """The integral of f'' g'' over pairs of functions; f'' is linear between knots."""
    width = np.diff(knots)
    mass = np.diag(np.append(width, 0) + np.append(0, width)) / 3
    mass += (np.diag(width, 1) + np.diag(width, -1)) / 6
    return second.T @ mass @ second


def _diagonal(design: Floats, penalty: Floats) -> Smoother:
    """The same curves in columns that neither design nor penalty mixes (Demmler & Reinsch)."""
    centred = design - design.mean(axis=0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    kept = s > NEGLIGIBLE * s.max(initial=0)
    back = vt[kept].T / s[kept]
    roughness, turn = np.linalg.eigh(back.T @ penalty @ back)
    return Smoother(u[:, kept] @ turn, np.maximum(roughness, 0))
