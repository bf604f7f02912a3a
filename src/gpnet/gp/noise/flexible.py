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
from gpnet.data.ties import distinct_values
from gpnet.gp.noise.base import Noise, NoiseGain, NoiseTables
from gpnet.gp.noise_sizes import MANY_ROWS, N_PLACES, Sizes, smooth_root
from gpnet.gp.residuals import Residuals

CELL: Final = 1e-3  # of asinh(e), of many rows
LEAST_SIZE: Final = 0.05  # of a standardised residual: the prior expects none to be smaller
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


@dataclass(frozen=True)
class FlexibleNoise(Noise):
    """Prior probabilities; the data decide."""

    normal: float = 0.5  # that the noise is normal
    varying: float = 0.3  # that its size varies with the parents, if there are any

    def tables(self, values: Floats, categorical: frozenset[Node] = frozenset()) -> NoiseTables:
        """Resolutions of the columns, and functions of them that the size may follow."""
        widths = [resolution(x) for x in values.T]
        return _FlexibleTables(self, widths, Sizes.of(values, categorical))


class _FlexibleTables(NoiseTables):
    def __init__(self, noise: FlexibleNoise, widths: Sequence[Floats], sizes: Sizes) -> None:
        self._noise, self._widths, self._sizes = noise, widths, sizes

    def gain(self, residuals: Residuals, node: Node, parents: Parents) -> NoiseGain:
        """Both sizes, each with all shapes."""
        noise, widths = self._noise, self._widths[node] / residuals.sd
        constant, shaped = self._shapes(residuals.standardised, widths)
        if not parents:
            return NoiseGain(constant, shaped, 0.0)
        ratio, log_sd = self._sizes.fit(sizeable(residuals.standardised, widths), parents)
        more, shaped_too = constant, shaped
        if len(log_sd):  # else the ratio is so low that shapes make no difference
            size = np.exp(log_sd)
            more, shaped_too = self._shapes(residuals.standardised / size, widths / size)
        log_varying = log(noise.varying) + ratio + more
        total = _log_sum(log(1 - noise.varying) + constant, log_varying)
        share = exp(log_varying - total)
        return NoiseGain(total, min(1.0, (1 - share) * shaped + share * shaped_too), share)

    def gain_of_rows(self, residuals: Residuals, node: Node, parents: Parents) -> Floats:
        """Averaged over sizes and shapes, each as probable as the data make it."""
        noise, e, widths = self._noise, residuals.standardised, self._widths[node] / residuals.sd
        constant, of_constant = _shapes_of_rows(noise, e, widths)
        if not parents:
            return of_constant
        sizes = sizeable(e, widths)
        ratio, log_sd = self._sizes.fit(sizes, parents)
        if not len(log_sd):
            return of_constant
        more, of_varying = _shapes_of_rows(noise, e / np.exp(log_sd), widths / np.exp(log_sd))
        of_varying += -log_sd - sizes**2 * np.expm1(-2 * log_sd) / 2
        log_varying = log(noise.varying) + ratio + more
        share = exp(log_varying - _log_sum(log(1 - noise.varying) + constant, log_varying))
        return np.asarray((1 - share) * of_constant + share * of_varying)

    def relative_sizes(self, residuals: Residuals, node: Node, parents: Parents) -> Floats:
        """As the parents say, where they say anything."""
        e, widths = residuals.standardised, self._widths[node] / residuals.sd
        _, log_sd = self._sizes.fit(sizeable(e, widths), parents)
        return np.exp(log_sd) if len(log_sd) else super().relative_sizes(residuals, node, parents)

    def _shapes(self, residuals: Floats, widths: Floats) -> tuple[float, float]:
        """The log ratio under all shapes together, and the probability of those not normal."""
        given: Sequence[Floats] = (residuals, widths)
        if len(residuals) > MANY_ROWS and not widths.any():
            given = _gathered(residuals)
        ratios = _shape_families().log_ratios(*given).tolist()
        shaped = log((1 - self._noise.normal) / len(ratios)) + _log_sum(*ratios)
        total = _log_sum(log(self._noise.normal), shaped)
        return total, exp(shaped - total)


def _shapes_of_rows(noise: FlexibleNoise, e: Floats, widths: Floats) -> tuple[float, Floats]:
    """The log ratio under all shapes together, and the part of each row in it, (N,)."""
    ratios, rows = _shape_families().log_ratios_of_rows(e, widths)
    logs = np.array(ratios) + log((1 - noise.normal) / len(ratios))
    total = _log_sum(log(noise.normal), *logs.tolist())
    return total, np.asarray(rows @ np.exp(logs - total))


def sizeable(residuals: Floats, widths: Floats) -> Floats:
    """(N,): sizes of residuals, none smaller than LEAST_SIZE, nor than what rounding makes of 0.

    A column that others determine leaves nothing but rounding: then sizes would say, row by row,
    that it is nothing, and gain more with every row and parent.
    """
    least = np.clip(widths / np.sqrt(12.0), LEAST_SIZE, 1.0)
    return np.asarray(np.maximum(np.abs(residuals), least))


def _gathered(residuals: Floats) -> tuple[Floats, Floats, Floats]:
    """Means of many residuals in narrow cells of asinh(e), no widths, and the counts of each.

    The smallest and the largest, which edges are told by, are cells of their own.
    """
    ends = [int(residuals.argmin()), int(residuals.argmax())]
    others = np.delete(residuals, ends)
    t = np.arcsinh(others)
    place = ((t - t.min()) / CELL).astype(np.int32)
    counts, sums = np.bincount(place), np.bincount(place, weights=others)
    found = counts > 0
    e = np.concatenate([residuals[ends], sums[found] / counts[found]])
    return e, np.zeros(len(e)), np.concatenate([np.ones(len(ends)), counts[found]])


def _log_sum(*values: float) -> float:
    """The log of the sum of exp of a few numbers; SciPy's takes longer than the densities."""
    most = max(values)
    return most + log(sum(exp(value - most) for value in values))


def resolution(x: Floats) -> Floats:
    """(N,): how far each value is from its neighbours, in a column of few distinct values; else 0.

    Few are fewer than half of the rows: a continuous column may have some ties.
    """
    distinct, place = distinct_values(x)
    if 2 * len(distinct) >= len(x) or len(distinct) < 2:
        return np.broadcast_to(0.0, len(x))  # which takes no memory
    gaps = np.diff(distinct)
    around = (np.concatenate([gaps[:1], gaps]) + np.concatenate([gaps, gaps[-1:]])) / 2
    return np.asarray(around[place])


@lru_cache(maxsize=1)
def _shape_families() -> _core.NoiseShapes:
    return _core.NoiseShapes([_given(family) for family in FAMILIES])


def _given(family: Family) -> tuple[str, float, float, float, Floats]:
    grid = np.linspace(family.low, family.high, N_PLACES)
    root = smooth_root(grid, family.lengthscale, family.sd)
    return family.support, family.degrees, family.low, family.high, root
