"""The dual PC algorithm on known skeletons, and beside a plain PC."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from gpnet.graphs.dag import random_dag
from gpnet.graphs.dual_pc import dual_pc_skeleton

ALPHA = 1e-4


def linear(dag, n_rows, seed):
    """Standard normal noise; all weights 0.7, where no two paths of these graphs cancel."""
    n, rng = len(dag), np.random.default_rng(seed)
    values = rng.standard_normal((n_rows, n)) @ np.linalg.inv(np.eye(n) - 0.7 * dag)
    return np.corrcoef(values.T)


def edges(n, *pairs):
    dag = np.zeros((n, n), bool)
    for parent, child in pairs:
        dag[parent, child] = True
    return dag


def partial_correlation(correlation, x, y, given):
    """By regression of both on the rest, rather than by an inverse."""
    given = list(given)
    within = correlation[np.ix_(given, given)]
    both = correlation[np.ix_([x, y], [x, y])]
    across = correlation[np.ix_([x, y], given)]
    left = both - across @ np.linalg.solve(within, across.T) if given else both
    return left[0, 1] / np.sqrt(left[0, 0] * left[1, 1])


def plain_pc(correlation, n_rows, alpha, max_order, others_too=False):
    """PC-stable, one test at a time; with others_too, also given all but the neighbours."""
    n = len(correlation)
    bound = norm.ppf(1 - alpha / 2)
    adjacent = ~np.eye(n, dtype=bool)
    for order in range(max_order + 1):
        before = adjacent.copy()
        for x, y in np.argwhere(before):
            neighbours = [v for v in np.flatnonzero(before[x]) if v != y]
            for some in combinations(neighbours, order):
                rest = [v for v in range(n) if v not in (x, y, *some)]
                for given in (some, rest) if others_too else (some,):
                    r = partial_correlation(correlation, x, y, given)
                    if abs(np.arctanh(r)) * np.sqrt(n_rows - len(given) - 3) <= bound:
                        adjacent[x, y] = adjacent[y, x] = False
    return adjacent


@pytest.mark.parametrize(
    "dag",
    [
        edges(4),
        edges(4, (0, 1), (1, 2), (2, 3)),
        edges(3, (0, 2), (1, 2)),
        edges(4, (0, 2), (1, 2), (2, 3)),
        edges(4, (1, 0), (2, 0), (3, 0)),
        edges(5, (0, 1), (0, 2), (1, 3), (2, 3), (3, 4)),
    ],
    ids=["nothing", "chain", "collider", "collider with a child", "three parents", "diamond"],
)
def test_known_skeletons(dag):
    """20 seeds; each pair without an edge is kept by chance with probability at most 1e-4."""
    for seed in range(20):
        found = dual_pc_skeleton(linear(dag, 5000, seed), 5000, alpha=ALPHA, max_order=3)
        np.testing.assert_array_equal(found, dag | dag.T)


@pytest.mark.parametrize("seed", range(8))
def test_tests_are_those_of_partial_correlations(seed):
    """At any level and number of rows, not only where the answer is plain."""
    rng = np.random.default_rng(seed)
    correlation = linear(random_dag(7, 0.5, rng), 60, seed)
    for alpha in (0.01, 0.2):
        for dual in (False, True):
            found = dual_pc_skeleton(correlation, 60, alpha=alpha, max_order=2, dual=dual)
            expected = plain_pc(correlation, 60, alpha, 2, others_too=dual)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(5))
def test_where_rows_abound_it_finds_what_pc_finds(seed):
    """From the correlations of the model itself, as if there were 10^8 rows."""
    rng = np.random.default_rng(seed)
    n = 8
    dag = random_dag(n, 0.3, rng)
    weights = dag * rng.uniform(0.5, 1.2, (n, n))
    root = np.linalg.inv(np.eye(n) - weights)
    covariance = root.T @ root
    scale = np.sqrt(np.diagonal(covariance))
    correlation = covariance / np.outer(scale, scale)
    found = dual_pc_skeleton(correlation, 10**8, alpha=1e-6, max_order=6)
    np.testing.assert_array_equal(found, plain_pc(correlation, 10**8, 1e-6, 6))
    np.testing.assert_array_equal(found, dag | dag.T)


def test_false_edges_come_at_the_stated_level():
    """Independent columns, one round: each of 4 x 435 pairs stays with probability 0.05 at most.

    Tests given nothing and given all others agree on most pairs, so that the share lies between
    0.02 and 0.05. More than 0.07 would come by chance once in 10^4 times. Without tests, all stay.
    """
    kept = 0
    for seed in range(4):
        values = np.random.default_rng(seed).standard_normal((300, 30))
        found = dual_pc_skeleton(np.corrcoef(values.T), 300, alpha=0.05, max_order=0)
        kept += np.triu(found).sum()
    assert 0.01 < kept / (4 * 435) < 0.07
    everything = dual_pc_skeleton(np.eye(5), 3, alpha=0.05, max_order=0)
    assert everything.sum() == 20  # three rows tell nothing


def test_order_of_columns_does_not_matter():
    correlation = linear(random_dag(12, 0.3, np.random.default_rng(3)), 80, 3)
    places = np.random.default_rng(0).permutation(12)
    moved = correlation[np.ix_(places, places)]
    one, two = (dual_pc_skeleton(c, 80, alpha=0.1, max_order=3) for c in (correlation, moved))
    np.testing.assert_array_equal(one[np.ix_(places, places)], two)


def test_few_rows_leave_out_the_dual_tests():
    """Given all others hardly any rows are left: an edge would go for want of evidence."""
    correlation = linear(edges(30, *[(i, i + 1) for i in range(29)]), 40, 0)
    one, two = (
        dual_pc_skeleton(correlation, 40, alpha=0.05, max_order=1, dual=dual)
        for dual in (True, False)
    )
    np.testing.assert_array_equal(one, two)


def test_columns_that_repeat_each_other():
    correlation = np.ones((3, 3))
    correlation[2, :2] = correlation[:2, 2] = 0.1
    found = dual_pc_skeleton(correlation, 100, alpha=0.05, max_order=1)
    assert found[0, 1]
