"""Fits in the units of the table: which relations, by whom, and until when."""

from dataclasses import fields
from time import monotonic, sleep

import numpy as np
import pytest

from gpnet import load_table, simulate
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.inference.fit_relations import N_EVEN, N_QUANTILES, N_SHOWN, Fitter, relations_to_fit
from gpnet.posterior.relations import FittedRelations
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.scores import SCORES, GpScore, LinearScore
from tests.contexts import PASSED, context
from tests.score_table.test_table import FakeScore

FAMILIES = [(3, (0, 2)), (1, (0,)), (2, (0, 1, 3))]


@pytest.fixture(scope="module")
def values():
    return simulate(nodes=4, rows=40, edge_probability=0.8, nonlinearity=1, seed=3).values


@pytest.fixture(scope="module")
def fits(values):
    return Fitter(load_table(values), GpScore()).fit(FAMILIES)


def same(one, other):
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(FittedRelations)
    )


def graph(*edges):
    dag = np.zeros((4, 4), dtype=bool)
    for parent, child in edges:
        dag[parent, child] = True
    return dag


# Which


def test_the_most_probable_parents_with_each_edge():
    dags = np.array(
        [
            graph((0, 1), (2, 3)),
            graph((0, 1), (0, 3), (2, 3)),
            graph((2, 1), (0, 1)),
            graph((3, 2)),
            graph((1, 2)),
        ]
    )
    weights = np.array([0.35, 0.4, 0.15, 0.06, 0.04])
    assert relations_to_fit(dags, weights) == [
        (1, (0,)),  # for 0 -> 1
        (1, (0, 2)),  # for 2 -> 1
        (2, (3,)),  # 1 -> 2 is too improbable
        (3, (0, 2)),  # for 0 -> 3, and for 2 -> 3 as well
    ]


def test_no_edge_no_relation():
    assert relations_to_fit(np.zeros((3, 4, 4), dtype=bool), np.full(3, 1 / 3)) == []


# In what units


def test_shapes_and_families(values, fits):
    assert fits.families() == FAMILIES
    assert fits.x.shape == (6, N_EVEN + N_QUANTILES)
    np.testing.assert_array_equal(fits.shown, values)  # all rows, as there are few
    for curve, parent in enumerate(fits.parent):
        assert fits.x[curve, 0] == values[:, parent].min()
        assert fits.x[curve, -1] == values[:, parent].max()


def test_another_unit_changes_curves_just_so(values, fits):
    scale, shift = np.array([1e3, 1.0, 1e-6, -7.0]), np.array([5.0, 0.0, -1.0, 20.0])
    other = Fitter(load_table(values * scale + shift), GpScore()).fit(FAMILIES)
    for curve, (fit, parent) in enumerate(zip(fits.fit, fits.parent, strict=True)):
        node = fits.node[fit]
        there, here = (f.x[curve] for f in (other, fits))
        flip = -1 if scale[parent] < 0 else 1
        np.testing.assert_allclose(there, (here * scale[parent] + shift[parent])[::flip])
        low, high = ("high", "low") if scale[node] < 0 else ("low", "high")
        close = {"rtol": 0, "atol": 1e-4 * abs(scale[node]) * np.ptp(values[:, node])}
        for ours, theirs in (("mean", "mean"), ("low", low), ("high", high)):
            moved = getattr(fits, theirs)[curve] * scale[node] + shift[node]
            np.testing.assert_allclose(getattr(other, ours)[curve], moved[::flip], **close)
        moved = fits.residual[curve] * scale[node] + shift[node]
        np.testing.assert_allclose(other.residual[curve], moved, **close)


def test_a_transformed_table_has_its_curves_in_transformed_units():
    rng = np.random.default_rng(0)
    z = np.exp(rng.standard_normal(60))
    table = np.column_stack([z, 3 * z * np.exp(0.1 * rng.standard_normal(60))])
    data = load_table(table, transform="log")
    fits = Fitter(data, LinearScore()).fit([(1, (0,))])
    np.testing.assert_array_equal(fits.shown, data.values)
    np.testing.assert_allclose(fits.mean[0], fits.x[0] + np.log(3), atol=0.1)


