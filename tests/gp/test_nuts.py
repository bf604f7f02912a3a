"""NUTS draws against distributions known in closed form; false-alarm rate 1e-4, seeds fixed."""

import numpy as np
from scipy.stats import kstest, norm

from gpnet.gp import nuts

SDS = np.array([0.5, 1.0, 3.0])


def normal(u):
    return -0.5 * ((u / SDS) ** 2).sum(), -u / SDS**2


def skewed(u):
    """log of a standard exponential variable: a tail of another weight on either side."""
    return float((u - np.exp(u)).sum()), 1 - np.exp(u)


def draw(log_density, d, thin=3, seed=0):
    rng = np.random.default_rng(seed)
    chain = nuts.sample(log_density, np.zeros(d), n_warmup=200, n_draws=6000, rng=rng)
    return chain[::thin]


def test_normal_marginals():
    draws = draw(normal, 3)
    for k, sd in enumerate(SDS):
        assert kstest(draws[:, k], norm(0, sd).cdf).pvalue > 1e-4
        assert kstest(draws[:, k], norm(0, 1.15 * sd).cdf).pvalue < 1e-2  # negative control


def test_skewed_marginals():
    draws = draw(skewed, 2)
    for k in range(2):
        assert kstest(np.exp(draws[:, k]), "expon").pvalue > 1e-4


def test_a_wrong_gradient_is_corrected_and_a_wrong_density_is_not():
    tilted = draw(lambda u: (normal(u)[0], 0.7 * normal(u)[1]), 3)
    assert kstest(tilted[:, 1], norm(0, 1).cdf).pvalue > 1e-4
    wrong = draw(lambda u: (0.7 * normal(u)[0], 0.7 * normal(u)[1]), 3)
    assert kstest(wrong[:, 1], norm(0, 1).cdf).pvalue < 1e-4


def test_same_seed_same_draws():
    np.testing.assert_array_equal(draw(skewed, 2, seed=3)[:50], draw(skewed, 2, seed=3)[:50])
