"""Metrics, against examples worked by hand and against their definitions."""

from itertools import product
from math import inf, isnan, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gpnet.common.errors import OptionError
from gpnet.graphs.dag import random_dag
from gpnet.graphs.dag_csv import read_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior.metrics import (
    Counts,
    Rates,
    auroc,
    average_precision,
    calibration,
    compare,
    cpdag_rates,
    edge_probabilities,
    expected_calibration_error,
    expected_counts,
    expected_cpdag_counts,
    expected_skeleton_shd,
    log_loss,
    merged,
    rates,
    reverse_kl,
)


def dag(n, *edges):
    graph = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        graph[parent, child] = True
    return graph


def alone(graph):
    return graph[None], np.ones(1)


TRUTH = dag(4, (0, 2), (1, 2), (2, 3))


# Distances


@pytest.mark.parametrize(
    ("graph", "shd", "tp", "fp"),
    [
        (TRUTH, 0, 3, 0),
        (dag(4), 3, 0, 0),
        (dag(4, (0, 2), (1, 2), (3, 2)), 1, 2.5, 0.5),  # one reversed
        (dag(4, (0, 2), (1, 2), (2, 3), (0, 1)), 1, 3, 1),  # one too many
        (dag(4, (2, 0), (0, 1)), 4, 0.5, 1.5),  # reversed, too many, two missing
        (TRUTH.T, 3, 1.5, 1.5),
    ],
)
def test_edges_counted_by_hand(graph, shd, tp, fp):
    assert expected_counts(*alone(graph), TRUTH) == Counts(shd, tp, fp)


@pytest.mark.parametrize(
    ("graph", "shd", "tp", "fp"),
    [
        (TRUTH, 0, 3, 0),
        # 0 - 2 - 1 and 2 - 3 undirected: three adjacencies with other marks.
        (dag(4, (2, 0), (2, 1), (2, 3)), 3, 1.5, 1.5),
        # 3 -> 2 is compelled, as 2 -> 3 is in the truth: reversed.
        (dag(4, (0, 2), (1, 2), (3, 2)), 1, 2.5, 0.5),
        # Only 2 -> 3: undirected in its CPDAG, so half right; two are missing.
        (dag(4, (2, 3)), 3, 0.5, 0.5),
    ],
)
def test_cpdag_edges_counted_by_hand(graph, shd, tp, fp):
    assert expected_cpdag_counts(*alone(graph), TRUTH) == Counts(shd, tp, fp)


def test_an_equivalent_dag_is_as_good_as_the_truth_among_cpdags_only():
    chain, fork = dag(3, (0, 1), (1, 2)), dag(3, (1, 0), (1, 2))
    assert expected_cpdag_counts(*alone(fork), chain) == Counts(0, 2, 0)
    assert expected_counts(*alone(fork), chain) == Counts(1, 1.5, 0.5)


def test_the_skeleton_forgets_directions():
    assert expected_skeleton_shd(*alone(TRUTH.T), TRUTH) == 0
    assert expected_skeleton_shd(*alone(dag(4, (0, 1), (3, 2))), TRUTH) == 3


def test_expectations_are_weighted_means():
    dags = all_dags(4)[::7]
    weights = np.random.default_rng(1).dirichlet(np.ones(len(dags)))
    for distance in (expected_counts, expected_cpdag_counts):
        each = [distance(*alone(graph), TRUTH) for graph in dags]
        found = distance(dags, weights, TRUTH)
        assert found.shd == pytest.approx(weights @ [one.shd for one in each])
        assert found.tp == pytest.approx(weights @ [one.tp for one in each])
        assert found.fp == pytest.approx(weights @ [one.fp for one in each])
    flat = np.full(len(dags), 1 / len(dags))
    assert found.shd != pytest.approx(expected_cpdag_counts(dags, flat, TRUTH).shd)


