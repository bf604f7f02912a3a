"""Whole functions of a node given its parents, drawn and tabulated; arrays only.

All is standardised. A drawn function is a constant, a part of each parent and perhaps one of each
pair of parents, each a table over an even grid that reaches beyond the rows. Between the points of
a grid it is straight; beyond its ends a line goes on, and a curve stays where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from gpnet.common.types import Floats, Parents

MARGIN: Final = 0.25  # of the range, on either side: a cause may push others beyond their rows
N_POINTS: Final = 1024  # of a curve's table
N_POINTS_OF_PAIRS: Final = 96  # in each direction
PER_LENGTHSCALE: Final = 4  # nodes from which a smooth curve is interpolated
FEWEST_NODES: Final = 24
MOST_NODES: Final = 400


@dataclass(frozen=True)
class Domain:
    """The even grid over which functions of one parent are tabulated."""

    low: float
    step: float
    size: int
    levels: tuple[float, ...] = ()  # of a categorical parent: the points themselves

    @classmethod
    def over(cls, z: Floats, size: int) -> "Domain":
        """Of a parent with values z (N,), and some way beyond them."""
        low, high = float(z.min()), float(z.max())
        beyond = MARGIN * (high - low)
        return cls(low - beyond, (high - low + 2 * beyond) / (size - 1), size)

    @classmethod
    def of_levels(cls, z: Floats) -> "Domain":
        """Of levels 0, 1, ..., standardised."""
        levels = np.unique(z)
        step = float(levels[-1] - levels[0]) / max(len(levels) - 1, 1)
        return cls(float(levels[0]), step or 1.0, len(levels), tuple(levels.tolist()))

    @property
    def points(self) -> Floats:
        """(G,): levels as they stand in the table, bit by bit."""
        if self.levels:
            return np.array(self.levels)
        return np.asarray(self.low + self.step * np.arange(self.size), dtype=np.float64)

    def nodes(self, lengthscale: float) -> Floats:
        """Fewer points, that a curve of this lengthscale is interpolated from; all levels."""
        if self.levels:
            return self.points
        width = self.step * (self.size - 1)
        n = int(np.clip(PER_LENGTHSCALE * width / lengthscale, FEWEST_NODES, MOST_NODES))
        return np.linspace(self.low, self.low + width, n)

    def from_nodes(self, nodes: Floats, heights: Floats) -> Floats:
        """(G, k): functions at all points, from heights (m, k) at nodes (m,)."""
        if self.levels:
            return heights
        return np.asarray(CubicSpline(nodes, heights)(self.points))

    def coarser(self, size: int) -> "Domain":
        """Over the same range in fewer points; levels stay what they are."""
        if self.levels:
            return self
        return Domain(self.low, self.step * (self.size - 1) / (size - 1), size)


class Pair(NamedTuple):
    """What two parents do together."""

    first: int  # their places among the parents
    second: int
    domains: tuple[Domain, Domain]
    heights: Floats  # (K, G, G')


@dataclass(frozen=True, eq=False)
class DrawnFunctions:
    """K functions of p parents."""

    parents: Parents
    domains: tuple[Domain, ...]
    constant: Floats  # (K,)
    heights: tuple[Floats, ...]  # (K, G) of each parent
    straight: NDArray[np.bool_]  # (K,): whether they are lines, which go on beyond the domains
    pairs: tuple[Pair, ...] = ()

    def __len__(self) -> int:
        return len(self.constant)

    def some(self, draws: NDArray[np.intp]) -> "DrawnFunctions":
        """Some of them, in this order."""
        return DrawnFunctions(
            self.parents,
            self.domains,
            self.constant[draws],
            tuple(heights[draws] for heights in self.heights),
            self.straight[draws],
            tuple(pair._replace(heights=pair.heights[draws]) for pair in self.pairs),
        )

    def part(self, place: int, z: Floats) -> Floats:
        """(K, ...): what one parent does by itself, at its values (K, ...) or (1, ...)."""
        return _between(self.heights[place], self.domains[place], z, self.straight)

    def at(self, columns: Sequence[Floats]) -> Floats:
        """(K, ...): the functions where each parent has values (K, ...) or (1, ...)."""
        n_axes = max((z.ndim for z in columns), default=1)
        total = self.constant.reshape(-1, *[1] * (n_axes - 1))
        for place, z in enumerate(columns):
            total = total + self.part(place, z)
        for pair in self.pairs:
            total = total + _between_two(pair, columns[pair.first], columns[pair.second])
        return total


def joined(parts: Sequence[DrawnFunctions], order: NDArray[np.intp]) -> DrawnFunctions:
    """Functions from several sources, over the same domains, in a new order."""
    first = parts[0]
    pairs = [
        pair._replace(heights=np.concatenate([part.pairs[i].heights for part in parts]))
        for i, pair in enumerate(first.pairs)
    ]
    return DrawnFunctions(
        first.parents,
        first.domains,
        np.concatenate([part.constant for part in parts]),
        tuple(np.concatenate(each) for each in zip(*(part.heights for part in parts), strict=True)),
        np.concatenate([part.straight for part in parts]),
        tuple(pairs),
    ).some(order)


def lines(
    parents: Parents, domains: Sequence[Domain], constant: Floats, slopes: Sequence[Floats]
) -> DrawnFunctions:
    """Of slopes (K,) for each parent; (K, L) are heights at its L levels."""
    heights = tuple(
        slope if domain.levels else slope[:, None] * domain.points
        for slope, domain in zip(slopes, domains, strict=True)
    )
    everywhere = np.ones(len(constant), dtype=bool)
    return DrawnFunctions(parents, tuple(domains), constant, heights, everywhere)


def shares_to_counts(shares: Floats, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(k,): how many of n are of each kind, as even as shares (k,) allow; unbiased."""
    ends = np.concatenate([[0.0], np.cumsum(shares) / np.sum(shares)])
    return np.asarray(np.diff(np.floor(ends * n + rng.random())).astype(np.intp))


def _between(
    heights: Floats, domain: Domain, z: Floats, straight: NDArray[np.bool_] | None = None
) -> Floats:
    below, share = _place(domain, z, straight)
    start = domain.size * np.arange(len(heights)).reshape(-1, *[1] * (z.ndim - 1))
    flat, at = heights.reshape(-1), start + below
    left = flat[at]
    if domain.size == 1:
        return np.asarray(left)
    return np.asarray(left + share * (flat[at + 1] - left))


def _between_two(pair: Pair, z: Floats, other: Floats) -> Floats:
    """Bilinear."""
    (one, two), heights = pair.domains, pair.heights
    i, s = _place(one, z)
    j, t = _place(two, other)
    start = one.size * two.size * np.arange(len(heights)).reshape(-1, *[1] * (i.ndim - 1))
    flat, at = heights.reshape(-1), start + i * two.size + j
    right, up = (two.size if one.size > 1 else 0), (1 if two.size > 1 else 0)
    near = flat[at] + t * (flat[at + up] - flat[at])
    far = flat[at + right] + t * (flat[at + right + up] - flat[at + right])
    return np.asarray(near + s * (far - near))


def _place(
    domain: Domain, z: Floats, straight: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], Floats]:
    """The point below, and the share of the way to the next."""
    place, last = (z - domain.low) / domain.step, domain.size - 1
    inside = np.clip(place, 0, last)
    if straight is None or not straight.any():
        place = inside
    elif not straight.all():
        place = np.where(straight.reshape(-1, *[1] * (z.ndim - 1)), place, inside)
    below = np.minimum(inside.astype(np.intp), max(last - 1, 0))
    return below, place - below
