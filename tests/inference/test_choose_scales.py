"""Columns by ranks, where their relations ask for it: which ones, and what is told."""

import numpy as np
import pytest

import gpnet
from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.noise import FlexibleNoise, GaussianNoise
from gpnet.inference.choose_scales import MARGIN, _some_rows, choose_scales, compare_scales
from gpnet.inference.fit_relations import Fitter, rows_shown
from gpnet.scores import SCORES, AdaptiveScore, GpScore
from tests.contexts import context

LAPLACE = EVIDENCE_METHODS["laplace"]()
SEEDS = range(5)


def straight(rng, n=200):
    x = rng.standard_normal(n)
    return np.column_stack([x, x + 0.5 * rng.standard_normal(n)])


def skewed(rng, n=200):
    x = rng.exponential(size=n)
    return np.column_stack([x, 2 * x + rng.exponential(size=n)])


def warped(rng, n=200):
    """The second column is exp of a curve with normal noise; the first as it is."""
    x = rng.standard_normal(n)
    return np.column_stack([x, np.exp(1.5 * (np.sin(2 * x) + 0.3 * rng.standard_normal(n)))])


def growing(rng, n=200):
    """The second column is exp of a line."""
    x = rng.standard_normal(n)
    return np.column_stack([x, np.exp(1.5 * x + 0.5 * rng.standard_normal(n))])


def chosen(values, score=None, **options):
    """Names of the ranked columns, and the notes of the run."""
    given = load_table(values, names=list("xyz")[: values.shape[1]], **options)
    within = context()
    scales = compare_scales(given, score or AdaptiveScore(), within)
    found = choose_scales(given, scales, within.notes)
    np.testing.assert_array_equal(found.values, given.values)  # in their units
    return found.ranked, list(within.notes)


def gains(data):
    """What each of two columns adds to the other as a root."""
    score = AdaptiveScore(evidence=LAPLACE)
    both = [[score.log_marginal(data, v, p).value for p in ((1 - v,), ())] for v in range(2)]
    return [given - alone for given, alone in both]


@pytest.mark.parametrize("draw", [warped, growing])
def test_the_warped_column_is_taken_by_ranks_and_not_its_parent(draw):
    """The parent is normal already: its ranks alone can mend nothing."""
    ranked = [chosen(draw(np.random.default_rng(seed)))[0] for seed in range(10)]
    assert sum("y" in names for names in ranked) >= 7
    assert ("x",) not in ranked


@pytest.mark.parametrize("draw", [warped, growing])
def test_what_is_chosen_fits_no_worse_than_the_table(draw):
    """Of each column that is taken by ranks, on the scales that were chosen for all of them."""
    for seed in range(3):
        values = draw(np.random.default_rng(seed))
        plain = load_table(values, names=["x", "y"])
        names, _ = chosen(values)
        before, after = gains(plain), gains(plain.by_ranks(names))
        assert all(after[v] > before[v] for v in range(2) if "xy"[v] in names)


def test_the_note():
    ranked, notes = chosen(warped(np.random.default_rng(0)))
    (note,) = notes
    assert all(f"'{name}'" in note for name in ranked)
    assert "by ranks" in note
    assert f"{len(ranked)} column" in note
    assert "transform 'none'" in note


@pytest.mark.parametrize("draw", [straight, skewed])
def test_other_columns_stay_as_they_are(draw):
    """The control; prior odds of exp(5) make a false alarm of one column rarer than 1 %."""
    assert np.exp(-MARGIN) < 0.01
    for seed in SEEDS:
        assert chosen(draw(np.random.default_rng(seed))) == ((), [])


def test_a_column_without_relations_stays_as_it_is():
    rng = np.random.default_rng(3)
    values = np.column_stack([warped(rng), np.exp(rng.standard_normal(200))])
    ranked, _ = chosen(values)
    assert "y" in ranked
    assert "z" not in ranked


@pytest.mark.parametrize("transform", ["none", "rank-normal", "log2"])
def test_only_where_the_transform_is_auto(transform):
    values = warped(np.random.default_rng(0)) + 5
    assert chosen(values, transform=transform) == ((), [])


@pytest.mark.parametrize("name", SCORES)
def test_only_scores_that_see_the_shape_of_a_root_compare(name, monkeypatch):
    score = SCORES[name]()
    sees = name in ("adaptive", "parentwise")
    assert score.compares_scales == sees
    if not sees:
        monkeypatch.setattr("gpnet.inference.choose_scales.Rescorer", None)  # never asked
        assert chosen(warped(np.random.default_rng(0)), score) == ((), [])


def test_gaussian_noise_never_compares():
    values = warped(np.random.default_rng(0))
    assert chosen(values, AdaptiveScore(noise=GaussianNoise())) == ((), [])
    ranked, _ = chosen(values, GpScore(noise=FlexibleNoise()))
    assert ranked  # the control


def test_one_column_has_nothing_to_compare():
    assert chosen(warped(np.random.default_rng(0))[:, 1:]) == ((), [])


def test_curves_of_ranked_columns_are_in_their_units():
    data = load_table(warped(np.random.default_rng(2)), names=["x", "y"]).by_ranks(["y"])
    for node, parent in ((1, 0), (0, 1)):
        fits = Fitter(data, AdaptiveScore(evidence=LAPLACE)).fit([(node, (parent,))])
        x = data.values[:, parent]
        assert (fits.x.min(), fits.x.max()) == (x.min(), x.max())
        np.testing.assert_array_equal(fits.shown, data.values)
    fits = Fitter(data, AdaptiveScore(evidence=LAPLACE)).fit([(1, (0,))])
    y = data.values[:, 1]
    for block in (fits.low, fits.mean, fits.high, fits.residual):
        assert y.min() <= block.min() <= block.max() <= y.max()
    assert (fits.low <= fits.mean).all()
    assert (fits.mean <= fits.high).all()
    np.testing.assert_allclose(fits.residual[0], y, rtol=1e-9)  # there is no other parent
    truth = np.exp(1.5 * np.sin(2 * fits.x[0]))
    middle = np.abs(fits.x[0]) < 1.5
    assert np.median(np.abs(np.log(fits.mean[0] / truth))[middle]) < 0.3


def test_learn_tells_it_and_records_it():
    values = warped(np.random.default_rng(0), n=120)
    found, plain = (
        gpnet.learn(load_table(values, names=["x", "y"], transform=transform), draws=50, store=None)
        for transform in ("auto", "none")
    )
    assert "y" in found.settings["data"]["ranked"]
    assert any("by ranks" in note for note in found.diagnosis.notes)
    assert plain.settings["data"]["ranked"] == []
    assert not any("by ranks" in note for note in plain.diagnosis.notes)


def test_scales_are_compared_on_some_rows_of_many(monkeypatch):
    """The choice is the same; a column that varies in a few rows alone is not lost."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=600)
    values = np.column_stack([x, np.exp(np.sin(2 * x) + 0.3 * rng.normal(size=600))])
    data = gpnet.load_table(values, names=["a", "b"])
    monkeypatch.setattr("gpnet.inference.choose_scales.MOST_ROWS", 300)
    assert _some_rows(data).n_rows == 300
    rare = values.copy()
    rare[:, 0] = np.arange(600) == rows_not_shown(600, 300)
    rare[:, 0] += rng.normal(size=600) * (rare[:, 0] > 0)
    assert _some_rows(data._with(values=rare)).n_rows == 600


def rows_not_shown(n_rows, most):
    return np.setdiff1d(np.arange(n_rows), rows_shown(n_rows, most))[0]
