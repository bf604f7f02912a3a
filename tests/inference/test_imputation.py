"""Missing cells: drawn from the right distribution, and the posteriors of completed tables pooled.

Statistical tests have fixed seeds; their tolerances are some four standard errors, so that a right
implementation fails one in some 10^4 choices of the seed.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet.common.errors import DataError, OptionError, OutOfTimeError
from gpnet.data.load import load_table
from gpnet.inference import pipeline
from gpnet.inference.between_tables import between_tables
from gpnet.inference.cost_estimate import estimate
from gpnet.inference.imputation import N_HASTY, N_LINEAR, by_lines, cells_to_draw
from gpnet.inference.plan import make_plan
from gpnet.inference.pooling import Learnt, diagnosis_of
from gpnet.inference.settings import Settings
from gpnet.posterior.cautions import cautions
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.report.contents import contents
from gpnet.runtime.context import RunContext
from gpnet.stats.smooth_density import SmoothDensity
from gpnet.stats.weighted_draws import WeightedDraws
from tests.posteriors import posterior_of

FAST = {"score": "linear", "draws": 400, "workers": 1, "bag": "off"}


def chain(n_rows=400, seed=0):
    """A -> B -> C: B = A + e, C = B + e, all noise standard normal; and D by itself."""
    a, e, f, d = np.random.default_rng(seed).normal(size=(4, n_rows))
    return pd.DataFrame({"A": a, "B": a + e, "C": a + e + f, "D": d})


def with_holes(frame, share, seed=1, columns=None):
    holes = np.random.default_rng(seed).random(frame.shape) < share
    if columns is not None:
        holes &= np.isin(frame.columns, columns)
    return frame.mask(holes & ~holes.all(axis=1, keepdims=True))


def completed(frame, number=0, seed=0):
    data = load_table(frame, missing="impute")
    return by_lines(
        data, make_plan(Settings(score="linear", seed=seed), data), RunContext(), number
    )


# The table


def test_gaps_are_marked_and_what_is_known_stays():
    holed = with_holes(chain(), 0.2)
    data = load_table(holed, missing="impute")
    assert (data.gaps == holed.isna().to_numpy()).all()
    known = ~data.gaps
    assert (data.values[known] == holed.to_numpy()[known]).all()
    for j in range(4):
        assert set(data.values[data.gaps[:, j], j]) <= set(data.values[known[:, j], j])
    again = load_table(holed, missing="impute")
    assert (again.values == data.values).all()
    assert again.fingerprint == data.fingerprint
    assert data._with(gaps=None).fingerprint != data.fingerprint


def test_a_table_without_gaps_is_the_same_whatever_is_asked():
    plain, asked = load_table(chain()), load_table(chain(), missing="impute")
    assert asked.gaps is None
    assert asked.fingerprint == plain.fingerprint
    one, other = (gpnet.learn(chain(), missing=way, **FAST) for way in ("refuse", "impute"))
    assert (one.dags == other.dags).all()
    assert (one.log_weights == other.log_weights).all()
    assert one.diagnosis.record() == other.diagnosis.record()


def test_ranks_are_those_of_known_values():
    holed = with_holes(chain(), 0.2)
    data = load_table(holed, missing="impute", transform="rank-normal")
    for j, name in enumerate(holed.columns):
        alone = load_table(holed[[name]].dropna(), transform="rank-normal").values[:, 0]
        assert (data.values[~data.gaps[:, j], j] == alone).all()


def test_what_is_imputed_is_told():
    found = gpnet.check_table(with_holes(chain(), 0.1, columns=["B"]), missing="impute")
    (told,) = [issue for issue in found if issue.code == "imputed"]
    assert told.level == "warning"
    assert told.columns == ("B",)
    assert "of 1,600 cells have no value" in told.problem
    assert "--missing rows" in told.remedy


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda t: t.assign(B=t["B"].where(t.index < 9)), "column 'B' has 9 known values"),
        (
            lambda t: t.mask(t.index.to_numpy()[:, None] == np.full((1, 4), 6)),
            "no value is known in row 7",
        ),
        (lambda t: t.assign(B=np.nan), "column 'B' has 0 known values"),
    ],
)
def test_too_little_to_draw_from_is_refused(spoil, told):
    with pytest.raises(DataError, match=told):
        load_table(spoil(chain(50)), missing="impute")


def test_a_categorical_column_has_a_level_for_missing_cells():
    frame = chain(60).assign(batch=["x", "y", None] * 20)
    data = load_table(frame, missing="impute")
    assert data.levels["batch"] == ("x", "y", "(missing)")
    assert data.gaps is None
    once = frame.assign(batch=["x", "y"] * 29 + ["x", None])
    data = load_table(once, missing="impute")
    assert data.levels["batch"] == ("x", "y")
    assert data.gaps.sum() == 1
    assert not cells_to_draw(data).any()


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match="missing 'mean': expected one of"):
        gpnet.learn(chain(), missing="mean")
    with pytest.raises(OptionError, match="imputations: 1 or more"):
        gpnet.learn(chain(), imputations=0)


# Draws of cells


def test_draws_know_their_table_and_nothing_else():
    holed = with_holes(chain(), 0.2)
    one, again, other = (completed(holed, number) for number in (0, 0, 1))
    assert (one.values == again.values).all()
    assert (one.values[one.gaps] != other.values[one.gaps]).mean() > 0.9
    assert (one.values[~one.gaps] == holed.to_numpy()[~one.gaps]).all()


def test_cells_follow_their_distribution_given_all_others():
    """B given A and C is normal with mean (A + C) / 2 and variance 1 / 2.

    5 tables x 400 cells share one fit to some 1 600 rows: standard errors of slope, mean and
    variance are below 0.03.
    """
    frame = chain(2000)
    holed = with_holes(frame, 0.2, columns=["B"])
    gaps = holed["B"].isna().to_numpy()
    expected = ((frame["A"] + frame["C"]) / 2).to_numpy()[gaps]
    drawn = np.array([completed(holed, k).values[gaps, 1] for k in range(5)])
    slope, level = np.polyfit(np.tile(expected, 5), drawn.reshape(-1), 1)
    assert slope == pytest.approx(1, abs=0.1)
    assert level == pytest.approx(0, abs=0.1)
    assert (drawn - expected).var() == pytest.approx(0.5, abs=0.08)
    at_first = load_table(holed, missing="impute").values[gaps, 1]  # the control: other rows
    assert abs(np.polyfit(expected, at_first, 1)[0]) < 0.3


def test_roots_and_leaves_are_drawn_given_their_relations():
    """A given B: mean B / 2, variance 1 / 2; C given B: mean B, variance 1."""
    frame = chain(2000, seed=3)
    holed = with_holes(frame, 0.2, columns=["A", "C"])
    for name, factor, variance in (("A", 0.5, 0.5), ("C", 1.0, 1.0)):
        gaps, j = holed[name].isna().to_numpy(), holed.columns.get_loc(name)
        expected = factor * frame["B"].to_numpy()[gaps]
        drawn = np.array([completed(holed, k).values[gaps, j] for k in range(3)])
        assert np.polyfit(np.tile(expected, 3), drawn.reshape(-1), 1)[0] == pytest.approx(
            1, abs=0.12
        )
        assert (drawn - expected).var() == pytest.approx(variance, rel=0.2)


def test_what_is_missing_at_random_does_not_bias():
    """C is missing where A is large: the known mean is too small by some 0.4, that of all is not.

    The standard error of the completed mean is below 0.04.
    """
    frame = chain(2000, seed=5)
    rng = np.random.default_rng(6)
    missing = rng.random(2000) < 0.6 / (1 + np.exp(-3 * frame["A"]))
    holed = frame.assign(C=frame["C"].mask(missing))
    assert frame["C"].mean() - holed["C"].mean() > 0.25
    means = [completed(holed, number).values[:, 2].mean() for number in range(3)]
    assert np.mean(means) == pytest.approx(frame["C"].mean(), abs=0.12)


def test_cells_that_were_set_keep_values_that_were_set():
    frame = chain(200)
    were_set = np.zeros((200, 4), dtype=bool)
    were_set[:50, 1] = True
    frame.loc[:49, "B"] = 7.0 + np.arange(50) / 100
    holed = frame.copy()
    holed.loc[40:60, "B"] = np.nan
    data = completed_with(holed, were_set)
    assert (data.values[40:50, 1] >= 7).all()
    assert (data.values[50:61, 1] < 7).all()


def completed_with(frame, were_set):
    data = load_table(frame, missing="impute", interventions=were_set)
    return by_lines(data, make_plan(Settings(score="linear"), data), RunContext(), 0)


def test_a_smooth_density_keeps_mean_and_variance():
    sample = np.random.default_rng(0).exponential(size=300)
    density = SmoothDensity.of(sample)
    drawn = density.draw((100_000,), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(sample.mean(), abs=0.02)
    assert drawn.var() == pytest.approx(sample.var(), rel=0.05)
    x = np.linspace(-30, 30, 200_001)
    assert np.trapezoid(np.exp(density.log_density(x)), x) == pytest.approx(1, abs=1e-3)


# Posteriors


def edges(posterior):
    return posterior.edge_probabilities().to_numpy()


def test_edges_are_nearly_those_of_complete_data():
    frame = chain(400)
    whole = edges(gpnet.learn(frame, **FAST))
    holed = with_holes(frame, 0.2)
    posterior = gpnet.learn(holed, missing="impute", imputations=3, **FAST)
    either = edges(posterior) + edges(posterior).T
    assert np.abs(either - whole - whole.T).max() < 0.2
    assert either[0, 1] > 0.99
    assert either[1, 2] > 0.99
    assert (np.bincount(posterior.chain) == 400).all()
    assert posterior.diagnosis.imputations == 3
    assert posterior.diagnosis.converged
    told = "completed tables; probabilities of edges differ by up to"
    assert told in posterior.diagnosis.notes[-1]
    assert posterior.missing_mass is None
    assert not posterior.independent
    assert posterior.settings["data"]["imputed"].keys() == {"A", "B", "C", "D"}


@pytest.mark.parametrize("bag", ["off", 4])
def test_pooled_numbers_are_means_over_tables(bag, monkeypatch):
    pool, parts = pipeline.pooled, []

    def watched(found, **options):
        parts.extend(found)
        return pool(found, **options)

    monkeypatch.setattr(pipeline, "pooled", watched)
    holed = with_holes(chain(100), 0.2)
    options = FAST | {"missing": "impute", "imputations": 3, "bag": bag}
    posterior = gpnet.learn(holed, **options)
    assert posterior.diagnosis.replicates == (None if bag == "off" else bag)
    assert (np.bincount(posterior.chain) == 400).all()  # of a table, not of its replicates
    each = [edges(part.posterior) for part in parts]
    assert edges(posterior) == pytest.approx(np.mean(each, axis=0), abs=1e-12)
    assert posterior.diagnosis.imputations_differ_by == pytest.approx(np.ptp(each, axis=0).max())
    scores = posterior.local_scores
    for node in range(4):  # without parents: in the draws of all tables, or it is not asked
        row = np.flatnonzero((scores.node == node) & ~scores.parents.any(axis=1))
        values = [part.table.log_marginal(node, ()) for part in parts]
        if len(row) and all(has_root(part.posterior, node) for part in parts):
            assert scores.log_marginal[row[0]] == pytest.approx(np.mean(values))


def has_root(posterior, node):
    return bool((~posterior.dags[:, :, node].any(axis=1)).any())


def test_runs_are_the_same_for_any_workers_and_read_back_from_files(tmp_path):
    holed = with_holes(chain(100), 0.1)
    options = {**FAST, "missing": "impute", "imputations": 2, "doubt": 0.2}
    one, two = (gpnet.learn(holed, **{**options, "workers": n}) for n in (1, 2))
    assert one.save(tmp_path / "one.npz").read_bytes() == two.save(tmp_path / "2.npz").read_bytes()
    again = gpnet.load(tmp_path / "one.npz")
    assert again.edges().equals(one.edges())
    plain = one.without_doubt()
    assert plain.n_draws == 800
    assert plain.edges()["std_error"].notna().all()


def test_curves_are_followed_by_the_default_score():
    """B = A^2 + noise: lines would draw B without regard to A."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, size=150)
    frame = pd.DataFrame({"A": a, "B": a**2 + 0.3 * rng.normal(size=150)})
    holed = with_holes(frame, 0.2, columns=["B"])
    posterior = gpnet.learn(holed, missing="impute", imputations=2, draws=200, workers=1)
    whole = gpnet.learn(frame, draws=200, workers=1)
    assert edges(posterior)[0, 1] == pytest.approx(edges(whole)[0, 1], abs=0.1)
    assert posterior.fits is not None
    assert posterior.checks is not None


