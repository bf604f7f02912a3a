"""Curves of all pairs from one set of networks, and what a report makes of them."""

from dataclasses import replace

import numpy as np
import pytest

from gpnet import OptionError
from gpnet.common.errors import OutOfTimeError
from gpnet.effects import all_pairs, on_page
from gpnet.effects.all_pairs import measure_all
from gpnet.effects.on_page import effects_on_page, record
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.scores import Score
from tests.effects.chains import between, known_dag, triangle


@pytest.fixture(scope="module")
def curved():
    return known_dag(triangle(200, curved=True), score="adaptive", transform="none")


@pytest.fixture(scope="module")
def unsure():
    """b drives c in 96% of the posterior only, and a drives b in half of it."""
    posterior = known_dag(triangle(), edges=("a -> b", "b -> c"))
    shares = {("a -> b", "b -> c"): 0.5, ("b -> a", "b -> c"): 0.46, ("b -> a",): 0.04}
    return between(posterior, shares)


def ends(matrix, cause, target):
    """The curve at the two ends of the contrast."""
    curve = matrix.curve(cause, target).set_index("value")["mean"]
    place = matrix.names.index(cause)
    return curve.loc[matrix.start[place]], curve.loc[matrix.end[place]]


def test_curves_are_those_of_one_pair_at_a_time(curved):
    every, one = curved.effects(draws=400, curves=True), curved.effect("a", "c", draws=400)
    mine, alone = every.curve("a", "c"), one.frame()
    shared = mine[mine["value"].isin(alone["value"])]
    assert len(shared) == len(alone)
    error = 7 * alone["mean_error"].to_numpy()
    for name in ("mean", "low", "high"):
        assert (np.abs(shared[name].to_numpy() - alone[name].to_numpy()) < error).mean() > 0.9
    assert np.ptp(alone["mean"]) > 10 * error.max()  # the control: no flat line would do


def test_a_curve_rises_by_its_contrast(unsure):
    every = unsure.effects(draws=200, curves=True)
    for cause, target in (("a", "b"), ("b", "c"), ("b", "a"), ("a", "c")):
        low, high = ends(every, cause, target)
        assert high - low == pytest.approx(every.matrix().loc[cause, target], abs=1e-9)
        assert abs(high - low) > 1e-3


def test_curves_change_no_other_number(unsure):
    with_curves, without = unsure.effects(curves=True), unsure.effects()
    assert with_curves.frame().equals(without.frame())
    assert without.curves == ()


def test_rows_that_are_not_used_count_for_the_mean(unsure, monkeypatch):
    before = unsure.effects(draws=50, curves=True)
    monkeypatch.setattr(all_pairs, "left_out", lambda *_: 1000.0)
    after = unsure.effects(draws=50, curves=True)
    for one, other in zip(before.curves, after.curves, strict=True):
        np.testing.assert_allclose(other.mean, one.mean + 1000)
        np.testing.assert_array_equal(other.draws, one.draws)


def test_many_variables_are_measured_on_fewer_rows():
    assert [all_pairs.n_rows(n) for n in (2, 11, 20, 30, 60)] == [1000, 1000, 500, 222, 200]


def test_improbable_pairs_have_no_curve_and_say_why(unsure):
    every = unsure.effects(curves=True)
    assert {(one.cause, one.target) for one in every.curves} == {(0, 1), (0, 2), (1, 0), (1, 2)}
    with pytest.raises(OptionError, match=r"'c' on 'a', .* improbable"):
        every.curve("c", "a")
    with pytest.raises(OptionError, match="no variable is called 'A'"):
        every.sentence("A", "c")


def test_the_sentence_is_that_of_an_effect(unsure):
    every = unsure.effects(curves=True)
    one = every.contrast.at(1)
    told = every.sentence("a", "b")
    assert f"changes b by {one.mean:+.3g} ({one.low:.3g} to {one.high:.3g}); 50% sure" in told
    kinds = [unsure.effect("a", "b", draws=50).sentence(), told]
    words = [[w for w in text.split() if w.isalpha()] for text in kinds]
    assert words[0] == words[1]


def test_humps_are_those_of_the_draws(unsure):
    every = unsure.effects(curves=True)
    told = {tuple(one["pair"]): one for one in record(every)["pairs"]}
    for one in every.curves:
        counts = told[one.cause, one.target]["counts"]
        assert sum(counts) == one.any_effect.sum()
        low, high = told[one.cause, one.target]["ends"]
        assert low <= 0 <= high
    half = told[0, 1]
    empty = half["counts"][: np.flatnonzero(half["counts"])[0]]
    assert len(empty) > 3  # a gap between no effect and an effect


def test_steps_are_told_and_the_deadline_is_kept(unsure):
    told = []
    context = RunContext(progress=lambda stage: lambda *step: told.append((stage, *step[:2])))
    measure_all(unsure, draws=20, seed=0, context=context)
    assert told[0][0] == "computing effects"
    assert told[-1][1] == told[-1][2] > 3
    over = RunContext(deadline=Deadline(0.0))
    with pytest.raises(OutOfTimeError, match="0 of"):
        measure_all(unsure, draws=20, seed=0, context=over)
    assert effects_on_page(unsure, over) == {"missing": on_page.NO_TIME}


def test_a_report_goes_without_what_cannot_be_had(unsure, monkeypatch):
    assert effects_on_page(replace(unsure, tables=None)) == {"missing": on_page.NO_TABLE}
    with monkeypatch.context() as few:
        few.setattr(on_page, "MOST_VARIABLES", 2)
        assert effects_on_page(unsure) == {"missing": on_page.TOO_MANY}
    monkeypatch.setattr(Score, "sample_functions", lambda *_: None)
    assert "draws no functions" in effects_on_page(unsure)["missing"]

    def none_left(*_, **__):
        raise MemoryError

    monkeypatch.setattr(on_page, "measure_all", none_left)
    assert "memory" in effects_on_page(unsure)["missing"]
