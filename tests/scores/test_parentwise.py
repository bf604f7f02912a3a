"""Each parent a line or a curve."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gpnet import OptionError, load_table
from gpnet.gp.curves import Places
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.fast import FastModel
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.noise import GaussianNoise
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.scores import AdaptiveScore, CurveRequest, GpScore, LinearScore, ParentwiseScore


def dense_value(values, node, curves, lines, u, variance, hyperpriors):
    """log p(x, u) with N x N matrices."""
    n, z = len(values), values[:, list(lines)]
    covariance = Additive().covariance(values[:, list(curves)], u[:-1], 0).value
    covariance += hyperpriors.mean.sd**2 + variance * z @ z.T + np.exp(2 * u[-1]) * np.eye(n)
    likelihood = multivariate_normal(np.full(n, hyperpriors.mean.mean), covariance)
    priors = [*Additive().priors(len(curves), hyperpriors), hyperpriors.noise]
    prior = sum(float(one.log_density(np.array(v))[0]) for one, v in zip(priors, u, strict=True))
    return likelihood.logpdf(values[:, node]) + prior


@pytest.fixture(scope="module")
def data():
    """The last column is a curve of the first and a line of the second."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((60, 3))
    x = np.tanh(2 * z[:, 0]) + 0.8 * z[:, 1] + 0.4 * rng.standard_normal(60)
    return load_table(np.column_stack([z, x]))


@pytest.mark.parametrize(
    ("curves", "lines"), [((0,), (1,)), ((1,), (0, 2)), ((0, 2), (1,)), ((2, 1), (0,))]
)
@pytest.mark.parametrize(
    "hyperpriors", [Hyperpriors(), Hyperpriors(noise=InverseGamma(3, 0.5), mean=Normal(0.5, 2.0))]
)
def test_values_and_slopes_in_the_core(data, curves, lines, hyperpriors):
    values = data.standardised()
    target = FastModel(values, Additive(), hyperpriors, 1.7).target(3, curves, lines)
    u = np.random.default_rng(1).normal(0, 0.3, target.n_dims)
    exact = dense_value(values, 3, curves, lines, u, 1.7, hyperpriors)
    value, gradient, hessian = target.hessian(u)
    assert value == pytest.approx(exact, abs=1e-6)
    assert target.values(u[None])[0] == value
    step = 1e-5
    for a in range(target.n_dims):
        up, down = u.copy(), u.copy()
        up[a] += step
        down[a] -= step
        assert gradient[a] == pytest.approx(
            (target.value(up) - target.value(down)) / (2 * step), abs=1e-4
        )
        np.testing.assert_allclose(
            hessian[a],
            (target.gradient(up)[1] - target.gradient(down)[1]) / (2 * step),
            rtol=1e-4,
            atol=1e-3,
        )


def test_the_sum_over_lines_and_curves(data):
    """One of them a curve: its lengthscale and the noise are integrated on a grid."""
    score = ParentwiseScore(linear_weight=0.3, slope_variance=0.7, noise=GaussianNoise())
    values, hyperpriors = data.standardised(), Hyperpriors()
    log_theta, log_sigma = np.linspace(-3, 4, 71), np.linspace(-2.5, 1, 71)
    cell = (log_theta[1] - log_theta[0]) * (log_sigma[1] - log_sigma[0])
    parts = {(): LinearScore(0.7).log_marginal(data, 3, (0, 1)).value + 2 * np.log(0.3)}
    for curve, line in [(0, 1), (1, 0)]:
        target = FastModel(values, Additive(), hyperpriors, 0.7).target(3, (curve,), (line,))
        grid = np.stack(np.meshgrid(log_theta, log_sigma), axis=-1).reshape(-1, 2)
        integral = logsumexp(target.values(grid)) + np.log(cell)
        parts[(curve,)] = integral + np.log(0.3) + np.log(0.7)
    parts[(0, 1)] = GpScore().log_marginal(data, 3, (0, 1)).value + 2 * np.log(0.7)
    found = score.log_marginal(data, 3, (0, 1))
    exact = logsumexp(list(parts.values()))
    assert found.value == pytest.approx(exact, abs=0.05)
    assert found.linear == pytest.approx(np.exp(parts[()] - exact), rel=0.1)
    assert 0 < found.std_error < 0.02
    assert parts[(0,)] > parts[(0, 1)]  # the truth is one curve and one line