def test_knowledge_holds_in_every_table():
    frame = chain(100).assign(E=np.random.default_rng(9).normal(size=100))
    required = [f"{name} -> E" for name in "ABCD"]
    options = {"missing": "impute", "imputations": 2, "require": required, "roots": ["A"]}
    posterior = gpnet.learn(with_holes(frame, 0.1), **options, **FAST)
    assert (edges(posterior)[:4, 4] == 1).all()
    assert (edges(posterior)[:, 0] == 0).all()


def test_where_the_time_is_out_there_are_fewer_tables(monkeypatch):
    learn_table, done = pipeline._learn_table, []

    def once(*given, **options):
        if done:
            raise OutOfTimeError("over")
        done.append(True)
        return learn_table(*given, **options)

    monkeypatch.setattr(pipeline, "_learn_table", once)
    posterior = gpnet.learn(with_holes(chain(100), 0.1), missing="impute", **FAST)
    assert posterior.diagnosis.imputations == 1
    assert "no time for the other 4 of 5 (imputations)" in posterior.diagnosis.notes[-1]
    assert posterior.diagnosis.converged is False
    assert "ended after one completed table of 5, so that nobody knows" in (
        posterior.diagnosis.verdict
    )


def test_a_first_answer_draws_cells_in_haste():
    """Twenty columns took as long again as the budget that had ended."""
    totals = {}

    def progress(stage):
        return lambda done, total, _: totals.update({stage: total})

    first = gpnet.learn(
        with_holes(chain(100), 0.1), missing="impute", time_budget=1e-3, progress=progress
    )
    assert first.diagnosis.first_answer
    stage = "a first answer: imputation 1 of 1: drawing missing cells, by lines"
    assert totals[stage] == N_HASTY < N_LINEAR