@pytest.mark.parametrize("name", SCORES)
def test_residuals_scatter_about_their_curve(name):
    """Both parents matter, so that the node itself scatters much more."""
    rng = np.random.default_rng(1)
    z = rng.uniform(-2, 2, (90, 2))
    x = 10 + 2 * z[:, 0] - 3 * z[:, 1] + 0.2 * rng.standard_normal(90)
    fits = Fitter(load_table(np.column_stack([z, x])), SCORES[name]()).fit([(2, (0, 1))])
    for curve, slope in enumerate([2, -3]):
        there = np.interp(z[:, curve], fits.x[curve], fits.mean[curve])
        assert 0.1 < (fits.residual[curve] - there).std() < 0.3
        line = 10 + slope * fits.x[curve] - 3 * z[:, 1].mean() * (curve == 0)
        line += 2 * z[:, 0].mean() * (curve == 1)
        assert np.abs(fits.mean[curve] - line).max() < 0.35  # a straight line, and the true one
        inside = (fits.low[curve] < line + 0.05) & (line - 0.05 < fits.high[curve])
        assert inside.mean() > 0.9


def test_some_rows_of_many_are_shown():
    rng = np.random.default_rng(2)
    values = rng.standard_normal((3 * N_SHOWN, 2))
    fits = Fitter(load_table(values), SCORES["bge"]()).fit([(1, (0,))])
    assert fits.shown.shape == (N_SHOWN, 2)
    assert {tuple(row) for row in fits.shown} <= {tuple(row) for row in values}
    np.testing.assert_allclose(fits.residual[0], fits.shown[:, 1])  # no other parent's part


# By whom, and until when


def test_hints_and_workers_change_no_number(values, fits):
    data, score = load_table(values), GpScore()
    laplace = GpScore(evidence=EVIDENCE_METHODS["laplace"]())

    def hints(node, parents):
        smaller = [(parent,) for parent in parents]
        return dict(zip(smaller, laplace.log_marginals(data, node, smaller, {}), strict=True))

    known = {family: score.log_marginal(data, *family) for family in FAMILIES}
    assert same(Fitter(data, score, hints, known, context(3)).fit(FAMILIES), fits)


def test_the_seed_changes_a_little(values, fits):
    other = Fitter(load_table(values), GpScore(seed=1)).fit(FAMILIES)
    assert not same(other, fits)
    width = (fits.high - fits.low).mean(axis=1, keepdims=True)
    assert np.sqrt(np.mean(((other.mean - fits.mean) / width) ** 2)) < 0.05


def test_what_there_is_no_time_for_is_left_out(values):
    data = load_table(values)
    assert Fitter(data, GpScore(), context=context(deadline=PASSED)).fit(FAMILIES).families() == []

    class Slow(LinearScore):
        def _curves(self, request):
            while monotonic() < end:
                pass
            return super()._curves(request)

    end = monotonic() + 0.2
    fits = Fitter(data, Slow(), context=RunContext(deadline=Deadline(end))).fit(FAMILIES)
    assert fits.families() == FAMILIES[:1]


def test_an_interrupt_ends_it_soon(values):
    asked = []

    class Stopped(LinearScore):
        def _curves(self, request):
            asked.append(request.node)
            if len(asked) == 2:
                raise KeyboardInterrupt
            sleep(0.02)
            return super()._curves(request)

    with pytest.raises(KeyboardInterrupt):
        Fitter(load_table(values), Stopped()).fit(FAMILIES * 30)
    assert len(asked) < 30


def test_a_score_that_knows_no_curves(values):
    assert Fitter(load_table(values), FakeScore()).fit(FAMILIES).families() == []


def test_progress_is_told(values):
    told = []
    progress = context(progress=lambda *now: told.append(now))
    Fitter(load_table(values), LinearScore(), context=progress).fit(FAMILIES)
    assert [(done, total) for done, total, _ in told] == [(1, 3), (2, 3), (3, 3)]