def structural_hamming_distance(graph, truth):
    """Edges to add, remove or reverse: a pair counts once, whatever is wrong with it."""
    n = len(truth)
    return sum(
        (graph[i, j], graph[j, i]) != (truth[i, j], truth[j, i])
        for i, j in product(range(n), repeat=2)
        if i < j
    )


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_shd_is_what_its_name_says_and_follows_from_the_counts(seed, n):
    rng = np.random.default_rng(seed)
    truth, graph = random_dag(n, 0.4, rng), random_dag(n, 0.5, rng)
    found = expected_counts(*alone(graph), truth)
    assert found.shd == structural_hamming_distance(graph, truth)
    assert found.shd == truth.sum() - found.tp + found.fp
    assert found.tp + found.fp == graph.sum()
    marks = expected_cpdag_counts(*alone(graph), truth)
    assert marks.shd == truth.sum() - marks.tp + marks.fp
    skeleton = expected_skeleton_shd(*alone(graph), truth)
    assert skeleton <= min(found.shd, marks.shd)


def test_rates_of_a_dag_by_hand():
    """Three true edges: one found, one reversed, one missed; and one that is not there."""
    truth, found = np.zeros((2, 5, 5), dtype=bool)
    truth[0, 1] = truth[1, 2] = truth[2, 3] = True
    found[0, 1] = found[2, 1] = found[0, 4] = True
    assert rates(found, truth) == Rates(tpr=1.5 / 3, fprp=1.5 / 3)
    # 0 -> 1 <- 2 has a collider that the chain has not: both marks of it differ.
    assert cpdag_rates(found, truth) == Rates(tpr=1 / 3, fprp=2 / 3)
    assert isnan(rates(found, np.zeros((5, 5), dtype=bool)).tpr)


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_rates_follow_from_the_counts(seed, n):
    rng = np.random.default_rng(seed)
    truth, graph = random_dag(n, 0.6, rng), random_dag(n, 0.5, rng)
    assume(truth.any())
    counts, marks = (f(*alone(graph), truth) for f in (expected_counts, expected_cpdag_counts))
    assert rates(graph, truth) == Rates(counts.tp / truth.sum(), counts.fp / truth.sum())
    assert cpdag_rates(graph, truth).fprp == marks.fp / truth.sum()
    assert rates(truth, truth) == cpdag_rates(truth, truth) == Rates(1, 0)


@pytest.mark.parametrize("n", [10, 15])
def test_the_authors_numbers_follow_the_same_formula(reference, n):
    """eshd = E - etp + efp with one whole number E of edges for each data set."""
    published = pd.read_csv(reference / f"published_n{n}.csv").dropna(subset=["eshd"])
    edges = published["eshd"] - published["efp"] + published["etp"]
    assert np.abs(edges - edges.round()).max() < 2e-4  # numbers of four digits
    by_data = edges.round().groupby([published["lambda"], published["run"]])
    assert (by_data.nunique() == 1).all()
    names = [f"V{i + 1}" for i in range(n)]
    for (strength, run), n_edges in by_data.first().items():
        path = reference / "simulated" / f"n{n}" / f"lambda{strength:g}_run{run:03}_dag.csv"
        assert read_dag(path, names).sum() == n_edges


# Probabilities of edges


def test_edge_probabilities_are_weighted_frequencies():
    dags, weights = np.array([TRUTH, TRUTH.T, TRUTH]), np.array([0.5, 0.2, 0.3])
    np.testing.assert_allclose(edge_probabilities(dags, weights), 0.8 * TRUTH + 0.2 * TRUTH.T)


def test_draws_of_one_dag_are_merged():
    dags, weights = merged(np.array([TRUTH, TRUTH.T, TRUTH]), np.array([0.5, 0.2, 0.3]))
    assert {tuple(graph.ravel()): w for graph, w in zip(dags, weights, strict=True)} == {
        tuple(TRUTH.ravel()): pytest.approx(0.8),
        tuple(TRUTH.T.ravel()): pytest.approx(0.2),
    }


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