def test_one_parent_has_nothing_to_mix(data):
    for parent in range(3):
        found = ParentwiseScore().log_marginal(data, 3, (parent,))
        assert found.value == AdaptiveScore().log_marginal(data, 3, (parent,)).value


def test_parts_that_do_not_matter_change_nothing(data, monkeypatch):
    found = ParentwiseScore().log_marginal(data, 3, (0, 1, 2))
    monkeypatch.setattr("gpnet.scores.parentwise.DEEPEST", np.inf)
    everything = ParentwiseScore().log_marginal(data, 3, (0, 1, 2))
    assert everything.n_evaluations > found.n_evaluations
    assert found.value == pytest.approx(everything.value, abs=1e-3)


def test_it_is_the_better_of_both_where_parents_differ(data):
    scores = [GpScore(), LinearScore(), AdaptiveScore(), ParentwiseScore()]
    *others, own = (score.log_marginal(data, 3, (0, 1)).value for score in scores)
    assert own > max(others) + 0.5


def test_its_proposal_takes_modes_for_parts(data):
    proposal = ParentwiseScore().proposal()
    laplace, noise = EVIDENCE_METHODS["laplace"](), ParentwiseScore().noise
    assert proposal == ParentwiseScore(evidence=laplace, noise=noise)
    accurate = ParentwiseScore().log_marginal(data, 3, (0, 1)).value
    assert proposal.log_marginal(data, 3, (0, 1)).value == pytest.approx(accurate, abs=1.0)


def test_all_subsets_are_summed(data):
    """With parts of equal score the sum is that score: the prior of parts sums to 1."""
    for p in range(1, 5):
        prior = ParentwiseScore(linear_weight=0.3)._log_prior(p)
        n_lines = [len(s) for k in range(p, -1, -1) for s in combinations(range(p), k)]
        assert logsumexp(prior) == pytest.approx(0)
        np.testing.assert_allclose(
            prior, [k * np.log(0.3) + (p - k) * np.log(0.7) for k in n_lines]
        )


def test_other_kernels_are_refused():
    with pytest.raises(OptionError, match="parentwise knows additive alone"):
        ParentwiseScore(KERNELS["matern52"]())


def test_a_line_beside_a_curve_is_drawn_straight():
    """One relation is a line, the other bends: the mixture knows both, and that it does."""
    rng = np.random.default_rng(3)
    z = rng.uniform(-2, 2, (120, 2))
    x = np.sin(2 * z[:, 0]) + z[:, 1] + 0.2 * rng.standard_normal(120)
    data = load_table(np.column_stack([z, x]))
    places = Places(np.linspace(-1.5, 1.5, 13) * np.ones((2, 1)), np.arange(120))
    score = ParentwiseScore()
    bent, straight = score.curves(CurveRequest(data, 2, (0, 1), places)).expected()
    assert np.abs(np.diff(straight, 2)).max() < 0.01 < 0.1 < np.abs(np.diff(bent, 2)).max()


def test_curves_of_one_parent_are_those_of_adaptive():
    data = load_table(np.random.default_rng(0).standard_normal((40, 2)).cumsum(axis=1))
    places = Places(np.linspace(-2, 2, 8)[None], np.arange(40))
    one, other = ParentwiseScore(), AdaptiveScore()
    found, expected = (score.curves(CurveRequest(data, 1, (0,), places)) for score in (one, other))
    width = np.diff(expected.band(), axis=0)
    np.testing.assert_allclose(found.band() / width, expected.band() / width, atol=0.1)
