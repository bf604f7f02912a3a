"""Orders and ranks, against all there are."""

from itertools import permutations, product

import numpy as np
import pytest

from gpnet.graphs.dag import random_dag
from gpnet.plots.layout.ranks import causal_order, fold, rank


def forward(probabilities, order):
    return np.triu(probabilities[np.ix_(order, order)]).sum()


@pytest.mark.parametrize("seed", range(10))
def test_of_a_dag_it_is_a_topological_order(seed):
    dag = random_dag(25, 0.15, np.random.default_rng(seed))
    order = causal_order(dag.astype(float))
    assert sorted(order) == list(range(25))
    assert not np.tril(dag[np.ix_(order, order)]).any()


def test_next_to_no_order_is_better():
    """Over all 6! orders, of each of 20 graphs with far more cycles than a posterior has."""
    rng, found, chance = np.random.default_rng(0), [], []
    for _ in range(20):
        p = rng.random((6, 6)) ** 3
        np.fill_diagonal(p, 0)
        every = [forward(p, list(order)) for order in permutations(range(6))]
        found.append(forward(p, causal_order(p)) / max(every))
        chance.append(np.mean(every) / max(every))
    assert np.mean(found) > 0.99
    assert min(found) > 0.95
    assert np.mean(chance) < 0.8


def test_the_likelier_direction_points_forward():
    p = np.zeros((2, 2))
    p[1, 0], p[0, 1] = 0.66, 0.34
    assert causal_order(p).tolist() == [1, 0]


def test_noise_does_not_separate_pairs():
    """Two pairs, with a little of everything else: each stays together."""
    p = np.full((4, 4), 0.001)
    p[0, 2] = p[1, 3] = 1.0
    assert causal_order(p).tolist() in ([0, 2, 1, 3], [1, 3, 0, 2])


@pytest.mark.parametrize("seed", range(10))
def test_edges_go_down_and_are_as_short_as_they_can_be(seed):
    rng = np.random.default_rng(seed)
    edges = np.argwhere(random_dag(5, 0.5, rng))
    weights = rng.random(len(edges))

    def length(ranks):
        return weights @ (np.array(ranks)[edges[:, 1]] - np.array(ranks)[edges[:, 0]])

    found = rank(5, edges, weights)
    allowed = [r for r in product(range(5), repeat=5) if all(r[i] < r[j] for i, j in edges)]
    assert tuple(found) in allowed
    assert length(found) == pytest.approx(min(map(length, allowed)))
    assert found.min() == 0


def test_wide_ranks_are_cut():
    """One parent of thirty, and a child of the first of them."""
    edges = np.array([(0, child) for child in range(1, 31)] + [(1, 31)])
    ranks = rank(32, edges, np.ones(31))
    found = fold(ranks, edges, np.full(32, 10.0), 100.0)
    assert (found[edges[:, 0]] < found[edges[:, 1]]).all()
    assert np.bincount(found).max() <= 10 < np.bincount(ranks).max()
    assert found.max() == 4
    assert found[1] == 3  # who has a child stands nearest to it


def test_no_rank_is_empty_and_none_is_cut_that_need_not():
    rng = np.random.default_rng(0)
    edges = np.argwhere(random_dag(30, 0.05, rng))
    ranks = rank(30, edges, np.ones(len(edges)))
    found = fold(ranks, edges, rng.choice([1.0, 500.0], 30), 60.0)
    assert set(found) == set(range(found.max() + 1))
    np.testing.assert_array_equal(fold(ranks, edges, np.ones(30), 30.0), ranks)


def test_without_edges_there_is_one_rank():
    assert rank(3, np.empty((0, 2), dtype=np.intp), np.empty(0)).tolist() == [0, 0, 0]
