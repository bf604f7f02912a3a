import numpy as np
from scipy.stats import norm

from gpnet.stats.normal_quantiles import normal_envelope


def test_each_value_of_a_normal_sample_is_inside_with_95_percent():
    """Over 20,000 samples; a share of 0.95 has a standard error of 0.0015, here 5 are allowed."""
    drawn = np.sort(np.random.default_rng(3).standard_normal((20_000, 15)), axis=1)
    envelope = normal_envelope(15)
    inside = ((envelope.low < drawn) & (drawn < envelope.high)).mean(axis=0)
    np.testing.assert_allclose(inside, 0.95, atol=0.0077)
    np.testing.assert_allclose((drawn < envelope.middle).mean(axis=0), 0.5, atol=0.018)


def test_one_value():
    envelope = normal_envelope(1)
    ends = [envelope.low, envelope.middle, envelope.high]
    np.testing.assert_allclose(np.ravel(ends), norm.ppf([0.025, 0.5, 0.975]), atol=1e-12)