def test_stages_tell_their_table():
    stages = []

    def progress(stage):
        stages.append(stage)
        return lambda *_: None

    holed = with_holes(chain(100), 0.1)
    gpnet.learn(holed, missing="impute", imputations=2, progress=progress, **FAST)
    assert {stage.split(":")[0] for stage in stages} == {"imputation 1 of 2", "imputation 2 of 2"}


def test_the_cost_counts_all_tables():
    holed = load_table(with_holes(chain(100), 0.1), missing="impute")
    cost = estimate(holed, make_plan(Settings(imputations=7), holed), workers=1)
    assert cost.n_tables == 7
    whole = load_table(chain(100))
    alone = estimate(whole, make_plan(Settings(imputations=7), whole), workers=1)
    assert alone.n_tables == 1
    assert cost.memory > 5 * (alone.memory - 4**2 * 10_000)


# Tables that disagree


def faint(n_rows, share):
    """B follows A so faintly that what is drawn for the empty cells of B decides about the edge."""
    a, e = np.random.default_rng(6).normal(size=(2, n_rows))
    frame = pd.DataFrame({"A": a, "B": 0.45 * a + e})
    frame.loc[np.random.default_rng(1).random(n_rows) < share, "B"] = np.nan
    return frame


def test_tables_that_disagree_are_told_before_any_number():
    options = {"missing": "impute", "imputations": 5, "roots": ["A"], **FAST}
    found = gpnet.learn(faint(80, 0.6), **options)
    diagnosis = found.diagnosis
    assert diagnosis.imputations_differ_by > 0.5
    assert diagnosis.imputations_disputed == ("'A' -> 'B'",)
    assert 0.2 < diagnosis.imputations_variance_share <= 1
    assert diagnosis.converged is False
    (sentence,) = cautions(found)
    assert sentence.startswith("Completed tables disagree: ")
    assert "'A' -> 'B'" in sentence
    assert repr(found.summary()).index(sentence) < repr(found.summary()).index(
        "probability  if model"
    )
    assert contents(found)["summary"]["cautions"] == [sentence.replace(" -> ", " → ")]


