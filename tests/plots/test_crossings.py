"""Crossings, counted one by one and against all orders there are."""

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

from gpnet.plots.layout.crossings import crossings, untangle


def one_by_one(gaps, orders):
    """Two links cross where their ends stand in opposite orders."""
    total = 0
    for gap, above, below in zip(gaps, orders[:-1], orders[1:], strict=True):
        upper, lower = np.argsort(above), np.argsort(below)
        for (a, b), (c, d) in combinations(np.argwhere(gap).tolist(), 2):
            total += (upper[a] - upper[c]) * (lower[b] - lower[d]) < 0
    return total


def random_gaps(sizes, share, rng):
    return [rng.random((a, b)) < share for a, b in pairwise(sizes)]


@pytest.mark.parametrize("seed", range(5))
def test_they_are_counted_right(seed):
    rng = np.random.default_rng(seed)
    sizes = [6, 9, 1, 7]
    gaps, orders = random_gaps(sizes, 0.4, rng), [rng.permutation(size) for size in sizes]
    assert crossings(gaps, orders) == one_by_one(gaps, orders) > 0


def test_no_order_is_much_better():
    """Over all 3! 4! 3! orders of each of 20 graphs; in most of them no order is better at all."""
    rng, found, best = np.random.default_rng(0), [], []
    for _ in range(20):
        gaps = random_gaps([3, 4, 3], 0.45, rng)
        every = product(*(permutations(range(size)) for size in (3, 4, 3)))
        best.append(min(crossings(gaps, [np.array(o) for o in orders]) for orders in every))
        found.append(crossings(gaps, untangle(gaps, [3, 4, 3])))
    assert np.mean(np.array(found) == best) >= 0.9
    assert sum(found) <= 1.05 * sum(best)


def test_far_fewer_than_by_chance():
    """Barycentres alone come to a third of the best of 200 random orders, swaps to a quarter."""
    rng = np.random.default_rng(0)
    sizes = [15, 25, 25, 20, 12]
    gaps = random_gaps(sizes, 0.07, rng)
    chance = [crossings(gaps, [rng.permutation(s) for s in sizes]) for _ in range(200)]
    found = untangle(gaps, sizes)
    assert crossings(gaps, found) < 0.29 * min(chance)
    assert [sorted(order) for order in found] == [list(range(size)) for size in sizes]


def test_a_tree_has_none():
    """From its leaves' worst order: a tree can always be drawn without crossings."""
    upper, lower = np.zeros((3, 9), dtype=bool), np.zeros((1, 3), dtype=bool)
    lower[:] = True
    upper[np.arange(9) % 3, np.arange(9)] = True
    gaps = [lower, upper]
    assert crossings(gaps, [np.arange(1), np.arange(3), np.arange(9)]) > 0
    assert crossings(gaps, untangle(gaps, [1, 3, 9])) == 0