def auroc_by_definition(p, truth):
    p, edge = off_diagonal(p), off_diagonal(truth)
    pairs = [(x > y) + (x == y) / 2 for x in p[edge] for y in p[~edge]]
    return np.mean(pairs)


def average_precision_by_definition(p, truth):
    """The area under recall and precision, step by step down the thresholds."""
    p, edge = off_diagonal(p), off_diagonal(truth)
    area, recall = 0.0, 0.0
    for threshold in sorted(set(p), reverse=True):
        called = p >= threshold
        further = edge[called].sum() / edge.sum()
        area += (further - recall) * edge[called].mean()
        recall = further
    return area


@pytest.mark.parametrize("digits", [1, 16])  # with ties and without
@pytest.mark.parametrize("seed", range(5))
def test_ranking_by_definition(seed, digits):
    rng = np.random.default_rng(seed)
    truth, p = random_dag(7, 0.4, rng), rng.random((7, 7)).round(digits)
    assert auroc(p, truth) == pytest.approx(auroc_by_definition(p, truth))
    assert average_precision(p, truth) == pytest.approx(average_precision_by_definition(p, truth))


def test_ranking_at_its_ends():
    right = 0.1 + 0.8 * TRUTH
    assert auroc(right, TRUTH) == average_precision(right, TRUTH) == 1
    assert auroc(1 - right, TRUTH) == 0
    assert auroc(np.full((4, 4), 0.3), TRUTH) == 0.5
    assert average_precision(np.full((4, 4), 0.3), TRUTH) == 3 / 12
    assert isnan(auroc(right, dag(4)))
    assert isnan(average_precision(right, dag(4)))


def test_the_diagonal_has_no_part():
    p = 0.1 + 0.8 * TRUTH
    with_diagonal = p + 0.5 * np.eye(4) * (1 - p)
    for metric in (auroc, average_precision, log_loss, expected_calibration_error):
        assert metric(with_diagonal, TRUTH) == metric(p, TRUTH)


def test_log_loss_by_hand():
    p = np.array([[0, 0.8], [0.3, 0]])
    assert log_loss(p, dag(2, (0, 1))) == pytest.approx(-(log(0.8) + log(0.7)) / 2)
    never = log_loss(np.zeros((2, 2)), dag(2, (0, 1)))
    assert never == pytest.approx((-log(1e-6) - log(1 - 1e-6)) / 2)


def test_calibration_by_hand():
    p = np.array([[0, 0.1, 0.15], [0.9, 0, 1.0], [0.1, 0.5, 0]])
    truth = dag(3, (1, 0), (2, 1))
    frame = calibration(p, truth, bins=4)
    assert frame["low"].tolist() == [0, 0.5, 0.75]
    assert frame["high"].tolist() == [0.25, 0.75, 1]
    np.testing.assert_allclose(frame["claimed"], [0.35 / 3, 0.5, 0.95])
    np.testing.assert_allclose(frame["true"], [0, 1, 0.5])
    assert frame["count"].tolist() == [3, 1, 2]
    error = (3 * 0.35 / 3 + 1 * 0.5 + 2 * 0.45) / 6
    assert expected_calibration_error(p, truth, bins=4) == pytest.approx(error)


def test_calibrated_and_overconfident_claims():
    """10 000 networks' pairs drawn with the claimed probability: errors of about 0.003 a bin."""
    rng = np.random.default_rng(8)
    p = rng.random((10_000, 3, 3))
    truth = rng.random(p.shape) < p
    assert expected_calibration_error(p, truth) < 0.01
    bold = np.where(p > 0.5, 1 - (1 - p) / 2, p / 2)
    assert expected_calibration_error(bold, truth) > 0.05
    assert log_loss(p, truth) < log_loss(bold, truth)


# A known posterior


