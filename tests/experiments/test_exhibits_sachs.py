"""Table 1 and figure A1 in their quick modes, asserted loosely, but so that they can fail."""

import numpy as np
import pandas as pd
import pytest
from baselines import LEARNERS
from baselines.learner import posterior_of
from experiments.experiment import Experiment, Place
from experiments.figure_a1.run import local_scores, summary, total
from experiments.reference import Known
from experiments.running import run
from experiments.sachs import NAMES, consensus
from experiments.table_1 import run as table_1
from experiments.table_1.figure import draw
from experiments.table_1.run import as_published

import gpnet
from gpnet.inference.plan import make_plan, make_score
from gpnet.inference.settings import Settings

PNG = b"\x89PNG"


def quick(name, folder):
    run(Experiment.load(name, quick=True), folder, workers=None)
    assert (folder / f"{name}.png").read_bytes().startswith(PNG)
    return pd.read_csv(folder / f"{name}.csv")


# Table 1


def test_names_of_methods_find_what_was_published():
    assert as_published("GP^2, order, 3 parents") == "GP^2, order"
    assert as_published("GP, partition") == "GP, partition"
    assert as_published("DiBS+") == "DiBS+"


def test_every_method_of_table_1_is_a_row_and_gpnet_can_plan_it():
    settings = Experiment.load("table-1", quick=False).settings
    assert set(settings["rows"]) == set(settings["methods"])
    data = gpnet.load_table(gpnet.simulate(nodes=11, rows=50, seed=0).frame())
    ours = [one for one in settings["methods"].values() if one["learner"] == "gpnet"]
    for method in ours:
        for prior in method.get("priors", ["uniform"]):
            make_plan(Settings.of(method["options"] | {"prior": prior}), data)


class TwoDags:
    """A competitor, which has no scores: one DAG with Erk -> Akt, one with Erk -> PKA."""

    def __init__(self, **options):
        self.options = options

    def fit(self, data, resources):
        dags = np.zeros((2, 11, 11), dtype=bool)
        erk, akt, pka = (data.column(name) for name in ("Erk", "Akt", "PKA"))
        dags[0, erk, akt] = dags[1, erk, pka] = True
        return posterior_of(data.names, dags, [0.75, 0.25], settings=self.options)


def test_a_learner_without_scores_has_its_row(monkeypatch, tmp_path):
    values = np.random.default_rng(0).normal(size=(30, 11))
    known = Known(gpnet.load_table(pd.DataFrame(values, columns=list(NAMES))), consensus())
    monkeypatch.setattr(table_1, "sachs", lambda: known)
    monkeypatch.setitem(LEARNERS, "two dags", TwoDags)
    settings = {"methods": {"toy": {"learner": "two dags", "options": {}}}}
    row = table_1.measure({"method": "toy", "prior": "own"}, settings, Place(tmp_path, 1))
    assert (row["erk_akt"], row["no_erk_pka"]) == (0.75, 0.75)
    # Erk -> Akt is right; Erk -> PKA is reversed, and counts half.
    assert row["etp"] == pytest.approx(0.75 + 0.25 / 2)
    assert row["efp"] == pytest.approx(0.25 / 2)
    assert row["eshd"] == pytest.approx(17 - row["etp"] + row["efp"])
    frame = pd.DataFrame([{"method": "toy", "prior": "own", **row}])
    assert list(table_1.report(frame, settings | {"published_seconds": {}}))
    assert draw(frame, settings)


@pytest.mark.slow
def test_table_1(tmp_path, capsys):
    rows = quick("table-1", tmp_path).set_index(["method", "prior"])
    told = capsys.readouterr().out
    assert "116,654" in told
    default = rows.loc[("gpnet", "own")]
    assert default["eshd"] < 14.5  # as published
    assert default["erk_akt"] > 0.99
    assert rows.loc[("GP, exact", "uniform"), "eshd"] == pytest.approx(16.5, abs=0.4)
    assert 13.3 < rows.loc[("GP, exact", "edges:4.6"), "eshd"] < 14.3
    # Samplers differ by chance alone once weights have removed the bias of orders; models do not.
    for model in ("GP", "BGe"):
        by = {name: rows.loc[(f"{model}, {name}", "edges:4.6")] for name in ("partition", "order")}
        assert by["partition"]["eshd"] == pytest.approx(by["order"]["eshd"], abs=0.2)
    assert rows.loc[("BGe, partition", "edges:4.6"), "erk_akt"] < 0.5
    assert rows["data"].nunique() == 1


# Figure A1


def test_the_difference_is_that_of_two_dags():
    """Against the sum over all families, written out."""
    chain = np.eye(3, k=1, dtype=bool)
    made = gpnet.simulate(dag=chain, rows=40, nonlinearity=1, seed=3)
    data = gpnet.load_table(made.frame())
    score = make_score(Settings(score="linear"))
    families = [(0, ()), (1, (0,)), (2, (1,))], [(0, (1,)), (1, (2,)), (2, ())]
    for dag, family in zip((chain, chain.T), families, strict=True):
        expected = sum(score.log_marginal(data, *one).value for one in family)
        assert total(local_scores(score, data, dag)) == pytest.approx(expected)


def test_a_summary_by_score_and_lambda():
    made = {"score": "gp", "lambda": 0.5, "difference": [-1, 0, 0, 3, 8]}
    (row,) = summary(pd.DataFrame(made)).to_dict("records")
    assert (row["runs"], row["median"], row["mean"]) == (5, 0, 2)
    assert row["positive"] == 0.4
    assert (row["low"], row["high"]) == (pytest.approx(-0.6), pytest.approx(6))


def test_bge_cannot_tell_a_chain_from_its_reverse_and_gp_can(tmp_path):
    experiment = Experiment.load("figure-a1", quick=True)
    key = {"lambda": 1, "run": 1}
    found = {
        score: experiment.measure(key | {"score": score}, experiment.settings, Place(tmp_path, 1))
        for score in ("bge", "gp")
    }
    assert found["bge"]["difference"] == 0
    assert abs(found["gp"]["difference"]) > 10 * found["gp"]["std_error"]


@pytest.mark.slow
def test_figure_a1(tmp_path):
    """A median of 20 runs at lambda 0 has a standard error of 0.7 for gp: three of them pass."""
    rows = quick("figure-a1", tmp_path / "once")
    found = summary(rows).set_index(["score", "lambda"])
    assert abs(found.loc[("gp", 0), "median"]) < 2.1
    assert abs(found.loc[("adaptive", 0), "median"]) < 0.2
    assert found.loc[("gp", 0.75), "median"] > 4
    assert found.loc[("gp", 0.75), "positive"] >= 0.7
    assert found.loc[("adaptive", 0.75), "positive"] >= 0.7
    assert (rows.loc[rows["score"] == "bge", "difference"] == 0).all()
    quick("figure-a1", tmp_path / "again")
    once, again = ((tmp_path / name / "figure-a1.csv").read_bytes() for name in ("once", "again"))
    assert once == again
