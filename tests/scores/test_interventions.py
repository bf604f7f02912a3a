"""Rows in which a node was set: every score is that of the table without them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet import Dataset, OptionError, load_table
from gpnet.gp.curves import Places
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.scores import SCORES, CurveRequest, ScoreSettings
from gpnet.structure_priors import UniformPrior
from tests.contexts import context

N_KEPT, N_SET = 40, 20
NAMES = ["a", "b", "c", "d"]


def scaled(values, square):
    """With means of 0 and this sum of squares in each column."""
    values = values - values.mean(axis=0)
    return values * np.sqrt(square / (values**2).sum(axis=0))


def table(seed=0):
    """Rows that count, and rows in which "c" was set; both together are standardised as either is.

    So that a table cut by hand has the scale of the whole one.
    """
    rng = np.random.default_rng(seed)
    a, b, e, f = rng.normal(size=(4, N_KEPT))
    c = np.tanh(2 * a) + 0.3 * e
    kept = scaled(np.column_stack([a, b, c, c * b + 0.3 * f]), N_KEPT - 1)
    return np.vstack([kept, scaled(rng.normal(size=(N_SET, 4)), N_SET)])


def set_in_last(names):
    were_set = np.zeros((N_KEPT + N_SET, 4), dtype=bool)
    were_set[N_KEPT:, [NAMES.index(name) for name in names]] = True
    return were_set


WHOLE = Dataset(table(), NAMES, "none", interventions=set_in_last(["c"]))
CUT = Dataset(table()[:N_KEPT], NAMES, "none")
PLAIN = Dataset(table(), NAMES, "none")
# The last bits of standardised values move a score by some 1e-9 nats: take the same ones.
assert np.allclose(CUT.standardised(), WHOLE.standardised()[:N_KEPT], rtol=0, atol=1e-14)
CUT.__dict__["_standard"] = replace(CUT._standard, values=WHOLE.standardised()[:N_KEPT].copy())
PLAIN_FRAME = pd.DataFrame(table(), columns=NAMES)
SETS = [(), (0,), (0, 1), (0, 1, 3)]


def scores():
    for name, member in SCORES.items():
        for evidence in ("laplace", "qmc") if name in ("gp", "adaptive") else ("laplace",):
            settings = ScoreSettings(evidence=EVIDENCE_METHODS[evidence]())
            yield pytest.param(member.from_settings(settings), id=f"{name}-{evidence}")


@pytest.mark.parametrize("score", list(scores()))
def test_rows_in_which_a_node_was_set_do_not_count_for_it(score):
    sets = SETS[:3] if "Gp2" in type(score).__name__ else SETS
    for parents in sets:
        masked = score.log_marginal(WHOLE, 2, parents)
        by_hand = score.log_marginal(CUT, 2, parents)
        assert masked.value == pytest.approx(by_hand.value, abs=1e-9)
        assert masked.value != pytest.approx(score.log_marginal(PLAIN, 2, parents).value, abs=1e-3)


@pytest.mark.parametrize("score", list(scores()))
def test_they_count_for_all_others(score):
    for parents in [(), (2,), (0, 2)]:
        one, other = (score.log_marginal(data, 1, parents) for data in (WHOLE, PLAIN))
        assert one.value == other.value


@pytest.mark.parametrize("name", ["gp", "adaptive", "linear", "bge", "gp2"])
def test_curves_are_those_of_the_rows_that_count(name):
    score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
    places = Places(np.linspace(-1, 1, 5)[None].repeat(2, axis=0), np.arange(7))
    masked, by_hand = (score.curves(CurveRequest(data, 2, (0, 1), places)) for data in (WHOLE, CUT))
    np.testing.assert_allclose(masked.mean, by_hand.mean, atol=1e-7)
    np.testing.assert_allclose(masked.parts, by_hand.parts, atol=1e-7)
    assert masked.level == pytest.approx(by_hand.level, abs=1e-7)


@pytest.mark.parametrize("name", ["gp", "adaptive", "linear"])
def test_residuals_are_there_where_the_node_was_not_set(name):
    score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
    masked, by_hand = (score.fit(data, 2, (0,), {}) for data in (WHOLE, CUT))
    np.testing.assert_allclose(masked.residuals[:N_KEPT], by_hand.residuals, atol=1e-7)
    assert np.isnan(masked.residuals[N_KEPT:]).all()
    assert np.isfinite(score.fit(WHOLE, 1, (2,), {}).residuals).all()


@pytest.mark.parametrize("name", ["gp", "adaptive", "linear", "bge"])
def test_rows_in_which_the_node_was_set_add_nothing(name):
    score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
    masked, by_hand = (score.pointwise(data, 2, (0,), {}) for data in (WHOLE, CUT))
    np.testing.assert_allclose(masked[:N_KEPT], by_hand, atol=1e-7)
    np.testing.assert_array_equal(masked[N_KEPT:], 0)
    assert (score.pointwise(WHOLE, 1, (2,), {}) != 0).all()


def test_parts_are_centred_where_rows_that_count_have_another_mean():
    """Of a table whose set rows lie elsewhere."""
    values = table()
    values[N_KEPT:] += 3
    data = Dataset(values, NAMES, "none", interventions=set_in_last(["c"]))
    rows = np.arange(N_KEPT)
    for name in ("linear", "gp", "bge"):
        score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
        places = Places(np.zeros((2, 1)), rows)
        curves = score.curves(CurveRequest(data, 2, (0, 1), places))
        np.testing.assert_allclose(curves.parts.mean(axis=1), 0, atol=1e-6)
        fitted = curves.level + curves.parts.sum(axis=0)
        x = data.standardised()[:N_KEPT, 2]
        assert np.mean(fitted - x) == pytest.approx(0, abs=0.1)


def test_nodes_that_were_set_in_the_same_rows_share_one_table():
    data = Dataset(table(), NAMES, "none", interventions=set_in_last(["c", "d"]))
    assert data.rows_of(2) is data.rows_of(3)
    assert data.rows_of(0) is data
    assert data.n_masks == 2
    assert len({data.rows_of(v).fingerprint for v in range(4)}) == 2


def test_without_interventions_nothing_is_another_number():
    none = Dataset(table(), NAMES, "none", interventions=np.zeros((60, 4), dtype=bool))
    assert none.interventions is None
    assert none.fingerprint == PLAIN.fingerprint != WHOLE.fingerprint


def test_a_table_of_scores_knows_which_rows_count():
    space = SearchSpace(((1, 2), (0, 2), (0, 1), ()), 2)
    score = SCORES["bge"]()
    filled = tabulate(WHOLE, space, score, UniformPrior(), context())
    assert filled.log_marginal(2, (0, 1)) == pytest.approx(score.log_marginal(CUT, 2, (0, 1)).value)


def test_an_exogenous_node_has_no_score():
    data = Dataset(table(), NAMES, "none", exogenous=["a"])
    for member in SCORES.values():
        found = member().log_marginals(data, 0, [(), (1,)], {})
        assert [one.value for one in found] == [0.0, 0.0]


def test_levels_are_refused_by_scores_that_know_numbers_alone():
    frame = PLAIN_FRAME.assign(batch=["x", "y", "z"] * 20)
    for score in ("bge", "gp2", "parentwise"):
        with pytest.raises(OptionError, match=r"'batch' is; take 'adaptive', 'gp' or 'linear'"):
            gpnet.learn(frame, score=score)


def test_a_loaded_table_has_the_same_interventions_however_they_are_said():
    targets = [""] * N_KEPT + ["c;d"] * N_SET
    by_column = load_table(PLAIN_FRAME.assign(target=targets), interventions="target")
    flags = set_in_last(["c", "d"])
    by_array = load_table(PLAIN_FRAME, interventions=flags)
    by_frame = load_table(
        PLAIN_FRAME, interventions=pd.DataFrame(flags[:, 2:].astype(int), columns=["c", "d"])
    )
    assert by_column.names == by_array.names == ("a", "b", "c", "d")
    assert by_column.fingerprint == by_array.fingerprint == by_frame.fingerprint
