"""Noise of any smooth shape, whose size may vary with the parents; and roots of any shape.

The standardised leave-one-out residuals e of a fit are taken for independent draws of a density
g, which is a mixture: normal, or one of several families

    g(e) = b(e) exp(s(e)) / Z,   s a Gaussian process over asinh(e),

where b is normal (s may be large) or a t density (s is small). Densities with an edge, below which
or above which there is nothing, are no smooth functions of e, and have families of their own: with
b exponential or uniform, and s a function of the distance to the edge. s is integrated out. The
size of the noise may be constant, or exp(h) with h a sum of Gaussian processes of the parents. The
log ratio of p(e) under the mixture to p(e) under N(0, 1) is what the noise gains.

Columns that are rounded have atoms, which no density should see: every residual is spread over
the resolution of its column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, log
from typing import Final, NamedTuple

import numpy as np

from gpnet import _core
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.transforms import normal_scores
from gpnet.gp.noise.base import Noise, NoiseGain, NoiseTables
from gpnet.gp.residuals import Residuals

N_PLACES: Final = 81  # of the grids
NORMAL, HEAVY = inf, 4.0  # degrees of freedom of b on the line


class Family(NamedTuple):
    """Densities with a support; `low` and `high` are the ends of the grid over t."""

    support: str  # "line", "above_edge", "below_edge" or "between_edges", see noise_shape.hpp
    degrees: float
    low: float
    high: float
    lengthscale: float  # of s, over t
    sd: float  # of s


FAMILIES: Final = (
    *(Family("line", NORMAL, -3.2, 3.2, length, 2.0) for length in (0.35, 0.8)),
    *(Family("line", HEAVY, -3.2, 3.2, length, 0.7) for length in (0.35, 0.8)),
    Family("above_edge", NORMAL, -7.0, 3.5, 1.0, 1.0),
    Family("below_edge", NORMAL, -7.0, 3.5, 1.0, 1.0),
    Family("between_edges", NORMAL, -7.0, 7.0, 1.0, 1.0),
)
SCORE_REACH: Final = 3.5  # of a parent's normal scores
SCALE_LENGTHSCALE, SCALE_SD = 1.5, 0.5  # of h, over a parent's normal scores
LEVEL_SD: Final = 0.3  # of the constant in h
SMALLEST: Final = 0.1  # eigenvalue, of the values of s or h on a grid, that is kept


@dataclass(frozen=True)
class FlexibleNoise(Noise):
    """Prior probabilities; the data decide."""

    normal: float = 0.5  # that the noise is normal
    varying: float = 0.3  # that its size varies with the parents, if there are any

    def tables(self, values: Floats, categorical: frozenset[Node] = frozenset()) -> NoiseTables:
        """Resolutions of the columns, and functions of them that the size may follow."""
        widths = np.column_stack([resolution(x) for x in values.T])
        columns = [
            _level_columns(x) if j in categorical else _scale_columns(x)
            for j, x in enumerate(values.T)
        ]
        return _FlexibleTables(self, widths, columns)


class _FlexibleTables(NoiseTables):
    def __init__(self, noise: FlexibleNoise, widths: Floats, columns: Sequence[Floats]) -> None:
        self._noise, self._widths, self._columns = noise, widths, columns

    def gain(self, residuals: Residuals, node: Node, parents: Parents) -> NoiseGain:
        """Both sizes, each with all shapes."""
        noise, widths = self._noise, self._widths[:, node] / residuals.sd
        constant, shaped = self._shapes(residuals.standardised, widths)
        if not parents:
            return NoiseGain(constant, shaped, 0.0)
        ratio, log_sd = _core.varying_scale(residuals.standardised, self._design(parents))
        more, shaped_too = constant, shaped
        if len(log_sd):  # else the ratio is so low that shapes make no difference
            size = np.exp(log_sd)
            more, shaped_too = self._shapes(residuals.standardised / size, widths / size)
        log_varying = log(noise.varying) + ratio + more
        total = _log_sum(log(1 - noise.varying) + constant, log_varying)
        share = exp(log_varying - total)
        return NoiseGain(total, min(1.0, (1 - share) * shaped + share * shaped_too), share)

    def relative_sizes(self, residuals: Residuals, parents: Parents) -> Floats:
        """As the parents say, where they say anything."""
        _, log_sd = _core.varying_scale(residuals.standardised, self._design(parents))
        return np.exp(log_sd) if len(log_sd) else super().relative_sizes(residuals, parents)

    def _shapes(self, residuals: Floats, widths: Floats) -> tuple[float, float]:
        """The log ratio under all shapes together, and the probability of those not normal."""
        ratios = _shape_families().log_ratios(residuals, widths).tolist()
        shaped = log((1 - self._noise.normal) / len(ratios)) + _log_sum(*ratios)
        total = _log_sum(log(self._noise.normal), shaped)
        return total, exp(shaped - total)

    def _design(self, parents: Parents) -> Floats:
        level = np.full((len(self._widths), 1), LEVEL_SD)
        return np.hstack([level, *(self._columns[parent] for parent in parents)])


def _log_sum(*values: float) -> float:
    """The log of the sum of exp of a few numbers; SciPy's takes longer than the densities."""
    most = max(values)
    return most + log(sum(exp(value - most) for value in values))


def resolution(x: Floats) -> Floats:
    """(N,): how far each value is from its neighbours, in a column of few distinct values; else 0.

    Few are fewer than half of the rows: a continuous column may have some ties.
    """
    distinct, place = np.unique(x, return_inverse=True)
    if 2 * len(distinct) >= len(x) or len(distinct) < 2:
        return np.zeros(len(x))
    gaps = np.diff(distinct)
    around = (np.concatenate([gaps[:1], gaps]) + np.concatenate([gaps, gaps[-1:]])) / 2
    return np.asarray(around[place.reshape(-1)])


def _scale_columns(x: Floats) -> Floats:
    """(N, k): functions whose sum with weights from N(0, 1) is a draw of h."""
    grid = np.linspace(-SCORE_REACH, SCORE_REACH, N_PLACES)
    root = _root(grid, SCALE_LENGTHSCALE, SCALE_SD)
    scores = normal_scores(x)
    return np.column_stack([np.interp(scores, grid, column) for column in root.T])


def _level_columns(x: Floats) -> Floats:
    """(N, K): of a column of K levels, each with a size of its own."""
    return np.where(x[:, None] == np.unique(x), SCALE_SD, 0.0)


@lru_cache(maxsize=1)
def _shape_families() -> _core.NoiseShapes:
    return _core.NoiseShapes([_given(family) for family in FAMILIES])


def _given(family: Family) -> tuple[str, float, float, float, Floats]:
    grid = np.linspace(family.low, family.high, N_PLACES)
    root = _root(grid, family.lengthscale, family.sd)
    return family.support, family.degrees, family.low, family.high, root


def _root(grid: Floats, lengthscale: float, sd: float) -> Floats:
    """R (G, K) with R R' the covariance of a smooth Gaussian process on the grid."""
    gram = sd**2 * np.exp(-(((grid[:, None] - grid) / lengthscale) ** 2) / 2)
    eigenvalues, vectors = np.linalg.eigh(gram)
    kept = eigenvalues > SMALLEST
    return np.asarray(vectors[:, kept] * np.sqrt(eigenvalues[kept]))
