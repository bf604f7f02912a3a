"""Straight lines: the score in closed form, the mixture with curves, and what it is for."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gpnet import OptionError, load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.noise import GaussianNoise
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.runtime.store import Store
from gpnet.runtime.stored_row import Source
from gpnet.scores import AdaptiveScore, GpScore, LinearScore


def dense(data, node, parents, score, weights=None):
    """The same integral over log sigma with N x N matrices, on a fine grid."""
    values, hyperpriors = data.standardised(), score.hyperpriors
    n, z = len(values), values[:, list(parents)]
    weights = np.ones(n) if weights is None else weights  # of a mean of 1
    fixed = hyperpriors.mean.sd**2 * np.ones((n, n)) + score.variance * z @ z.T
    grid = np.linspace(-6, 3, 1801)
    log_joint = [
        multivariate_normal(
            np.full(n, hyperpriors.mean.mean), fixed + np.exp(2 * u) * np.diag(1 / weights)
        ).logpdf(values[:, node])
        - np.log(weights).sum() / 2
        + float(hyperpriors.noise.log_density(np.array(u))[0])
        for u in grid
    ]
    return logsumexp(log_joint) + np.log(grid[1] - grid[0])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    a, b, c = rng.standard_normal((3, 25))
    columns = [a, a + 0.1 * b, c - a, b + 0.01 * c, rng.standard_t(3, 25)]
    return load_table(np.column_stack(columns))


@pytest.mark.parametrize("parents", [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)])
@pytest.mark.parametrize(
    "score",
    [
        LinearScore(),
        LinearScore(variance=0.3),
        LinearScore(hyperpriors=Hyperpriors(noise=InverseGamma(3, 0.5), mean=Normal(0.5, 0.0))),
    ],
)
def test_as_with_dense_matrices(data, score, parents):
    found = score.log_marginal(data, 0, parents)
    assert found.value == pytest.approx(dense(data, 0, parents, score), abs=1e-6)
    assert found.linear == 1.0


@pytest.mark.parametrize("parents", [(), (1,), (1, 2, 3)])
def test_expected_log_likelihoods_are_nearly_the_derivative_by_the_weights_of_rows(data, parents):
    """But for the noise, which is taken at its mode."""
    score, step = LinearScore(), 1e-3
    weights = np.random.default_rng(0).exponential(size=(3, 25))
    changes = weights / weights.mean(axis=1, keepdims=True) - 1
    steps = [
        [dense(data, 0, parents, score, 1 + s * one) for s in (step, -step)] for one in changes
    ]
    exact = np.array([(more - less) / (2 * step) for more, less in steps])
    found = changes @ score.pointwise(data, 0, parents, {})
    np.testing.assert_allclose(found, exact, atol=0.15)
    assert np.abs(exact).max() > 0.4  # the control: changes are larger than that


def test_a_set_scores_the_same_in_any_batch(data):
    score = LinearScore()
    together = score.log_marginals(data, 0, [(1,), (), (2, 3), (3,)], {})
    alone = [score.log_marginal(data, 0, parents) for parents in [(1,), (), (2, 3), (3,)]]
    for one, other in zip(together, alone, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-10)


def test_columns_that_all_but_repeat_each_other():
    rng = np.random.default_rng(1)
    z = rng.standard_normal(50)
    data = load_table(np.column_stack([z + 0.5 * rng.standard_normal(50), z, z + 1e-9 * z**2]))
    single, double = (
        LinearScore(variance=v).log_marginal(data, 0, p).value
        for v, p in [(2.0, (1,)), (1.0, (1, 2))]
    )
    assert double == pytest.approx(single, abs=1e-6)  # two equal slopes of variance 1 are one of 2


def test_without_noise_the_prior_of_sigma_holds(data):
    z = data.values[:, 0]
    exact = load_table(
        np.column_stack([z, 2 * z + 1e-13 * data.values[:, 4] ** 3, data.values[:, 4]])
    )
    assert np.isfinite(LinearScore().log_marginal(exact, 0, (1,)).value)


# The mixture


@pytest.mark.parametrize("weight", [0.2, 0.5])
def test_the_mixture(data, weight):
    laplace = EVIDENCE_METHODS["laplace"]()
    score = AdaptiveScore(
        evidence=laplace, noise=GaussianNoise(), linear_weight=weight, slope_variance=0.7
    )
    for parents in [(1,), (1, 4)]:
        line = LinearScore(0.7).log_marginal(data, 0, parents).value
        curve = GpScore(evidence=laplace).log_marginal(data, 0, parents)
        found = score.log_marginal(data, 0, parents)
        both = [np.log(weight) + line, np.log(1 - weight) + curve.value]
        assert found.value == pytest.approx(logsumexp(both), abs=1e-12)
        assert found.linear == pytest.approx(np.exp(both[0] - found.value))
        assert found.mode == curve.mode


@pytest.mark.parametrize("weight", [0.2, 0.5])
def test_the_mixture_and_its_error(data, weight, monkeypatch):
    """Where curves are as accurate as ever, they are those of `gp`."""
    monkeypatch.setattr(Qmc, "relaxed", lambda self, factor: self)
    score = AdaptiveScore(seed=3, noise=GaussianNoise(), linear_weight=weight, slope_variance=0.7)
    for parents in [(1,), (1, 4)]:
        line = LinearScore(0.7).log_marginal(data, 0, parents).value
        curve = GpScore(seed=3).log_marginal(data, 0, parents)
        found = score.log_marginal(data, 0, parents)
        both = [np.log(weight) + line, np.log(1 - weight) + curve.value]
        assert found.value == pytest.approx(logsumexp(both), abs=1e-12)
        assert found.linear == pytest.approx(np.exp(both[0] - found.value))
        assert found.std_error == pytest.approx((1 - found.linear) * curve.std_error)
        assert found.mode == curve.mode


def test_curves_are_as_accurate_as_the_mixture_needs():
    """Beside a line that wins, an error counts less, and less is spent."""
    rng = np.random.default_rng(5)
    z = rng.standard_normal((3, 300))
    straight = z.sum(axis=0) + 0.5 * rng.standard_normal(300)
    data = load_table(np.column_stack([*z, straight]))
    curve = GpScore(seed=3).log_marginal(data, 3, (0, 1, 2))
    line = LinearScore().log_marginal(data, 3, (0, 1, 2)).value
    score = AdaptiveScore(seed=3, noise=GaussianNoise(), linear_weight=0.5)
    found = score.log_marginal(data, 3, (0, 1, 2))
    assert found.linear > 0.9
    assert found.n_evaluations < curve.n_evaluations
    assert found.std_error < 0.04
    exact = np.logaddexp(line, curve.value) - np.log(2)
    assert found.value == pytest.approx(exact, abs=4 * found.std_error)


def test_without_parents_nothing_changes(data):
    plain = GpScore().log_marginal(data, 0, ())
    found = AdaptiveScore(noise=GaussianNoise()).log_marginal(data, 0, ())
    assert (found.value, found.method) == (plain.value, plain.method)
    assert LinearScore().log_marginal(data, 0, ()).value == pytest.approx(plain.value, abs=1e-9)


def test_it_sees_a_line_and_a_curve():
    rng = np.random.default_rng(5)
    z = rng.standard_normal(200)
    straight, bent = (
        z + 0.5 * rng.standard_normal(200),
        np.sin(3 * z) + 0.5 * rng.standard_normal(200),
    )
    data = load_table(np.column_stack([z, straight, bent]))
    score = AdaptiveScore()
    assert score.log_marginal(data, 1, (0,)).linear > 0.8
    assert score.log_marginal(data, 2, (0,)).linear < 0.01


def test_the_proposal_is_a_mixture_too(data):
    proposal = AdaptiveScore(linear_weight=0.3, seed=9).proposal()
    laplace, noise = EVIDENCE_METHODS["laplace"](), AdaptiveScore().noise
    assert proposal == AdaptiveScore(linear_weight=0.3, evidence=laplace, noise=noise)


def test_the_probability_of_a_line_is_stored(data, tmp_path):
    score, source = AdaptiveScore(), Source("data", "score")
    found = score.log_marginal(data, 0, (1,))
    with Store(tmp_path / "scores") as store:
        store.put(source, 0, {(1,): found})
        store.flush()
        assert store.get_many(source, 0, [(1,)])[(1,)].linear == found.linear


@pytest.mark.parametrize("weight", [0.0, 1.0, -1.0])
def test_weights_must_leave_both(weight):
    with pytest.raises(OptionError, match="linear weight"):
        AdaptiveScore(linear_weight=weight)


def test_slopes_must_vary():
    with pytest.raises(OptionError, match="slope variance"):
        LinearScore(variance=0.0)


# What it is for: orders of the variables that straight lines cannot tell apart


def ordering_scores(values, score):
    """The log score of the complete DAG of each order of the columns."""
    data = load_table(values)
    known = {}

    def local(node, parents):
        key = node, tuple(sorted(parents))
        if key not in known:
            known[key] = score.log_marginal(data, *key).value
        return known[key]

    orders = permutations(range(values.shape[1]))
    return [sum(local(v, order[:i]) for i, v in enumerate(order)) for order in orders]


def mean_range(score, n_variables, n_rows, n_sets):
    """Of linear Gaussian data, complete DAGs with slopes between 0.5 and 1 of either sign."""
    ranges = []
    for seed in range(n_sets):
        rng = np.random.default_rng([seed, n_variables, n_rows])
        values = rng.standard_normal((n_rows, n_variables))
        for j in range(1, n_variables):
            slopes = rng.uniform(0.5, 1.0, j) * rng.choice([-1, 1], j)
            values[:, j] += values[:, :j] @ slopes
        ranges.append(np.ptp(ordering_scores(values, score)))
    return np.mean(ranges)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [100, 1000])
@pytest.mark.parametrize(("n_variables", "most"), [(2, 0.15), (3, 0.6)])
def test_straight_lines_have_no_direction(n_variables, n_rows, most):
    """With a weight of a half, triples of 100 rows come to 0.6 as well."""
    assert mean_range(AdaptiveScore(), n_variables, n_rows, 40) < most


def test_pairs_on_a_straight_line_have_no_direction():
    assert mean_range(AdaptiveScore(), 2, 100, 12) < 0.3
    assert mean_range(GpScore(), 2, 100, 12) > 0.5  # the control: curves alone claim one


def test_the_score_of_the_paper_gives_them_one():
    """The control: curves alone tell orders apart that are equal."""
    assert mean_range(GpScore(), 3, 100, 6) > 1.5


def test_curves_keep_their_direction():
    log_odds = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        z = rng.standard_normal(100)
        values = np.column_stack([z, np.tanh(2 * z) + 0.3 * rng.standard_normal(100)])
        forward, backward = ordering_scores(values, AdaptiveScore())
        log_odds.append(forward - backward)
    assert np.mean(log_odds) > 5