def test_tables_that_agree_are_no_news():
    found = gpnet.learn(with_holes(chain(), 0.05), missing="impute", imputations=3, **FAST)
    assert found.diagnosis.imputations_disputed == ()
    assert found.diagnosis.converged
    assert cautions(found) == []
    assert found.diagnosis.verdict.startswith("Converged: ")


def of_probabilities(*each):
    """Posteriors of as many tables, in which A -> B has these probabilities."""
    found = []
    for p in each:
        dags = np.zeros((100, 2, 2), dtype=bool)
        dags[: round(100 * p), 0, 1] = True
        found.append(posterior_of(dags))
    return found


def test_numbers_between_tables():
    """Of 0, 0, 1: mean 1/3, variance 2/9 = p (1 - p), standard error sqrt(2/9 / 2) = 1/3."""
    found = between_tables(of_probabilities(0, 0, 1))
    assert found.differ_by == pytest.approx(1)
    assert found.share == pytest.approx(1)
    assert found.std_error == pytest.approx(1 / 3)
    assert found.disputed == ("'A' -> 'B'",)
    assert found.more_tables == 50  # 1.5 x 3 x (1/3 / 0.1)^2
    alike = between_tables(of_probabilities(0.3, 0.3))
    assert (alike.differ_by, alike.std_error, alike.disputed) == (0, 0, ())
    assert alike.share == pytest.approx(0)
    assert between_tables(of_probabilities(0.3)).std_error == 0


