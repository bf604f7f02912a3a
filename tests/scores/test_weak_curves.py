"""Curves that are small against the noise: against dense matrices, and as a part of `adaptive`."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gpnet import OptionError, load_table
from gpnet.gp.curves import Places
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.noise import GaussianNoise
from gpnet.gp.weak_curves import features, knots
from gpnet.scores import AdaptiveScore, CurveRequest, FunctionRequest, ParentwiseScore
from gpnet.scores.weak_curves import WeakScore

N_DRAWS = 3000
WEAK = WeakScore(variance=0.25**2, lengthscale=0.6)
LAPLACE = EVIDENCE_METHODS["laplace"]()


def dense(data, node, parents, score):
    """The same integral over log sigma with N x N matrices of the kernel itself."""
    values, hyperpriors = data.standardised(), score.hyperpriors
    fixed = np.full((len(values), len(values)), float(hyperpriors.mean.sd) ** 2)
    for z in values[:, list(parents)].T:
        distance = (z[:, None] - z) / score.lengthscale
        fixed += score.variance * np.exp(-0.5 * distance**2)
    grid = np.linspace(-5, 3, 801)
    log_joint = [
        multivariate_normal(None, fixed + np.exp(2 * u) * np.eye(len(values))).logpdf(
            values[:, node]
        )
        + float(hyperpriors.noise.log_density(np.array(u))[0])
        for u in grid
    ]
    return logsumexp(log_joint) + np.log(grid[1] - grid[0])


@pytest.fixture(scope="module")
def data():
    """V1 follows V2 strongly, V3 weakly, and V4 not at all."""
    rng = np.random.default_rng(4)
    b, c, d = rng.standard_normal((3, 60))
    a = 2 * np.sin(b) + 0.4 * np.cos(2 * c) + rng.standard_normal(60)
    return load_table(np.column_stack([a, b, c, d]))


@pytest.mark.parametrize("parents", [(), (1,), (2,), (1, 3), (1, 2, 3)])
@pytest.mark.parametrize("score", [WEAK, WeakScore(variance=0.5, lengthscale=1.2)])
def test_as_with_dense_matrices(data, score, parents):
    """As far as knots tell the kernel, which is least so where a strong effect is squeezed in."""
    found = score.log_marginal(data, 0, parents).value
    assert found == pytest.approx(dense(data, 0, parents, score), abs=0.02)


def test_features_are_the_kernel():
    z = np.linspace(-2.5, 3.1, 200)
    columns = features(z, knots(z, 0.6), 0.6)
    kernel = np.exp(-0.5 * ((z[:, None] - z) / 0.6) ** 2)
    np.testing.assert_allclose(columns @ columns.T, kernel, atol=2e-3)


def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    data = load_table(rng.standard_normal((12, 4)))
    found = WEAK.log_marginal(data, 0, (1, 2, 3)).value
    assert found == pytest.approx(dense(data, 0, (1, 2, 3), WEAK), abs=0.02)


def test_far_values_ask_for_no_knots():
    z = np.concatenate([np.random.default_rng(0).standard_normal(99), [1e4]])
    assert len(knots(z, 0.6)) < 25
    assert np.isfinite(features(z, knots(z, 0.6), 0.6)).all()


def test_many_sets_as_one_by_one(data):
    sets = [(), (1,), (2, 3), (1, 2, 3)] * 20
    together = WEAK.values(data, 0, sets)
    alone = [WEAK.log_marginal(data, 0, parents).value for parents in sets[:4]]
    np.testing.assert_allclose(together, alone * 20, atol=1e-9)


# As a part of the mixture


@pytest.mark.parametrize("weight", [0.2, 0.5])
def test_the_mixture(data, weight):
    plain = AdaptiveScore(evidence=LAPLACE, noise=GaussianNoise())
    score = AdaptiveScore(evidence=LAPLACE, noise=GaussianNoise(), weak_weight=weight)
    for parents in [(1,), (2,), (1, 3)]:
        without, found = (one.log_marginal(data, 0, parents) for one in (plain, score))
        weak = np.log(weight) + score.weak_curves.log_marginal(data, 0, parents).value
        rest = np.log(1 - weight) + without.value
        assert found.value == pytest.approx(np.logaddexp(weak, rest), abs=1e-9)
        assert found.linear == pytest.approx(without.linear * np.exp(rest - found.value))
        assert found.mode == without.mode


def test_without_parents_nothing_changes(data):
    scores = (AdaptiveScore(weak_weight=weight) for weight in (0.0, 0.5))
    one, other = (score.log_marginal(data, 0, ()).value for score in scores)
    assert one == other


def test_a_parent_that_does_nothing_costs_less(data):
    """So that an edge that cannot be seen keeps more of its prior probability."""
    scores = [AdaptiveScore(noise=GaussianNoise(), weak_weight=weight) for weight in (0.0, 0.5)]
    roots = [score.log_marginal(data, 3, ()).value for score in scores]
    costs = [
        root - np.mean([score.log_marginal(data, 3, (parent,)).value for parent in (0, 1, 2)])
        for root, score in zip(roots, scores, strict=True)
    ]
    assert 0 < costs[1] < costs[0] - 0.3


@pytest.mark.parametrize("parents", [(2,), (2, 3)])
def test_draws_have_the_moments_of_the_curves(data, parents):
    """Each may be off by 5 standard errors; both are mostly weak curves."""
    score = AdaptiveScore(weak_weight=0.9)
    z = data.standardised()[:, list(parents)]
    grid = np.linspace(z.min(axis=0), z.max(axis=0), 7).T
    curves = score.curves(CurveRequest(data, 0, parents, Places(grid, np.arange(5))))
    mean = curves.expected()
    sd = np.sqrt(np.tensordot(curves.weights, curves.mean**2 + curves.sd**2, 1) - mean**2)
    drawn = score.sample_functions(FunctionRequest(data, 0, parents, N_DRAWS, (0,)))
    for i in range(len(parents)):
        found = drawn.part(i, grid[None, i]) - drawn.part(i, z[None, :, i]).mean(1)[:, None]
        assert (np.abs(found.mean(axis=0) - mean[i]) < 5 * sd[i] / np.sqrt(N_DRAWS) + 3e-3).all()
        np.testing.assert_allclose(found.std(axis=0), sd[i], rtol=0.12, atol=3e-3)
    assert not drawn.straight.all()


def test_residuals_are_those_of_the_most_probable_part(data):
    score = AdaptiveScore(weak_weight=0.9, noise=GaussianNoise())
    np.testing.assert_allclose(
        score.fit(data, 0, (3,), {}).residuals, score.weak_curves.fit(data, 0, (3,), {}).residuals
    )


def test_levels_are_weak_too():
    rng = np.random.default_rng(2)
    level = rng.integers(3, size=60)
    x = 0.3 * level + rng.standard_normal(60)
    data = load_table(pd.DataFrame({"x": x, "group": [f"g{i}" for i in level]}))
    score = AdaptiveScore(weak_weight=0.5, noise=GaussianNoise())
    found = score.log_marginal(data, 0, (1,))
    assert np.isfinite(found.value)
    drawn = score.sample_functions(FunctionRequest(data, 0, (1,), 50, (0,)))
    assert drawn.heights[0].shape == (50, 3)


@pytest.mark.parametrize("weight", [1.0, -0.1, float("nan")])
def test_weights_must_leave_the_others(weight):
    with pytest.raises(OptionError, match="weak weight"):
        AdaptiveScore(weak_weight=weight)


def test_parentwise_has_no_weak_curves():
    with pytest.raises(OptionError, match="parentwise knows no weak curves"):
        ParentwiseScore(weak_weight=0.5)
