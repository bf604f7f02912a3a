"""Markov equivalent DAGs that agree where they must, against enumeration."""

import numpy as np
import pytest

from gpnet.graphs.class_members import class_members
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.equivalence import cpdag


def classes(n):
    dags = all_dags(n)
    return dags, [graph.tobytes() for graph in cpdag(dags)]


def as_set(dags):
    return {dag.tobytes() for dag in dags}


@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_members_of_every_class(n):
    dags, keys = classes(n)
    anything = np.ones((n, n), dtype=bool)
    rng = np.random.default_rng(0)
    for dag, key in zip(dags, keys, strict=True):
        members = class_members(dag, anything, most=1000, rng=rng)
        expected = as_set(one for one, other in zip(dags, keys, strict=True) if other == key)
        assert as_set(members.dags) == expected
        assert len(members.dags) == len(expected)
        np.testing.assert_allclose(members.shares, 1 / len(expected))


@pytest.mark.parametrize("n", [3, 4])
def test_edges_that_must_stay(n):
    dags, keys = classes(n)
    rng = np.random.default_rng(1)
    for dag, key in zip(dags, keys, strict=True):
        stays = np.triu(rng.random((n, n)) < 0.5)
        may_turn = ~(stays | stays.T)
        members = class_members(dag, may_turn, most=1000, rng=rng)
        expected = as_set(
            one
            for one, other in zip(dags, keys, strict=True)
            if other == key and ((one == dag) | may_turn).all()
        )
        assert as_set(members.dags) == expected


def test_a_large_class_is_drawn_from_uniformly():
    """A complete DAG of five nodes has 120 members; 2 000 draws, 17 expected of each.

    The most frequent of 120 has more than 40 with a probability below 1e-4.
    """
    n = 5
    dag = np.triu(np.ones((n, n), dtype=bool), k=1)
    members = class_members(
        dag, np.ones((n, n), dtype=bool), most=100, rng=np.random.default_rng(2)
    )
    assert len(members.dags) == 100
    rng = np.random.default_rng(3)
    drawn = np.concatenate(
        [class_members(dag, np.ones((n, n), dtype=bool), most=100, rng=rng).dags for _ in range(20)]
    )
    _, counts = np.unique(drawn.reshape(len(drawn), -1), axis=0, return_counts=True)
    assert len(counts) > 110
    assert counts.max() < 40


def test_nothing_to_turn():
    collider = np.zeros((3, 3), dtype=bool)
    collider[[0, 1], 2] = True
    members = class_members(
        collider, np.ones((3, 3), dtype=bool), most=5, rng=np.random.default_rng(0)
    )
    np.testing.assert_array_equal(members.dags, collider[None])