@pytest.mark.parametrize(
    ("each", "converged", "verdict"),
    [
        ([0, 0.2, 1, 1, 0], False, "Not converged: the completed tables disagree, and the mean"),
        ([0, 1] * 20, True, "Converged, as a mean over completed tables that differ by up to 1.00"),
        ([0.3, 0.4], True, "Converged: "),
    ],
)
def test_the_verdict_counts_what_other_tables_would_change(each, converged, verdict):
    fine = Diagnosis(converged=True, verdict="Converged: 100 draws.", problems=(), notes=())
    parts = [Learnt(replace(one, diagnosis=fine), None, ()) for one in of_probabilities(*each)]
    found = diagnosis_of(parts, n_drawn=3, n_cells=30, asked=len(each))
    assert found.converged is converged
    assert found.verdict.startswith(verdict)
    remedies = re.findall("--imputations ([0-9]+)", found.verdict)
    assert [int(n) > len(each) for n in remedies] == [True] * (not converged)


# Error bars


def of_tables(probabilities, n_each=1000, *, differing):
    """Draws of an event that has another probability in each table."""
    m, rng = len(probabilities), np.random.default_rng(0)
    event = np.concatenate([rng.random(n_each) < p for p in probabilities])
    n = m * n_each
    draws = WeightedDraws(
        np.full(n, -np.log(n)),
        rng.normal(size=n) + 1000 * np.repeat(np.arange(m), n_each),
        np.repeat(np.arange(m), n_each).astype(np.int32),
        False,
        np.zeros((1, n), dtype=np.intp),
        np.zeros(1),
        differing=differing,
    )
    return draws.probability(event)


@pytest.mark.parametrize("spread", [0.0, 0.03, 0.3])
def test_error_bars_contain_the_variance_between_tables(spread):
    """sd of the mean of 20 probabilities: sqrt(spread^2 + within / 1000) / sqrt(20), +- 4 x 16%."""
    p = 0.5 + spread * np.resize([-1, 1], 20)
    found = of_tables(p, differing=True)
    truth = np.sqrt((p.var(ddof=1) + np.mean(p * (1 - p)) / 1000) / 20)
    assert found.std_error == pytest.approx(truth, rel=0.4)


def test_tables_are_no_chains_that_have_to_agree():
    never = of_tables([0.0] * 5, differing=True)
    assert never.std_error < 1e-3  # the log target of tables may differ as it likes
    assert of_tables([0.0] * 5, differing=False).std_error > 0.05  # the control: of chains, not
