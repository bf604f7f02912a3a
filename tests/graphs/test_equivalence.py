"""CPDAGs against whole equivalence classes, collected by their definition."""

from itertools import combinations

import numpy as np
import pytest

from gpnet.graphs import distinct
from gpnet.graphs.dag import random_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.equivalence import cpdag


def class_of(dag):
    """Adjacencies and v-structures: what equivalent DAGs share."""
    adjacent = dag | dag.T
    n = len(dag)
    pairs = [(i, j) for i, j in combinations(range(n), 2) if not adjacent[i, j]]
    meeting = frozenset((i, k, j) for i, j in pairs for k in range(n) if dag[i, k] and dag[j, k])
    return adjacent.tobytes(), meeting


def by_definition(dags):
    """Of all DAGs: an edge has the directions that it has somewhere in the class."""
    classes = {}
    for i, dag in enumerate(dags):
        classes.setdefault(class_of(dag), []).append(i)
    expected = np.zeros_like(dags)
    for members in classes.values():
        expected[members] = dags[members].any(axis=0)
    return expected, len(classes)


# Numbers of classes: Gillispie & Perlman (2001).
@pytest.mark.parametrize(("n_nodes", "n_classes"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_compelled_is_what_all_members_of_the_class_share(n_nodes, n_classes):
    dags = all_dags(n_nodes)
    expected, n_expected = by_definition(dags)
    found = cpdag(dags)
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found, axis=0)) == n_expected == n_classes


def test_blocks_change_nothing(monkeypatch):
    dags = all_dags(4)
    whole = cpdag(dags)
    monkeypatch.setattr(distinct, "MOST_CELLS", 64 * 10)
    np.testing.assert_array_equal(cpdag(dags), whole)


def test_the_third_rule_and_a_long_chain_of_the_first():
    third = np.zeros((4, 4), dtype=bool)  # x -> z <- y, and a adjacent to all: only a -> z follows
    a, x, y, z = range(4)
    third[[x, y, a, a, a], [z, z, z, x, y]] = True
    expected = third | third.T
    expected[z] = False
    np.testing.assert_array_equal(cpdag(third[None])[0], expected)
    chain = np.zeros((60, 60), dtype=bool)  # 0 -> 2 <- 1, then 2 -> 3 -> 4 -> ...
    chain[0, 2] = chain[1, 2] = True
    chain[np.arange(2, 59), np.arange(3, 60)] = True
    np.testing.assert_array_equal(cpdag(chain[None])[0], chain)
    chain[0, 2] = False  # without the v-structure nothing is compelled
    np.testing.assert_array_equal(cpdag(chain[None])[0], chain | chain.T)


@pytest.mark.parametrize("density", [0.1, 0.4, 0.8])
def test_large_ones_by_covered_edges(density):
    """Chickering (1995): reversing an edge whose ends have the same other parents changes no class.

    So it is reversible, and the CPDAG stays.
    """
    rng = np.random.default_rng(6)
    n_reversed = 0
    for _ in range(20):
        dag = random_dag(12, density, rng)
        graph = cpdag(dag[None])[0]
        for _ in range(10):
            covered = [
                (i, j)
                for i, j in np.argwhere(dag)
                if np.array_equal(np.delete(dag[:, i], [i, j]), np.delete(dag[:, j], [i, j]))
            ]
            if not covered:
                break
            i, j = covered[rng.integers(len(covered))]
            assert graph[j, i]
            dag[i, j], dag[j, i] = False, True
            np.testing.assert_array_equal(cpdag(dag[None])[0], graph)
            n_reversed += 1
    assert n_reversed > 50


def test_no_dags_and_no_edges():
    assert cpdag(np.zeros((0, 3, 3), dtype=bool)).shape == (0, 3, 3)
    assert not cpdag(np.zeros((2, 3, 3), dtype=bool)).any()
    assert cpdag(np.zeros((2, 0, 0), dtype=bool)).shape == (2, 0, 0)
