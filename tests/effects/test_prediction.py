"""Predictions, counterfactuals and simulated rows against what is known of the networks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, multivariate_normal

import gpnet
from gpnet import DataError, OptionError
from tests.effects.chains import between, known_dag, triangle


@pytest.fixture(scope="module")
def curved():
    return known_dag(triangle(200, curved=True), score="adaptive", transform="none")


@pytest.fixture(scope="module")
def lines():
    return known_dag(triangle(300))


def test_intervals_hold_new_rows(curved):
    """90% of 1 000 new rows: fewer than 860 or more than 940 by chance in one of 10^4 runs."""
    new = triangle(1000, seed=9, curved=True)
    found = curved.predict(new, "c").frame()
    actual = new["c"].to_numpy()
    held = int(((found["low"] <= actual) & (actual <= found["high"])).sum())
    assert 860 <= held <= 940
    assert binom.cdf(860, 1000, 0.9) < 1e-4
    error = np.std(found["mean"].to_numpy() - actual)
    assert error == pytest.approx(0.6, abs=0.05)  # the noise, and hardly more


def test_log_density_is_that_of_the_truth(lines):
    """Of c given a and b, in its own units; the control is another noise."""
    new = triangle(2000, seed=4)
    a, b = (new["a"] - 3) / 2, new["b"] / 5
    left = (new["c"] - 10 + 1.2 * b - 0.5 * a).to_numpy()
    true = -0.5 * (left / 0.6) ** 2 - np.log(0.6 * np.sqrt(2 * np.pi))
    found = lines.predict(new, "c").frame()["log_density"]
    assert found.mean() == pytest.approx(true.mean(), abs=0.03)
    wider = -0.5 * (left / 0.9) ** 2 - np.log(0.9 * np.sqrt(2 * np.pi))
    assert found.mean() > wider.mean() + 0.05


def test_parent_sets_are_averaged_over(lines):
    new = triangle(200, seed=5)
    mixed = between(lines, {("b -> c",): 0.5, ("a -> b",): 0.5})
    both, one, none = (
        p.predict(new, "c", draws=400).mean
        for p in (mixed, between(lines, {("b -> c",): 1.0}), between(lines, {("a -> b",): 1.0}))
    )
    np.testing.assert_allclose(both, (one + none) / 2, atol=0.12)
    assert np.abs(one - none).max() > 1


def test_rows_need_what_may_be_a_parent_and_nothing_else(lines):
    new = triangle(20, seed=5)
    without = lines.predict(new[["b", "a"]], "c")
    assert np.isnan(without.log_density).all()
    np.testing.assert_allclose(without.mean, lines.predict(new, "c").mean)
    np.testing.assert_allclose(lines.predict(new.to_numpy(), "c").mean, without.mean)
    with pytest.raises(DataError, match="a value of 'b' is needed in each, and missing in row 1"):
        lines.predict(new[["a"]], "c")
    with pytest.raises(DataError, match="one or more are needed"):
        lines.predict(new[:0], "c")
    with pytest.raises(OptionError, match="no variable is called 'd'"):
        lines.predict(new, "d")
    with pytest.raises(DataError, match="expected an array with a column for each of 3"):
        lines.predict(np.zeros((5, 2)), "c")


def test_many_rows_go_by_in_blocks(lines, monkeypatch):
    new = triangle(50, seed=5)
    at_once = lines.predict(new, "c", draws=400)
    monkeypatch.setattr("gpnet.effects.prediction.BLOCK", 7)
    np.testing.assert_allclose(lines.predict(new, "c", draws=400).mean, at_once.mean, atol=0.1)
    assert "Prediction of c in 50 rows" in repr(at_once)
    assert "<table" in at_once._repr_html_()


# Whole rows


def test_log_predictive_is_that_of_the_joint_density(lines):
    new = triangle(1000, seed=6)
    mean, covariance = truth()
    true = multivariate_normal.logpdf(new, mean, covariance)
    found = lines.log_predictive(new)
    assert found.index[0] == 1
    assert found.mean() == pytest.approx(true.mean(), abs=0.05)
    apart = between(lines, {(): 1.0}).log_predictive(new)  # the control: columns unrelated
    assert apart.mean() < found.mean() - 0.5


def truth():
    scale = np.array([2, 5, 1])
    loadings = np.array([[1, 0, 0], [0.8, 0.5, 0], [0.5 - 1.2 * 0.8, -1.2 * 0.5, 0.6]])
    covariance = scale[:, None] * (loadings @ loadings.T) * scale
    return np.array([3.0, 0.0, 10.0]), covariance


def test_log_predictive_knows_transforms():
    frame, new = triangle(300), triangle(300, seed=7)
    plain = known_dag(frame).log_predictive(new)
    logs = known_dag(np.exp(frame / 4), transform="log").log_predictive(np.exp(new / 4))
    jacobian = (new.to_numpy() / 4).sum(axis=1) + 3 * np.log(1 / 4)
    np.testing.assert_allclose(logs.to_numpy() + jacobian, plain, atol=1e-6)


def test_ranks_have_no_density(lines):
    ranked = lines.tables.given.by_ranks(["b"])
    posterior = replace(lines, tables=replace(lines.tables, completed=(ranked,)))
    with pytest.raises(OptionError, match="'b' was learnt from by ranks"):
        posterior.log_predictive(triangle(5))
    assert np.isnan(posterior.predict(triangle(5), "b").log_density).all()


def test_simulated_rows_have_the_moments_of_the_truth(lines):
    rows = lines.simulate(20_000, draws=400)
    mean, covariance = truth()
    error = np.sqrt(covariance.diagonal() / 300)  # of the table that was learnt from
    assert (np.abs(rows.mean() - mean) < 4 * error).all()
    correlation = covariance / np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    np.testing.assert_allclose(rows.corr(), correlation, atol=0.06)
    np.testing.assert_allclose(rows.std(), np.sqrt(covariance.diagonal()), rtol=0.1)


def test_simulated_rows_obey_what_is_set(lines):
    rows = lines.simulate(5000, do={"b": 5.0})
    assert (rows["b"] == 5.0).all() or np.allclose(rows["b"], 5.0)
    a = (rows["a"] - 3) / 2
    assert rows["a"].mean() == pytest.approx(3, abs=0.3)  # what b does not drive
    assert np.polyfit(a, rows["c"], 1)[0] == pytest.approx(0.5, abs=0.15)
    assert rows["c"].mean() == pytest.approx(10 - 1.2, abs=0.15)
    for n in (0, 1.5, True):
        with pytest.raises(OptionError, match="n: a whole number of rows"):
            lines.simulate(n)
    with pytest.raises(OptionError, match="a mapping as in"):
        lines.simulate(3, do=[1])


def test_simulated_levels_are_texts():
    rng = np.random.default_rng(0)
    batch = np.array(["u", "v"])[np.arange(80) % 2]
    frame = pd.DataFrame({"x": rng.standard_normal(80) + 3 * (batch == "v"), "batch": batch})
    posterior = known_dag(frame, edges=("batch -> x",))
    rows = posterior.simulate(400)
    assert set(rows["batch"]) == {"u", "v"}
    assert rows.groupby("batch")["x"].mean().diff().iloc[-1] == pytest.approx(3, abs=0.5)
    assert (posterior.simulate(20, do={"batch": "v"})["batch"] == "v").all()
    predicted = posterior.predict(pd.DataFrame({"batch": ["u", "v"]}), "x").mean
    assert np.diff(predicted)[0] == pytest.approx(3, abs=0.5)
    with pytest.raises(DataError, match="has the levels 'u' and 'v'; found 'w'"):
        posterior.predict(pd.DataFrame({"batch": ["w"]}), "x")


# Counterfactuals


def test_counterfactuals_keep_the_residuals_of_their_rows(lines):
    rows = triangle(4, seed=8)
    found = lines.counterfactual(rows, do={"b": 0.0}, draws=400).set_index(["row", "variable"])
    a, b = (rows["a"] - 3) / 2, rows["b"] / 5
    expected = rows["c"] + 1.2 * b  # had b been 0; the noise of the row stays
    for row in range(4):
        one = found.loc[(row + 1, "c")]
        assert one["low"] < expected[row] < one["high"] or abs(one["mean"] - expected[row]) < 0.15
        assert one["actual"] == rows["c"][row]
        assert found.loc[(row + 1, "a"), "mean"] == pytest.approx(rows["a"][row])
        assert found.loc[(row + 1, "b"), "mean"] == pytest.approx(0)
    assert len(a) == 4


def test_nothing_changes_under_what_is_already_so(lines):
    rows = triangle(1, seed=8)
    found = lines.counterfactual(rows, do={"a": float(rows["a"][0])})
    np.testing.assert_allclose(found["mean"], found["actual"])
    np.testing.assert_allclose(found["high"], found["low"])


def test_counterfactuals_that_cannot_be(lines):
    rows = triangle(2)
    with pytest.raises(OptionError, match="found nothing"):
        lines.counterfactual(rows, do={})
    with pytest.raises(OptionError, match="nothing is known beyond"):
        lines.counterfactual(rows, do={"a": 1e9})
    with pytest.raises(DataError, match="a value of 'c' is needed"):
        lines.counterfactual(rows[["a", "b"]], do={"a": 3})
    logs = known_dag(np.exp(triangle(60) / 4), transform="log")
    with pytest.raises(DataError, match="of which there is no log"):
        logs.counterfactual(-rows, do={"a": 2.0})


def test_bge_predicts_as_well_as_gp_where_lines_are_true():
    frame, new = triangle(300), triangle(300, seed=3)
    scores = [
        gpnet.learn(frame, score=score, draws=200, transform="none").log_predictive(new).mean()
        for score in ("bge", "gp")
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.1)
