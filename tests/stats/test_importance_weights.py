import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet.stats.importance_weights import effective_sample_size, normalised, pareto_k


def test_equal_weights_are_all_effective():
    assert effective_sample_size(np.full(50, -700.0)) == pytest.approx(50)


def test_weights_of_a_million_rows_sum_to_one():
    """Whose logarithms are rounded to some 1e-9, as their sum is too."""
    log_weights = 2.7e7 - np.random.default_rng(1).exponential(size=1000)
    relative = log_weights - log_weights.max()
    assert abs(logsumexp(log_weights - logsumexp(log_weights))) > 1e-10  # the control
    assert abs(logsumexp(normalised(log_weights))) < 1e-12
    np.testing.assert_allclose(normalised(log_weights), normalised(relative), atol=1e-12)
    expected = effective_sample_size(relative)
    assert effective_sample_size(log_weights) == pytest.approx(expected, rel=1e-12)


def test_one_weight_takes_all():
    assert effective_sample_size(np.array([0.0, -800.0, -900.0])) == pytest.approx(1)


@pytest.mark.parametrize("shape", [0.2, 0.5, 0.9])
def test_k_hat_of_pareto_weights(shape):
    rng = np.random.default_rng(1)
    log_weights = -shape * np.log(rng.random(20_000))
    assert pareto_k(log_weights) == pytest.approx(shape, abs=0.15)


def test_k_hat_of_bounded_weights_is_negative():
    assert pareto_k(np.log(np.random.default_rng(2).random(5000))) < 0


def test_k_hat_of_equal_and_of_few_weights():
    assert pareto_k(np.zeros(100)) == -np.inf
    assert np.isnan(pareto_k(np.zeros(10)))


def test_ties_that_hit_the_exponential_distribution():
    """Of 100 excesses, all 1, the third of 40 grid points has b = 1 - 3 / 3 = 0 and k = 0."""
    log_weights = np.where(np.arange(1112) < 100, 0.0, -800.0)
    assert not np.isnan(pareto_k(log_weights))