def test_reverse_kl_by_hand():
    q, log_p = np.array([0.5, 0.5, 0.0]), np.log([0.25, 0.5, 0.25])
    assert reverse_kl(q, log_p) == pytest.approx(0.5 * log(2))
    assert reverse_kl(q[:2], log_p[:2]) == pytest.approx(0.5 * log(2))
    assert reverse_kl(np.array([0.25, 0.5, 0.25]), log_p) == pytest.approx(0)


def test_reverse_kl_where_one_of_the_two_is_zero():
    log_p = np.array([0.0, -inf])
    assert reverse_kl(np.array([1.0, 0.0]), log_p) == 0
    assert reverse_kl(np.array([0.9, 0.1]), log_p) == inf
    far = np.array([log(0.5), -2000.0])  # whose exponential is zero
    assert reverse_kl(np.array([0.0, 1.0]), far) == 2000


# Together


def test_compare_gathers_all():
    dags = all_dags(4)[::9]
    weights = np.random.default_rng(2).dirichlet(np.ones(len(dags)))
    found = compare(dags, weights, TRUTH)
    edges, marks = (f(dags, weights, TRUTH) for f in (expected_counts, expected_cpdag_counts))
    p = edge_probabilities(dags, weights)
    expected = {
        "eshd": edges.shd,
        "etp": edges.tp,
        "efp": edges.fp,
        "eshd_cpdag": marks.shd,
        "etp_cpdag": marks.tp,
        "efp_cpdag": marks.fp,
        "eshd_skeleton": expected_skeleton_shd(dags, weights, TRUTH),
        "auroc": auroc(p, TRUTH),
        "average_precision": average_precision(p, TRUTH),
        "log_loss": log_loss(p, TRUTH),
    }
    assert list(found) == list(expected)
    assert found == pytest.approx(expected)
    twice = compare(np.concatenate([dags, dags]), np.concatenate([weights, weights]) / 2, TRUTH)
    assert twice == pytest.approx(expected)


def test_compare_with_the_truth_itself():
    found = compare(*alone(TRUTH), TRUTH.astype(int))
    right = {"etp": 3, "etp_cpdag": 3, "auroc": 1, "average_precision": 1}
    assert found == pytest.approx({name: right.get(name, 0) for name in found}, abs=2e-6)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: compare(TRUTH[None], np.array([0.9]), TRUTH), "found the sum 0.9. Divide by it"),
        (lambda: compare(TRUTH[None], np.array([np.nan]), TRUTH), "weights: none negative"),
        (lambda: compare(TRUTH[[0, 1]], np.array([2, -1]), TRUTH), "dags, weights, truth"),
        (lambda: compare(np.array([TRUTH] * 2), np.array([2, -1]), TRUTH), "none negative"),
        (lambda: compare(TRUTH[None, :3, :3], np.ones(1), TRUTH), "found (1, 3, 3), (1,), (4, 4)"),
        (
            lambda: compare(TRUTH[None], np.ones(1), TRUTH | TRUTH.T),
            "directed cycle of columns, 1 -> 3 -> 1",
        ),
        (lambda: auroc(TRUTH * 2.0, TRUTH), "probabilities: from 0 to 1"),
        (lambda: auroc(TRUTH * 1.0, TRUTH[:3, :3]), "found (4, 4), (3, 3)"),
        (lambda: calibration(TRUTH * 1.0, TRUTH, bins=0), "bins: a whole number of 1 or more"),
        (lambda: reverse_kl(np.ones(1), np.zeros(2)), "for each of the 1 weights"),
        (lambda: reverse_kl(np.ones(2) / 2, np.zeros(2)), "subtract its logsumexp"),
        (lambda: reverse_kl(np.ones(2), np.log([0.5, 0.5])), "weights: none negative, and of sum"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, message):
    with pytest.raises(OptionError) as caught:
        ask()
    assert message in str(caught.value)
