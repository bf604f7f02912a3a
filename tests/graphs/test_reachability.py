"""Ancestors and generations, against powers of the matrix and against networkx."""

import networkx as nx
import numpy as np
import pytest

from gpnet.graphs.dag import random_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.reachability import ancestors, generations


def powers(dag):
    """Of the matrix: [k - 1][i, j] counts the paths of k edges."""
    found, power = [], np.eye(len(dag), dtype=int)
    for _ in range(len(dag)):
        power = power @ dag.astype(int)
        found.append(power > 0)
    return np.array(found)


def many_dags():
    rng = np.random.default_rng(3)
    wide = [random_dag(11, density, rng) for density in (0.1, 0.2, 0.5) for _ in range(30)]
    return [all_dags(1), all_dags(2), all_dags(4), np.array(wide)]


@pytest.mark.parametrize("dags", many_dags(), ids=lambda dags: str(dags.shape))
def test_paths_are_powers_of_the_matrix(dags):
    of_length = np.array([powers(dag) for dag in dags])  # (m, k, n, n)
    np.testing.assert_array_equal(ancestors(dags), of_length.any(axis=1))
    to_node = of_length.any(axis=2)  # (m, k, n): some path of k edges leads to the node
    np.testing.assert_array_equal(generations(dags), to_node.sum(axis=1))


def test_generations_are_those_of_networkx():
    rng = np.random.default_rng(4)
    for _ in range(20):
        dag = random_dag(15, 0.2, rng)
        found = generations(dag[None])[0]
        graph = nx.from_numpy_array(dag, create_using=nx.DiGraph)
        for place, members in enumerate(nx.topological_generations(graph)):
            assert found[members].tolist() == [place] * len(members)


@pytest.mark.parametrize("n", [2, 3, 5, 9, 33, 100])
def test_the_longest_path_there_can_be(n):
    path = np.zeros((1, n, n), dtype=bool)
    path[0, np.arange(n - 1), np.arange(1, n)] = True
    np.testing.assert_array_equal(ancestors(path)[0], np.triu(np.ones((n, n), dtype=bool), k=1))
    assert generations(path)[0].tolist() == list(range(n))


def test_the_dags_themselves_stay_as_they_are():
    dags = all_dags(4)
    before = dags.copy()
    ancestors(dags)
    np.testing.assert_array_equal(dags, before)


def test_nothing_gives_nothing():
    none = np.zeros((0, 3, 3), dtype=bool)
    assert ancestors(none).shape == (0, 3, 3)
    assert generations(none).shape == (0, 3)
