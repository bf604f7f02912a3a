"""Markov equivalent DAGs that agree where they must, against enumeration."""

import numpy as np
import pytest
from scipy.stats import binom

from gpnet.graphs.class_members import class_parts, combined
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.equivalence import cpdag


def classes(n):
    dags = all_dags(n)
    return dags, [graph.tobytes() for graph in cpdag(dags)]


def class_members(dag, may_turn, *, most, rng):
    """All members if these are at most `most`; else so many, drawn uniformly."""
    parts = class_parts(dag, may_turn, most=most, rng=rng)
    alike = [np.full(len(part.members), 1 / len(part.members)) for part in parts]
    dags, weights = combined(dag, parts, alike, most=most, rng=rng)
    np.testing.assert_allclose(weights, 1 / len(dags))
    return dags


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
        assert as_set(members) == expected
        assert len(members) == len(expected)


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
        assert as_set(members) == expected


def test_a_large_class_is_drawn_from_uniformly():
    """A complete DAG of four nodes has 24 members; 600 draws, 25 expected of each.

    The most frequent of 24 has 50 or more with a probability below 1e-4.
    """
    n = 4
    assert 24 * binom.sf(49, 600, 1 / 24) < 1e-4
    dag, anything = np.triu(np.ones((n, n), dtype=bool), k=1), np.ones((n, n), dtype=bool)
    rng = np.random.default_rng(3)
    drawn = [class_members(dag, anything, most=20, rng=rng) for _ in range(30)]
    assert {len(some) for some in drawn} == {20}
    every = np.concatenate(drawn)
    _, counts = np.unique(every.reshape(len(every), -1), axis=0, return_counts=True)
    assert len(counts) == 24
    assert counts.max() < 50


def test_nothing_to_turn():
    collider = np.zeros((3, 3), dtype=bool)
    collider[[0, 1], 2] = True
    members = class_members(
        collider, np.ones((3, 3), dtype=bool), most=5, rng=np.random.default_rng(0)
    )
    np.testing.assert_array_equal(members, collider[None])


def test_members_of_parts_are_as_frequent_as_their_weights():
    """Three parts of one edge each: eight combinations, of which five are asked for."""
    n = 6
    dag = np.zeros((n, n), dtype=bool)
    dag[0, 1] = dag[2, 3] = dag[4, 5] = True
    rng = np.random.default_rng(0)
    parts = class_parts(dag, np.ones((n, n), dtype=bool), most=10, rng=rng)
    assert [part.nodes.tolist() for part in parts] == [[0, 1], [2, 3], [4, 5]]
    weights = [
        np.array([0.8, 0.2]) if part.members[0, 0, 1] else np.array([0.2, 0.8]) for part in parts
    ]
    every, exactly = combined(dag, parts, weights, most=8, rng=rng)
    assert len(as_set(every)) == 8
    assert exactly.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.tensordot(exactly, every, 1)[[0, 2, 4], [1, 3, 5]], 0.8)
    some, alike = combined(dag, parts, weights, most=5, rng=rng)
    np.testing.assert_allclose(alike, 0.2)
    assert some[:, [0, 2, 4], [1, 3, 5]].sum(axis=0).tolist() == [4, 4, 4]
