"""Effects of curves, experiments, levels, scales and missing cells; what is refused, and how."""

import json
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet import DataError, OptionError
from gpnet.effects import measure
from gpnet.effects.abduction import Rows, row_weights
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.networks import PER_DAG, choose_dags, draw_networks, with_parents
from tests.effects.chains import between, known_dag, triangle


@pytest.fixture(scope="module")
def curved():
    """A known DAG under the default score."""
    return known_dag(triangle(200, curved=True), score="adaptive", transform="none")


@pytest.fixture(scope="module")
def unsure():
    """Two DAGs in equal parts."""
    posterior = known_dag(triangle(), edges=("a -> b", "b -> c"))
    return between(posterior, {("a -> b", "b -> c"): 0.5, ("b -> a", "b -> c"): 0.5})


def true_curve(a):
    """E[c | do(a)] of the curved triangle."""
    return 10 - 1.2 * np.sin(2 * (a - 3) / 2) + 0.5 * (a - 3) / 2


def test_the_curve_of_known_functions_is_in_its_band(curved):
    found = curved.effect("a", "c").frame()
    inner = found[found["value"].between(0, 6)]  # three standard deviations
    true = true_curve(inner["value"])
    held = (inner["low"] - 1e-9 <= true) & (true <= inner["high"] + 1e-9)
    assert held.mean() > 0.75
    assert np.abs(inner["mean"] - true).max() < 0.4
    ends = inner.iloc[[0, -1]]
    straight = np.interp(inner["value"], ends["value"], ends["mean"])
    assert ((straight < inner["low"]) | (straight > inner["high"])).mean() > 0.5  # the control


def test_quantiles_hold_the_rows(curved):
    effect = curved.effect("a", "c")
    near = int(np.argmin(np.abs(np.array(effect.values)[:, 0] - 3)))
    rng = np.random.default_rng(0)
    sample = 10 - 1.2 * 0.5 * rng.standard_normal(10**5) + 0.6 * rng.standard_normal(10**5)
    shift = true_curve(effect.values[near][0]) - 10
    expected = np.quantile(sample, [0.05, 0.25, 0.5, 0.75, 0.95]) + shift
    np.testing.assert_allclose(effect.quantiles[near], expected, atol=0.25)
    assert (np.diff(effect.quantiles, axis=1) > 0).all()


# Draws of networks


def test_rows_under_their_own_values_stay_what_they_are(curved):
    model, rng = LearntModel.of(curved), np.random.default_rng(0)
    for network in draw_networks(model, choose_dags(model, 4, rng), 0, with_parents):
        z = network.data.standardised()[:30]
        rows = Rows.of(network, z, None, rng)
        under = rows.under({0: z[None, None, :, 0]})
        for node in (1, 2):
            np.testing.assert_allclose(under[node][:, 0], np.tile(z[:, node], (network.n, 1)))


def test_dags_are_chosen_by_weight_and_in_pairs(unsure):
    chosen = choose_dags(LearntModel.of(unsure), 101, np.random.default_rng(0))
    assert sum(one.n for one in chosen) == 102
    assert all(one.n % PER_DAG == 0 and abs(one.n - 51) <= PER_DAG for one in chosen)


