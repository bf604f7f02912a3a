"""The order of each rank, so that few edges cross; arrays only.

A gap is what joins two neighbouring ranks: (n_above, n_below) booleans. An order is a permutation
of a rank, from left to right.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats

Gap: TypeAlias = NDArray[np.bool_]
Order: TypeAlias = NDArray[np.intp]

SWEEPS: Final = 10  # down and up again; more hardly ever help
STARTS: Final = 12  # orders to begin with: as given, and shuffled ones


def untangle(gaps: Sequence[Gap], sizes: Sequence[int]) -> list[Order]:
    """An order for each rank: sweeps of barycentres and of swaps, the best that was met.

    Deterministic: the shuffled starts have a seed of their own.
    """
    rng = np.random.default_rng(0)
    best, fewest = [np.arange(size) for size in sizes], np.inf
    for start in range(STARTS):
        orders = [np.arange(size) if start == 0 else rng.permutation(size) for size in sizes]
        for sweep in range(SWEEPS):
            _by_barycentres(gaps, orders, downwards=sweep % 2 == 0)
            _by_swaps(gaps, orders)
            found = crossings(gaps, orders)
            if found < fewest:
                best, fewest = [order.copy() for order in orders], found
        if fewest == 0:
            break
    return best


def crossings(gaps: Sequence[Gap], orders: Sequence[Order]) -> int:
    """How often links cross, over all gaps."""
    return sum(
        int(np.triu(_if_left(gap[np.ix_(above, below)]), 1).sum())
        for gap, above, below in zip(gaps, orders[:-1], orders[1:], strict=True)
    )


def _if_left(joined: Gap) -> Floats:
    """(a, a) of (a, b): how often links of u and of v cross if u is left of v.

    sum over k of [u - k] times the number of l < k with [v - l].
    """
    links = joined.astype(float)
    further_left = np.cumsum(links, axis=1) - links
    return np.asarray(links @ further_left.T)


def _by_barycentres(gaps: Sequence[Gap], orders: list[Order], *, downwards: bool) -> None:
    """Each rank by the mean place of its neighbours in the rank before, one after another."""
    ranks = range(1, len(orders)) if downwards else range(len(orders) - 2, -1, -1)
    for r in ranks:
        toward = gaps[r - 1].T if downwards else gaps[r]
        neighbours = orders[r - 1] if downwards else orders[r + 1]
        place = np.argsort(neighbours)
        mine = toward[orders[r]]
        n_links = mine.sum(axis=1)
        means = (mine @ place) / np.maximum(n_links, 1)
        means[n_links == 0] = np.flatnonzero(n_links == 0)  # who has none stays
        orders[r] = orders[r][np.argsort(means, kind="stable")]


def _by_swaps(gaps: Sequence[Gap], orders: list[Order]) -> None:
    """Neighbours in a rank change places where that spares a crossing, until none does."""
    for r, order in enumerate(orders):
        cost = np.zeros((len(order), len(order)))
        if r > 0:
            cost += _if_left(gaps[r - 1].T[np.ix_(order, orders[r - 1])])
        if r < len(gaps):
            cost += _if_left(gaps[r][np.ix_(order, orders[r + 1])])
        orders[r] = order[_sorted_by_swaps((cost - cost.T).tolist())]


def _sorted_by_swaps(gain: list[list[float]]) -> list[int]:
    """0, 1, ... with neighbours i, j swapped wherever gain[i][j] > 0."""
    order, swapped = list(range(len(gain))), True
    while swapped:  # ends: each swap spares a crossing
        swapped = False
        for k in range(len(order) - 1):
            i, j = order[k], order[k + 1]
            if gain[i][j] > 0:
                order[k], order[k + 1], swapped = j, i, True
    return order
