"""d-separation, against networkx and against the definition by paths; Markov blankets by it."""

from itertools import combinations, pairwise, permutations

import networkx as nx
import numpy as np
import pytest

from gpnet.graphs.blanket import markov_blanket
from gpnet.graphs.dag import random_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.reachability import ancestors
from gpnet.graphs.separation import d_separated


def subsets(nodes):
    return [set(some) for k in range(len(nodes) + 1) for some in combinations(nodes, k)]


def blocked_on_every_path(dag, a, b, given):
    """Pearl's definition, path by path, for two nodes."""
    reach = ancestors(dag[None])[0] | np.eye(len(dag), dtype=bool)
    others = [v for v in range(len(dag)) if v not in (a, b)]
    adjacent = dag | dag.T
    for inner in (p for k in range(len(others) + 1) for p in permutations(others, k)):
        path = (a, *inner, b)
        if not all(adjacent[i, j] for i, j in pairwise(path)):
            continue
        for before, node, after in zip(path, path[1:], path[2:], strict=False):
            below = set(np.flatnonzero(reach[node]))
            meets = dag[before, node] and dag[after, node]
            if not below & given if meets else node in given:
                break
        else:
            return False
    return True


@pytest.mark.parametrize("given", subsets([2, 3]), ids=str)
def test_all_four_node_dags_by_paths_and_by_networkx(given):
    dags = all_dags(4)
    found = d_separated(dags, [0], [1], sorted(given))
    assert found.any()
    assert not found.all()
    for dag, separated in zip(dags, found, strict=True):
        assert separated == blocked_on_every_path(dag, 0, 1, given)
        graph = nx.from_numpy_array(dag, create_using=nx.DiGraph)
        assert separated == nx.is_d_separator(graph, 0, 1, given)


def test_sets_of_nodes_in_larger_dags():
    rng = np.random.default_rng(5)
    dags = np.array([random_dag(9, density, rng) for density in (0.1, 0.2, 0.3) for _ in range(25)])
    graphs = [nx.from_numpy_array(dag, create_using=nx.DiGraph) for dag in dags]
    n_separated = 0
    for _ in range(20):
        nodes = rng.permutation(9).tolist()
        a, b, given = nodes[:2], nodes[2:4], nodes[4 : 4 + rng.integers(5)]
        expected = [nx.is_d_separator(graph, set(a), set(b), set(given)) for graph in graphs]
        assert d_separated(dags, a, b, given).tolist() == expected
        n_separated += sum(expected)
    assert 50 < n_separated < 1450


def test_a_collider_and_a_fork_are_opposites():
    collider = np.zeros((3, 3), dtype=bool)
    collider[[0, 1], 2] = True
    both = np.array([collider, collider.T])
    assert d_separated(both, [0], [1], []).tolist() == [True, False]
    assert d_separated(both, [0], [1], [2]).tolist() == [False, True]


@pytest.mark.parametrize("node", range(4))
def test_a_blanket_is_the_smallest_set_that_separates_from_the_rest(node):
    dags = all_dags(4)
    others = [v for v in range(4) if v != node]
    expected = np.zeros((len(dags), 4), dtype=bool)
    settled = np.zeros(len(dags), dtype=bool)
    for given in subsets(others):  # the smaller first
        rest = [v for v in others if v not in given]
        separates = d_separated(dags, [node], rest, sorted(given)) if rest else ~settled
        new = separates & ~settled
        expected[np.ix_(new, sorted(given))] = True
        settled |= new
    np.testing.assert_array_equal(markov_blanket(dags, node), expected)
