import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import invgamma, kstest

from gpnet.common.errors import OptionError
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal

PRIORS = [InverseGamma(2, 2), InverseGamma(1, 1), InverseGamma(3, 1), InverseGamma(1, 3)]


@pytest.mark.parametrize("prior", PRIORS)
def test_density_of_the_logarithm_integrates_to_one(prior):
    total, _ = quad(lambda u: np.exp(prior.log_density(u)[0]), -8, 40)
    assert total == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
def test_density_equals_scipy_with_jacobian(prior):
    u = np.linspace(-2, 3, 11)
    expected = invgamma(prior.shape, scale=prior.scale).logpdf(np.exp(u)) + u
    np.testing.assert_allclose(prior.log_density(u)[0], expected, atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_derivatives_by_finite_differences(prior):
    u, h = np.linspace(-1.5, 2, 8), 1e-5
    below, at, above = (prior.log_density(u + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(at[1], (above[0] - below[0]) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(at[2], (above[1] - below[1]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("prior", PRIORS)
def test_draws_follow_the_distribution(prior):
    draws = prior.draw(np.random.default_rng(5), 20_000)
    # false-alarm rate 1e-4 a distribution, seed fixed
    assert kstest(draws, invgamma(prior.shape, scale=prior.scale).cdf).pvalue > 1e-4
    # negative control: another distribution is told apart
    assert kstest(draws, invgamma(prior.shape, scale=1.1 * prior.scale).cdf).pvalue < 1e-4


def test_defaults_are_the_papers():
    assert Hyperpriors() == Hyperpriors(
        InverseGamma(2, 2), InverseGamma(1, 1), InverseGamma(1, 1), Normal(0, 1)
    )


@pytest.mark.parametrize("bad", [(0, 1), (1, -1), (np.inf, 1), (np.nan, 1)])
def test_impossible_inverse_gamma_is_refused(bad):
    with pytest.raises(OptionError, match="positive"):
        InverseGamma(*bad)


@pytest.mark.parametrize("bad", [(0, -1), (np.nan, 1), (0, np.inf), (0, 1e8)])
def test_impossible_normal_is_refused(bad):
    with pytest.raises(OptionError, match="sd"):
        Normal(*bad)
