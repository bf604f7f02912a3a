"""Networks that are not of gpnet's model: each is foreign in the way it should be, and no other."""

import numpy as np
import pytest
from experiments.foreign_networks.networks import (
    KINDS,
    SHAPES,
    Kind,
    draw,
    mechanism,
    random_dag,
    with_hidden_cause,
)
from scipy.stats import kurtosis, rankdata, skew

from gpnet.graphs.dag import topological_order


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nodes", [2, 5, 10])
def test_a_network_is_a_dag_with_a_table(kind, nodes):
    drawn = draw(KINDS[kind], nodes, 200, [0, 1])
    assert drawn.values.shape == (200, nodes)
    assert drawn.dag.shape == (nodes, nodes)
    assert np.isfinite(drawn.values).all()
    assert (drawn.values.std(axis=0) > 0).all()
    assert topological_order(drawn.dag) is not None
    assert np.array_equal(drawn.values, draw(KINDS[kind], nodes, 200, [0, 1]).values)
    assert not np.array_equal(drawn.values, draw(KINDS[kind], nodes, 200, [0, 2]).values)


def test_the_cause_is_in_either_column_and_networks_have_an_edge_a_node():
    firsts = sum(random_dag(2, np.random.default_rng(seed))[0, 1] for seed in range(200))
    assert 70 < firsts < 130  # 100 expected; false alarms: one in 40 000
    edges = [random_dag(10, np.random.default_rng(seed)).sum() for seed in range(200)]
    assert 9 < np.mean(edges) < 11


def test_distributions_have_their_shapes():
    drawn = {name: shape(200_000, np.random.default_rng(0)) for name, shape in SHAPES.items()}
    for name, x in drawn.items():
        assert abs(x.mean()) < 0.02, name
        assert x.var() == pytest.approx(1, abs=0.15), name
    assert abs(skew(drawn["normal"])) < 0.03
    assert skew(drawn["exponential"]) == pytest.approx(2, abs=0.15)
    assert skew(drawn["lognormal"]) > 2.5
    assert kurtosis(drawn["Laplace"]) == pytest.approx(3, abs=0.3)
    assert kurtosis(drawn["uniform"]) == pytest.approx(-1.2, abs=0.02)
    assert kurtosis(drawn["t3"]) > 6


def roots_of(kind, rows=3000):
    for number in range(10):
        drawn = draw(KINDS[kind], 5, rows, [number])
        yield from drawn.values[:, ~drawn.dag.any(axis=0)].T


def test_roots_are_skewed_where_they_should_be():
    assert min(skew(root) for root in roots_of("skewed roots")) > 1.5
    assert min(kurtosis(root) for root in roots_of("t3 roots")) > 1.5
    for control in ("Gaussian, curved", "exponential noise", "varying noise"):
        assert max(abs(skew(root)) for root in roots_of(control)) < 0.25


def residuals(kind, number):
    """Of a pair, linear: what is left of the effect; and its cause."""
    drawn = draw(kind, 2, 5000, [number])
    cause = drawn.values[:, drawn.dag.any(axis=1)][:, 0]
    effect = drawn.values[:, drawn.dag.any(axis=0)][:, 0]
    return effect - np.polyval(np.polyfit(cause, effect, 1), cause), cause


def test_noise_has_its_shape():
    shapes = {}
    for name in ("normal", "exponential", "uniform", "Laplace", "t3"):
        left = [residuals(Kind(noise=name, linear=True), number)[0] for number in range(3)]
        shapes[name] = np.mean([skew(x) for x in left]), np.mean([kurtosis(x) for x in left])
    assert np.abs(shapes["normal"]).max() < 0.15
    assert shapes["exponential"][0] > 1.7
    assert shapes["uniform"][1] < -1.1
    assert shapes["Laplace"][1] > 2
    assert shapes["t3"][1] > 4


@pytest.mark.parametrize(("varying", "least", "most"), [(True, 0.2, 1), (False, 0, 0.06)])
def test_noise_varies_with_the_cause_only_where_it_should(varying, least, most):
    left, cause = residuals(Kind(linear=True, varying=varying), 1)
    assert least <= abs(np.corrcoef(np.abs(left), cause)[0, 1]) < most


@pytest.mark.parametrize("products", [True, False])
def test_products_are_not_additive_and_the_control_is(products):
    """The mean given two independent parents is, or is not, a function of each and no more."""
    parents = np.random.default_rng(0).standard_normal((5000, 2))
    kind = Kind(linear=True, products=products)
    mean = mechanism(kind, parents, np.random.default_rng(1))
    trace = abs(np.corrcoef(mean, parents.prod(axis=1))[0, 1])
    assert (trace > 0.5) == products
    assert trace > 0.5 or trace < 0.05


def test_the_hidden_cause_is_dropped_and_leaves_a_dependence_without_an_edge():
    for number in range(5):
        pair_of_effects = draw(Kind(hidden=True, linear=True), 2, 2000, [number])
        assert pair_of_effects.values.shape == (2000, 2)
        assert not pair_of_effects.dag.any()
        assert abs(np.corrcoef(pair_of_effects.values.T)[0, 1]) > 0.2
    whole = with_hidden_cause(np.triu(np.ones((5, 5), dtype=bool), 1), np.random.default_rng(0))
    effects = np.flatnonzero(whole[5])
    assert len(effects) == 2
    assert not whole[np.ix_(effects, effects)].any()
    assert not whole[:, 5].any()
    assert whole[:5, :5].sum() == 9  # the other edges stay


def test_columns_are_rounded_levelled_and_spoilt():
    clean, rounded, levels, outliers, warped = (
        draw(Kind(columns=name), 5, 3000, [7]).values
        for name in ("as drawn", "rounded", "five levels", "with outliers", "warped")
    )
    assert np.array_equal(2 * rounded, np.round(2 * rounded))
    assert np.abs(rounded - clean).max() <= 0.25
    assert all(len(np.unique(column)) == 5 for column in levels.T)
    changed = outliers != clean
    assert 0.015 < changed.mean() < 0.025
    assert np.allclose(outliers[changed], 6 * clean[changed])
    assert np.array_equal(rankdata(warped, axis=0), rankdata(clean, axis=0))
    shapes = {
        bool((column > 0).all()) for column in draw(Kind(columns="warped"), 10, 50, [1]).values.T
    }
    assert shapes == {True, False}  # exp and the cube both occur


def test_kinds_of_one_number_share_their_structure():
    dags = [draw(kind, 5, 50, [4]).dag for kind in KINDS.values() if not kind.hidden]
    assert all(np.array_equal(dag, dags[0]) for dag in dags)
