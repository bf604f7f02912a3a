"""Scores under noise of any shape: the sum by hand, and the directions that it tells."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.noise import FlexibleNoise, GaussianNoise
from gpnet.scores import SCORES, AdaptiveScore, Gp2Score, GpScore, LinearScore, ScoreSettings

LAPLACE = EVIDENCE_METHODS["laplace"]()
OWN_NOISE = {
    "adaptive": FlexibleNoise(),
    "parentwise": FlexibleNoise(),
    "gp": GaussianNoise(),
    "gp2": GaussianNoise(),
}
LOG_WEIGHTS = np.log([0.6, 0.4])  # of lines and of curves
FLEXIBLE = [name for name, noise in OWN_NOISE.items() if not noise.gaussian]


def pair(draw, seed, n=200, strength=1.0):
    """Two columns: a cause, and a line of it with noise of the same shape."""
    rng = np.random.default_rng([n, seed])
    x, noise = draw(rng, n), draw(rng, n)
    return load_table(np.column_stack([x, strength * x + noise]))


def exponential(rng, n):
    return rng.exponential(size=n)


def heavy(rng, n):
    return rng.standard_t(3, n)


def normal(rng, n):
    return rng.standard_normal(n)


@pytest.fixture(scope="module")
def data():
    """Curves, lines, noise that is skewed, and noise whose size follows a column."""
    rng = np.random.default_rng(1)
    z = rng.standard_normal((120, 2))
    skewed = np.tanh(2 * z[:, 0]) + 0.4 * rng.exponential(size=120)
    varying = z[:, 1] + 0.5 * np.exp(0.7 * z[:, 1]) * rng.standard_normal(120)
    return load_table(np.column_stack([z, skewed, varying]))


# The sum by hand


def gain_of_lines(data, node, parents, noise):
    lines = LinearScore()
    values, log_sigma = lines.integrals(data, node, [parents])
    residuals = lines.model(data).leave_one_out(node, parents, log_sigma[0])
    return values[0], noise.tables(data.standardised()).gain(residuals, node, parents)


@pytest.mark.parametrize(("node", "parents"), [(2, (0,)), (3, (1,)), (3, (0, 1)), (0, (2, 3))])
def test_the_mixture_of_lines_and_curves_with_their_noise(data, node, parents):
    score = AdaptiveScore(evidence=LAPLACE)
    line, straight = gain_of_lines(data, node, parents, score.noise)
    target, modes = score._target(data, node, parents, {})
    residuals = target.leave_one_out(modes[0].u)
    bent = score.noise.tables(data.standardised()).gain(residuals, node, parents)
    curve = GpScore(evidence=LAPLACE).log_marginal(data, node, parents).value
    parts = np.array([line + straight.log_ratio, curve + bent.log_ratio]) + LOG_WEIGHTS
    shares = np.exp(parts - logsumexp(parts))
    found = score.log_marginal(data, node, parents)
    assert found.value == pytest.approx(logsumexp(parts), abs=1e-9)
    assert found.linear == pytest.approx(shares[0])
    assert found.shaped == pytest.approx(shares @ [straight.shaped, bent.shaped])
    assert found.varying == pytest.approx(shares @ [straight.varying, bent.varying])


@pytest.mark.parametrize("node", range(4))
def test_a_root_is_noise_alone(data, node):
    _, gain = gain_of_lines(data, node, (), FlexibleNoise())
    plain = GpScore().log_marginal(data, node, ()).value
    for score in (AdaptiveScore(), GpScore(noise=FlexibleNoise()), SCORES["parentwise"]()):
        found = score.log_marginal(data, node, ())
        assert found.value == pytest.approx(plain + gain.log_ratio, abs=1e-9)
        assert (found.shaped, found.varying) == (gain.shaped, 0.0)


def test_gaussian_noise_is_the_mixture_alone(data):
    """As it was before there was any other noise."""
    score = AdaptiveScore(noise=GaussianNoise(), evidence=LAPLACE)
    for node, parents in [(2, (0,)), (3, (0, 1))]:
        line = LinearScore().log_marginal(data, node, parents).value
        curve = GpScore(evidence=LAPLACE).log_marginal(data, node, parents).value
        found = score.log_marginal(data, node, parents)
        assert found.value == pytest.approx(logsumexp(np.array([line, curve]) + LOG_WEIGHTS))
        assert np.isnan([found.shaped, found.varying]).all()


@pytest.mark.parametrize("score", [GpScore, Gp2Score])
def test_curves_alone_may_have_such_noise_too(score, data):
    plain = score(evidence=LAPLACE).log_marginal(data, 2, (0,))
    own = score(evidence=LAPLACE, noise=FlexibleNoise())
    found = own.log_marginal(data, 2, (0,))
    assert found.value > plain.value + 1  # its noise is skewed
    assert found.shaped > 0.9
    assert found.mode == plain.mode


@pytest.mark.parametrize("name", FLEXIBLE)
def test_one_parent_is_a_line_or_a_curve_whatever_the_score(name, data):
    for node, parent in [(2, 0), (3, 1), (1, 2)]:
        found = SCORES[name](evidence=LAPLACE).log_marginal(data, node, (parent,))
        exact = AdaptiveScore(evidence=LAPLACE).log_marginal(data, node, (parent,))
        assert found.value == pytest.approx(exact.value, abs=1e-9)
        assert found.linear == pytest.approx(exact.linear)


# What holds for all


@pytest.mark.parametrize("name", FLEXIBLE)
def test_they_are_probabilities(name, data):
    score = SCORES[name](evidence=LAPLACE)
    for node, parents in [(2, (0,)), (3, (1,)), (3, (0, 1)), (0, (1, 2, 3))]:
        found = score.log_marginal(data, node, parents)
        assert all(0 <= p <= 1 for p in (found.linear, found.shaped, found.varying))


def test_what_the_noise_is_like_is_seen(data):
    score = AdaptiveScore()
    skewed, varying = (score.log_marginal(data, *f) for f in [(2, (0,)), (3, (1,))])
    assert skewed.shaped > 0.9
    assert varying.varying > 0.9
    root = score.log_marginal(data, 0, ())
    assert root.shaped < 0.1  # it is normal
    assert root.varying == 0


@pytest.mark.parametrize("name", FLEXIBLE)
def test_hints_change_no_number_by_much(name, data):
    score = SCORES[name](evidence=LAPLACE)
    singles = [(0,), (1,), (2,)]
    hints = dict(zip(singles, score.log_marginals(data, 3, singles, {}), strict=True))
    for parents in [(0, 1), (0, 1, 2), (1,)]:
        with_hints = score.log_marginals(data, 3, [parents], hints)[0]
        without = score.log_marginals(data, 3, [parents], {})[0]
        assert with_hints.value == pytest.approx(without.value, abs=1e-6)


@pytest.mark.parametrize("name", OWN_NOISE)
def test_each_has_its_own_noise_or_the_one_that_is_asked_for(name):
    score = SCORES[name]
    assert score().noise == score.from_settings(ScoreSettings()).noise == OWN_NOISE[name]
    for noise in (FlexibleNoise(normal=0.9), GaussianNoise()):
        made = score.from_settings(ScoreSettings(noise=noise))
        assert made.noise == noise
        assert made.proposal().noise == noise
        assert made.compares_scales == (not noise.gaussian)


@pytest.mark.parametrize("name", [name for name in SCORES if name not in OWN_NOISE])
def test_other_scores_know_one_noise(name):
    assert not SCORES[name]().compares_scales


@pytest.mark.parametrize("name", FLEXIBLE)
def test_another_noise_is_another_score(name):
    """Stored scores are found by the representation of what made them."""
    made = [SCORES[name](noise=noise) for noise in (FlexibleNoise(), FlexibleNoise(0.9))]
    made.append(SCORES[name](noise=GaussianNoise()))
    assert len({repr(score) for score in made}) == 3


# What it is for


def log_odds(data, score):
    """Of the first column as the cause of the second."""
    forward = score.log_marginal(data, 0, ()).value + score.log_marginal(data, 1, (0,)).value
    return forward - score.log_marginal(data, 1, ()).value - score.log_marginal(data, 0, (1,)).value


@pytest.mark.parametrize("draw", [exponential, heavy])
def test_a_line_with_other_noise_has_a_direction(draw):
    """Not so with slope 1: there the cause given the effect is uniform, of a size that varies."""
    score = AdaptiveScore(evidence=LAPLACE)
    assert all(log_odds(pair(draw, seed, 400, strength=2), score) > 2 for seed in range(6))


def test_gaussian_noise_does_not_see_it():
    """The control: half of the same pairs, or more, are left open."""
    score = AdaptiveScore(evidence=LAPLACE, noise=GaussianNoise())
    odds = [log_odds(pair(heavy, seed, 400, strength=2), score) for seed in range(6)]
    assert np.median(odds) < 1


def test_a_line_with_normal_noise_has_none():
    """Odds above 20 for one of two equal directions have a probability below 1/10 a pair.

    Three such pairs of eight are a false alarm with a probability below 0.04.
    """
    assert binom.sf(2, 8, 1 / 10) < 0.04
    score = AdaptiveScore(evidence=LAPLACE)
    odds = [log_odds(pair(normal, seed), score) for seed in range(8)]
    assert sum(abs(one) > np.log(20) for one in odds) <= 2
    assert np.median(np.abs(odds)) < 0.5


def test_of_very_many_rows_chance_is_not_taken_for_noise_of_a_shape():
    """All rows judge the noise in tables too; 2^15 of them, each for nine, took it for shaped."""
    rng = np.random.default_rng(4)
    a, b, noise = rng.standard_normal((3, 300_000))
    data = load_table(np.column_stack([a, b, np.sin(a) + noise]))
    score = SCORES["adaptive"]().proposal()
    true, larger = score.log_marginals(data, 2, [(0,), (0, 1)], {})
    assert 3 < true.value - larger.value < 20
    assert true.shaped < 0.1
    assert max(true.varying, larger.varying) < 0.1


@pytest.mark.parametrize("digits", [None, 1])
def test_a_column_that_others_determine_gains_nothing_from_more_parents(digits):
    """As total cholesterol from its parts: noise that is nothing gained more with each parent."""
    rng = np.random.default_rng(6)
    a, b, idle = rng.standard_normal((3, 300))
    a, b = (a, b) if digits is None else (a.round(digits), b.round(digits))
    data = load_table(np.column_stack([a, b, idle, a + b]))
    two, three = AdaptiveScore(evidence=LAPLACE).log_marginals(data, 3, [(0, 1), (0, 1, 2)], {})
    assert 3 < two.value - three.value < 60
