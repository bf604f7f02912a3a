"""A node given its parents, as one draw has it: functions of the parents, and noise to draw from.

All is standardised. Functions are among those that a score mixes; noise is what they leave of the
rows, smoothed: it may have any shape, but one and the same in all rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves
from gpnet.inference.fit_relations import grid_of
from gpnet.stats.smooth_density import SmoothDensity

N_CANDIDATES: Final = 100  # of a missing cell

Fit: TypeAlias = Callable[[Dataset, Node, Parents], Curves]


@dataclass(frozen=True, eq=False)
class Relation:
    """A node given its parents: a drawn function of each, and what they leave; standardised."""

    parents: Parents
    grid: Floats  # (p, G), ascending
    heights: Floats  # (p, G)
    noise: SmoothDensity
    bounds: tuple[float, float] | None  # of a node without parents

    def part(self, parent: Node, z: Floats) -> Floats:
        """What a parent does, at any array of its values."""
        i = self.parents.index(parent)
        return np.asarray(np.interp(z, self.grid[i], self.heights[i]))

    def fitted(self, z: Floats, *, without: Node | None = None) -> Floats:
        """(R,): the sum over parents in rows z (R, n)."""
        total = np.zeros(len(z))
        for parent in self.parents:
            if parent != without:
                total += self.part(parent, z[:, parent])
        return total

    def candidates(self, z: Floats, rng: np.random.Generator) -> Floats:
        """(R, K): draws given the parents in rows z (R, n)."""
        drawn = self.fitted(z)[:, None] + self.noise.draw((len(z), N_CANDIDATES), rng)
        return drawn if self.bounds is None else _reflected(drawn, *self.bounds)


def fitted_relation(
    data: Dataset,
    node: Node,
    dag: Dag,
    fit: Fit,
    rng: np.random.Generator,
    *,
    known: NDArray[np.bool_] | None,
) -> Relation:
    """Fitted to a complete table; noise is that of rows `known` (N,), or of all that count."""
    parents: Parents = tuple(np.flatnonzero(dag[:, node]).tolist())
    grid, heights = _functions(data, node, parents, fit, rng)
    z = data.standardised()
    count = np.ones(data.n_rows, dtype=bool) if known is None else known
    if data.interventions is not None:
        count = count & ~data.interventions[:, node]
    bare = Relation(parents, grid, heights, SmoothDensity.of(np.zeros(1)), None)
    left = (z[:, node] - bare.fitted(z))[count]
    # Resampled: the density of the noise, with its mean, is not known any better (Rubin 1981).
    noise = SmoothDensity.of(rng.choice(left, size=len(left)))
    bounds = None if parents else (float(left.min()), float(left.max()))
    return replace(bare, noise=noise, bounds=bounds)


def _functions(
    data: Dataset, node: Node, parents: Parents, fit: Fit, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(p, G) each: values of the parents, and one of the functions that the score mixes."""
    if not parents:
        return np.empty((0, 1)), np.empty((0, 1))
    curves = fit(data, node, parents)
    drawn = rng.choice(len(curves.weights), p=curves.weights / curves.weights.sum())
    return standard_grid(data, parents), curves.mean[drawn]


def standard_grid(data: Dataset, parents: Parents) -> Floats:
    """(p, G): values of parents over their range, standardised."""
    each = zip(parents, grid_of(data, parents), strict=True)
    return np.array([data.to_standard(parent, values) for parent, values in each])


def _reflected(x: Floats, low: float, high: float) -> Floats:
    """Within the range: what lies beyond an end is mirrored there."""
    x = np.where(x < low, 2 * low - x, x)
    x = np.where(x > high, 2 * high - x, x)
    return np.clip(x, low, high)
