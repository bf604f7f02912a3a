"""What sets that were left out could change: against the exact posterior with and without them."""

import numpy as np
import pytest

import gpnet
from gpnet.data.load import load_table
from gpnet.inference import pipeline
from gpnet.inference.importance_rounds import Weighted
from gpnet.inference.left_out import LeftOut, left_out
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.context import RunContext
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.rescore import Rescorer
from gpnet.score_table.table import tabulate
from tests.contexts import PASSED
from tests.score_table.drawn import drawn_scored


def drawn(table):
    sample = ExactSampler().sample(table, n_draws=2000, seed=1)
    nothing = np.zeros(sample.n_draws)
    return Weighted(sample, table, nothing, sample.log_density, {})


@pytest.mark.parametrize("prune", [3.0, 6.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_estimate_is_about_the_change(prune, seed):
    """It says at most how much, and not many times as much: within a factor of four either way."""
    data = load_table(gpnet.simulate(nodes=6, rows=80, edge_probability=0.4, seed=seed).frame())
    plan = make_plan(Settings(), data)
    score, space = plan.score.proposal(), plan.space.build(data, plan.prior)
    whole = tabulate(data, space, score, plan.prior)
    pruned = tabulate(data, space, score, plan.prior, prune=prune)
    pruned = drawn_scored(pruned, data, score)
    exact = ExactSampler()
    change = np.abs(exact.marginals(whole).edges - exact.marginals(pruned).edges).max()
    found = left_out(drawn(pruned), Rescorer(data, score), seed=0)
    assert found.n_sets == sum(int((~node.computed).sum()) for node in pruned.nodes) > 0
    assert sum(int(node.left_out.sum()) for node in pruned.nodes) > 0
    assert change / 4 < found.largest_change < max(6 * change, 1e-4)


def test_nothing_left_out():
    data = load_table(gpnet.simulate(nodes=4, rows=50, seed=1).frame())
    plan = make_plan(Settings(score="linear"), data)
    table = tabulate(data, plan.space.build(data, plan.prior), plan.score, plan.prior)
    found = left_out(drawn(table), Rescorer(data, plan.score), seed=0)
    assert (found.n_sets, found.largest_change) == (0, 0.0)


def test_without_time_predictions_have_to_do():
    data = load_table(gpnet.simulate(nodes=6, rows=80, edge_probability=0.4, seed=1).frame())
    plan = make_plan(Settings(), data)
    score, space = plan.score.proposal(), plan.space.build(data, plan.prior)
    pruned = tabulate(data, space, score, plan.prior, prune=3.0)
    hurried = left_out(drawn(pruned), Rescorer(data, score, RunContext(deadline=PASSED)), seed=0)
    assert hurried.n_sets > 0
    assert 0 < hurried.largest_change < 1


def test_too_many_are_not_scored_unasked(monkeypatch):
    monkeypatch.setattr(pipeline, "left_out", lambda *_: LeftOut(pipeline.MOST_TO_SCORE + 1, 0.5))
    table = gpnet.simulate(nodes=6, rows=80, edge_probability=0.4, seed=1).frame()
    diagnosis = gpnet.learn(table, evidence="laplace", draws=300, workers=1).diagnosis
    assert not any("all were scored" in note for note in diagnosis.notes)
    assert "--prune off" in diagnosis.verdict
    assert not diagnosis.converged


@pytest.mark.parametrize(("change", "all_scored"), [(0.5, True), (0.05, False)])
def test_where_much_could_change_all_sets_are_scored(monkeypatch, change, all_scored):
    """The first estimate is made up; with all sets scored there is nothing left out."""
    given = iter([LeftOut(7, change)])
    monkeypatch.setattr(pipeline, "left_out", lambda *those: next(given, None) or left_out(*those))
    table = gpnet.simulate(nodes=6, rows=80, edge_probability=0.4, seed=1).frame()
    diagnosis = gpnet.learn(table, evidence="laplace", draws=300, workers=1).diagnosis
    assert any("all were scored" in note for note in diagnosis.notes) is all_scored
    assert diagnosis.sets_left_out == (0 if all_scored else 7)
    assert diagnosis.converged


def test_what_could_change_much_has_not_converged(monkeypatch):
    monkeypatch.setattr(pipeline, "left_out", lambda *_: LeftOut(7, 0.5))
    table = gpnet.simulate(nodes=4, rows=80, seed=1).frame()
    diagnosis = gpnet.learn(table, score="linear", draws=300, workers=1).diagnosis
    assert diagnosis.converged is False
    assert "could change by some 0.5; score all, in a new run: --prune off" in diagnosis.verdict
    assert not any("not scored" in note for note in diagnosis.notes)
