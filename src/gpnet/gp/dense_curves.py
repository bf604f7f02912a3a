"""Curves of any kernel by the textbook, O(N^3) a draw of the hyperparameters.

With P = (s^2 11' + K + sigma^2 I)^-1 and the part f of one parent, centred,

    E f(g) = Cov(f(g), x) P (x - m),  Var f(g) = Cov(f(g), f(g)) - Cov(f(g), x) P Cov(x, f(g)).

A large table is thinned: of kernels that need this route few rows can be scored, let alone fitted.
"""

from typing import Final, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from gpnet.common.types import Floats
from gpnet.gp.curves import Curves, Places
from gpnet.gp.hyperdraws import Hyperdraws
from gpnet.gp.kernels.base import Kernel
from gpnet.gp.priors import Normal

MOST_ROWS: Final = 1000  # that curves are conditioned on


def dense_curves(
    x: Floats, parents: Floats, kernel: Kernel, mean: Normal, draws: Hyperdraws, places: Places
) -> Curves:
    """Averaged over draws; the node x (N,), parents (N, p) and the prior of the node's mean."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_ROWS)).astype(int))
    rows = parents[places.rows].T
    points = [
        _at(x[kept] - mean.mean, parents[kept], kernel, mean.sd, u, _Wanted(places.grid, rows))
        for u in draws.points
    ]
    means, sds, parts, levels = (np.array(each) for each in zip(*points, strict=True))
    return Curves(
        weights=draws.weights,
        mean=means,
        sd=sds,
        parts=np.tensordot(draws.weights, parts, 1),
        level=mean.mean + float(draws.weights @ levels),
    )


class _Wanted(NamedTuple):
    """Values of the parents at which their parts are asked for."""

    grid: Floats  # (p, G): with standard deviations
    rows: Floats  # (p, P): means alone


def _at(
    x: Floats, parents: Floats, kernel: Kernel, mean_sd: float, u: Floats, wanted: _Wanted
) -> tuple[Floats, Floats, Floats, float]:
    """Mean (p, G), sd (p, G), means of the rows (p, P), and the level, at one draw."""
    signal = kernel.covariance(parents, u[:-1], 0).value + mean_sd**2
    lower = cholesky(signal + np.exp(2 * u[-1]) * np.eye(len(x)), lower=True)
    alpha = cho_solve((lower, True), x)
    found = []
    for i, (grid, rows) in enumerate(zip(wanted.grid, wanted.rows, strict=True)):
        g, n = len(grid), len(grid) + len(rows)
        own, seen = kernel.part(parents, u[:-1], i, np.concatenate([grid, rows]))
        with_x = seen[:n] - seen[n:].mean(axis=0)
        prior = own.diagonal()[:g] - 2 * own[:g, n:].mean(axis=1) + own[n:, n:].mean()
        half = solve_triangular(lower, with_x[:g].T, lower=True)
        variance = np.maximum(prior - (half**2).sum(axis=0), 0.0)
        values = with_x @ alpha
        found.append((values[:g], np.sqrt(variance), values[g:]))
    means, sds, parts = (np.array(each) for each in zip(*found, strict=True))
    return means, sds, parts, float(signal.mean(axis=0) @ alpha)