def test_row_weights_are_as_uncertain_as_all_rows():
    """As the t distribution of a mean has it."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(50)
    for n_all in (50, 800):
        means = row_weights(20_000, 50, n_all, rng) @ values
        assert means.std() == pytest.approx(values.std() / np.sqrt(n_all - 3), rel=0.03)


def test_numbers_are_those_of_their_seed(unsure):
    one, same, other = (unsure.effect("a", "c", draws=50, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.draws, same.draws)
    assert not np.array_equal(one.draws, other.draws)
    every = [unsure.effects(draws=50, seed=3).matrix() for _ in range(2)]
    pd.testing.assert_frame_equal(*every)


def test_two_humps_are_told(unsure):
    """Half of the DAGs have no effect: P first, then the effect if there is one."""
    effect = unsure.effect("a", "c")
    assert effect.probability == pytest.approx(0.5)
    assert (effect.draws == 0).mean() == pytest.approx(0.5, abs=0.01)
    assert effect.contrast_if_any.mean == pytest.approx(2 * effect.contrast.mean, rel=0.01)
    assert effect.contrast.structural_share > 0.8
    assert "50% sure that there is any effect" in effect.sentence()


def test_fewer_rows_come_with_their_error(monkeypatch):
    """Where effects differ from row to row, as in units that are no logarithms."""
    frame = np.exp(triangle(900) / 5)
    posterior = known_dag(frame, transform="log")
    whole = posterior.effect("a", "c", draws=300)
    monkeypatch.setattr(measure, "MOST_ROWS", 60)
    fewer = posterior.effect("a", "c", draws=300)
    assert (whole.n_rows, fewer.n_rows) == (900, 60)
    assert fewer.contrast.mean_error > whole.contrast.mean_error
    apart = abs(fewer.contrast.mean - whole.contrast.mean)
    assert 0 < apart < 4 * fewer.contrast.mean_error
    np.testing.assert_allclose(fewer.curve.mean, whole.curve.mean, rtol=0.1)


def test_rows_that_stand_for_many_are_not_off_by_their_own_mean(monkeypatch):
    """c = b^2: what a does to c in a row goes with the noise of b there."""
    rng = np.random.default_rng(0)
    a, noise, more = rng.standard_normal((3, 1500))
    b = np.sin(a) + 0.5 * noise
    frame = pd.DataFrame({"a": a, "b": b, "c": b**2 + 0.3 * a + 0.5 * more})
    posterior = known_dag(frame, score="gp", transform="none")
    whole = posterior.effect("a", "c", draws=100)
    monkeypatch.setattr(measure, "MOST_ROWS", 60)
    fewer = posterior.effect("a", "c", draws=100)
    rows = measure.sample_rows(LearntModel.of(posterior), 60)
    naive = 2 * 2 * np.sin(0.67) * 0.5 * noise[rows].mean()  # what it would be off by
    assert abs(naive) > 0.1
    assert fewer.contrast.mean == pytest.approx(whole.contrast.mean, abs=0.05)


# What columns are


def test_rows_in_which_variables_were_set_are_made_natural():
    """b is set far away in half of the rows: effects are those in the others."""
    rng, n = np.random.default_rng(1), 300
    a = rng.standard_normal(n)
    b = a + 0.5 * rng.standard_normal(n)
    were_set = pd.DataFrame({"b": np.arange(n) < n // 2})
    b[: n // 2] = 4 + rng.standard_normal(n // 2)
    c = b + 0.5 * rng.standard_normal(n)
    frame = pd.DataFrame({"a": a, "b": b, "c": c})
    posterior = known_dag(frame, edges=("a -> b", "b -> c"), interventions=were_set)
    effect = posterior.effect("a", "c", do=(-1, 1))
    assert effect.contrast.mean == pytest.approx(2.0, abs=0.3)
    at_0 = np.interp(0, np.array(effect.values)[:, 0], effect.curve.mean)
    assert at_0 == pytest.approx(0, abs=0.25)


def test_levels_are_set_by_their_names():
    rng, n = np.random.default_rng(0), 120
    batch = np.array(["old", "new", "test"])[np.arange(n) % 3]
    x = np.where(batch == "test", 2.0, 0.0) + 0.5 * rng.standard_normal(n)
    frame = pd.DataFrame({"x": x, "y": 3 * x + rng.standard_normal(n), "batch": batch})
    posterior = known_dag(frame, score="adaptive", edges=("batch -> x", "x -> y"))
    effect = posterior.effect("batch", "y", do=("old", "test"))
    assert effect.contrast.mean == pytest.approx(6.0, abs=0.8)
    assert effect.derivative is None
    assert [value for (value,) in effect.values] == ["new", "old", "test"]
    assert json.loads(json.dumps(effect.record()))["contrast"]["from"] == "old"
    assert posterior.effects(draws=100).matrix("mean").loc["batch", "y"] == pytest.approx(
        6, abs=0.8
    )
    with pytest.raises(OptionError, match="has the levels 'new', 'old' and 'test'"):
        posterior.effect("batch", "y", do=("old", "older"))
    with pytest.raises(OptionError, match="'batch' is exogenous"):
        posterior.effect("x", "batch")


@pytest.mark.parametrize("transform", ["log", "log2", "rank-normal"])
def test_transforms_are_undone(transform):
    """y = exp(x + noise) with x = log of its column: E[y | do] in units of its own."""
    rng, n = np.random.default_rng(0), 400
    x, noise = rng.standard_normal(n), 0.3 * rng.standard_normal(n)
    frame = pd.DataFrame({"x": 100 * np.exp(x), "y": 100 * np.exp(0.8 * x + noise)})
    posterior = known_dag(frame, score="adaptive", edges=("x -> y",), transform=transform)
    effect = posterior.effect("x", "y", do=(50, 200))
    true = [100 * np.exp(0.8 * np.log(v / 100) + 0.3**2 / 2) for v in (50, 200)]
    assert effect.contrast.mean == pytest.approx(true[1] - true[0], rel=0.1)
    if transform != "rank-normal":  # where the scale itself, taken for known, is an estimate
        assert effect.contrast.low < true[1] - true[0] < effect.contrast.high
    assert effect.values[0][0] == pytest.approx(frame["x"].min())


def test_columns_by_ranks_come_back_in_units():
    frame = triangle(200)
    frame["b"] = np.exp(frame["b"] / 5)
    posterior = known_dag(frame, score="adaptive")
    by_ranks = posterior.tables.given.by_ranks(["b"])
    ranked = replace(posterior, tables=replace(posterior.tables, completed=(by_ranks,)))
    plain = known_dag(np.log(frame[["b"]]).join(frame[["a", "c"]])[["a", "b", "c"]])
    one, other = ranked.effect("a", "c"), plain.effect("a", "c")
    assert one.contrast.mean == pytest.approx(other.contrast.mean, abs=0.35)


def test_imputed_cells_are_part_of_it():
    frame = triangle(150)
    frame.iloc[::7, 1] = np.nan
    posterior = known_dag(frame, missing="impute", imputations=3)
    assert len(posterior.tables.completed) == 3
    effect, whole = posterior.effect("a", "c"), known_dag(triangle(150)).effect("a", "c")
    assert effect.contrast.mean == pytest.approx(whole.contrast.mean, abs=2 * whole.contrast.sd)
    assert effect.n_dags == 3  # the same DAG, about three tables


# Results


def test_results_can_be_looked_at(unsure):
    effect = unsure.effect("a", "c", draws=60)
    frame = effect.frame()
    assert (frame["low"] <= frame["mean"]).all()
    assert (frame["mean"] <= frame["high"]).all()
    record = effect.record()
    assert list(record) == ["probability", "curve", "contrast", "if_model_holds", "identified"]
    assert [*record["curve"][0]] == ["value", "mean", "low", "high"]
    assert [*record["contrast"]] == ["from", "to", "mean", "low", "high", "structural_share",
                                     "structural_share_error"]  # fmt: skip
    assert "<table" in effect._repr_html_()
    assert repr(effect).startswith("<Effect: Setting a from")
    ax = effect.plot()
    assert ax.get_xlabel() == "a (set)"
    unsure.effect({"a": (2, 4), "b": (-1, 3)}, "c", draws=20).plot(plt.subplots()[1])
    plt.close("all")
    every = unsure.effects(draws=60)
    assert "<table" in every._repr_html_()
    assert every.matrix("derivative").shape == (3, 3)
    assert len(every.frame()) == 6
    with pytest.raises(OptionError, match="what: one of 'probability'"):
        every.matrix("size")


@pytest.mark.parametrize(
    ("cause", "on", "options", "message"),
    [
        ("x", "c", {}, "no variable is called 'x'"),
        ("a", "x", {}, "no variable is called 'x'"),
        ("a", "a", {}, "'a' is among the causes"),
        ("a", "c", {"do": (0, 1e6)}, "was observed from .* to .*, and nothing is known beyond"),
        ("a", "c", {"do": (2, 2)}, "two different values"),
        ("a", "c", {"do": 3}, "two values of 'a'"),
        ("a", "c", {"do": ("low", "high")}, "a number for 'a', found 'low'"),
        (["a", "b"], "c", {"do": (0, 1)}, "give the values with the names"),
        ({"a": (2, 4)}, "c", {"do": (0, 1)}, "leave out one"),
        ([], "c", {}, "one name or more"),
        ("a", "c", {"draws": 1}, "draws: a whole number, at least 2"),
        ("a", "c", {"draws": 10**9}, "draws: at most"),
        ("a", "c", {"seed": -1}, "seed: a whole number"),
    ],
)
def test_what_cannot_be_answered_is_told(unsure, cause, on, options, message):
    with pytest.raises(OptionError, match=message):
        unsure.effect(cause, on, **options)


def test_without_its_table_a_posterior_asks_for_it(unsure, tmp_path):
    frame = triangle()
    alone = replace(unsure, tables=None)
    with pytest.raises(DataError, match="not at hand"):
        alone.effect("a", "c")
    again = alone.with_data(frame)
    np.testing.assert_array_equal(again.effect("a", "c").draws, unsure.effect("a", "c").draws)
    with pytest.raises(DataError, match="other values or options"):
        alone.with_data(frame + 1)
    with pytest.raises(DataError, match="79 rows"):
        alone.with_data(frame[:-1])
    with pytest.raises(OptionError, match="does not say what score"):
        replace(unsure, settings={}).effect("a", "c")


@pytest.fixture(scope="module")
def two_columns():
    """A curve that shows its direction, if the model holds."""
    rng = np.random.default_rng(4)
    a = rng.uniform(-2, 2, 120)
    frame = pd.DataFrame({"a": a, "b": a**2 + 0.3 * rng.standard_normal(120)})
    return gpnet.learn(frame, draws=300, doubt=0.6, bag="off")


def test_of_two_columns_an_effect_is_as_probable_as_the_arrow(two_columns):
    edges = two_columns.edges().set_index(["parent", "child"])
    assert edges.loc[("a", "b")]["if_model_holds"] > 0.99
    for cause, target, share in (("a", "b", 0.7), ("b", "a", 0.3)):
        effect = two_columns.effect(cause, target, draws=400)
        told = edges.loc[(cause, target)]
        assert effect.probability == pytest.approx(told["probability"])
        assert effect.probability == pytest.approx(share, abs=0.01)
        assert np.mean(effect.draws != 0) == pytest.approx(effect.probability, abs=0.01)
        every = two_columns.effects(draws=400)
        found = every.matrix("probability").loc[cause, target]
        assert found == pytest.approx(effect.probability)


def test_effects_say_that_only_the_model_tells_their_direction(two_columns):
    open_, plain = (
        p.effect("b", "a", draws=20) for p in (two_columns, two_columns.without_doubt())
    )
    assert (open_.grounds.identified, open_.grounds.left_open) == (False, 0.6)
    assert open_.grounds.if_model_holds == pytest.approx(plain.probability)
    assert "open with probability 0.6. If the model holds, it is 0% sure" in open_.sentence()
    assert plain.sentence().endswith("Only the model tells which drives which.")
    assert open_.record()["identified"] is False


def test_effects_that_knowledge_tells_are_left_as_they_are():
    known = known_dag(triangle(), doubt=0.6)
    assert known.effect("a", "c", draws=20).probability == 1
    assert known.effect("a", "c", draws=20).grounds.sentence() == ""
    assert known.effects(draws=20).frame()["identified"].all()


def test_parent_sets_without_a_score_are_fitted():
    """Re-oriented DAGs have some that nobody scored."""
    frame = triangle(n_rows=60, curved=True)
    posterior = gpnet.learn(frame, draws=200, doubt=1, bag="off")
    scores = posterior.local_scores
    assert np.isnan(scores.log_marginal).any()
    effect = posterior.effect("c", "a", draws=300)
    paths = posterior.probability("c ~> a")
    assert effect.probability == pytest.approx(paths)
    assert paths == pytest.approx(0.5, abs=0.01)
    assert np.mean(effect.draws != 0) == pytest.approx(paths, abs=0.05)
