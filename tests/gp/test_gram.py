"""The core's Gram matrices against their plain twin."""

import numpy as np
import pytest

from gpnet import _core


def plain_gram(z, theta):
    q = (z[:, None] - z) ** 2 / theta**2
    k = np.exp(-q / 2)
    return np.stack([k, q * k, q * (q - 2) * k])


@pytest.mark.parametrize("n", [1, 2, 3, 57])
@pytest.mark.parametrize("theta", [0.05, 1.0, 300.0])
def test_core_equals_plain_twin(n, theta):
    z = np.random.default_rng(n).standard_t(3, n)
    for order in range(3):
        gram = _core.squared_exponential_gram(z, theta, order)
        np.testing.assert_allclose(gram, plain_gram(z, theta)[: order + 1], atol=1e-14)


def test_derivatives_are_those_of_the_value():
    z, u, h = np.random.default_rng(0).standard_normal(20), 0.3, 1e-5
    at = [_core.squared_exponential_gram(z, np.exp(u + k * h), 2) for k in (-1, 0, 1)]
    np.testing.assert_allclose(at[1][1], (at[2][0] - at[0][0]) / (2 * h), atol=1e-9)
    np.testing.assert_allclose(at[1][2], (at[2][1] - at[0][1]) / (2 * h), atol=1e-9)


def test_order_out_of_range_is_refused():
    with pytest.raises(ValueError, match="order"):
        _core.squared_exponential_gram(np.zeros(3), 1.0, 3)
