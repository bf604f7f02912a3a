"""Counts of linear extensions, against all orders one by one and against formulas."""

from math import factorial, lgamma, log

import numpy as np
import pytest

from gpnet.graphs.dag import random_dag
from gpnet.graphs.linear_extensions import log_linear_extensions
from tests.samplers.twins import n_linear_extensions


@pytest.mark.parametrize("density", [0.1, 0.3, 0.5, 0.8])
def test_counts_equal_those_of_all_orders(density):
    rng = np.random.default_rng(4)
    dags = np.array([random_dag(7, density, rng) for _ in range(20)])
    expected = [log(n_linear_extensions(dag)) for dag in dags]
    np.testing.assert_allclose(log_linear_extensions(dags), expected, atol=1e-12)


def test_repeated_dags_get_their_own_number():
    rng = np.random.default_rng(5)
    dags = np.array([random_dag(5, 0.4, rng) for _ in range(4)])
    twice = log_linear_extensions(dags[[3, 1, 1, 0, 3]])
    np.testing.assert_array_equal(twice, log_linear_extensions(dags)[[3, 1, 1, 0, 3]])


def test_large_dags_in_closed_form():
    n = 60
    empty, path, star = (np.zeros((n, n), dtype=bool) for _ in range(3))
    path[np.arange(n - 1), np.arange(1, n)] = True
    star[0, 1:] = True
    pairs = np.zeros((n, n), dtype=bool)
    pairs[np.arange(0, n, 2), np.arange(1, n, 2)] = True  # n! / 2^(n / 2)
    found = log_linear_extensions(np.array([empty, path, star, pairs]))
    expected = [lgamma(n + 1), 0, log(factorial(n - 1)), lgamma(n + 1) - n / 2 * log(2)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_what_is_too_large_is_told():
    n = 12
    zigzag = np.zeros((n, n), dtype=bool)  # 0 -> 1 <- 2 -> 3 ...: nothing to take apart
    for v in range(0, n - 1, 2):
        zigzag[v, v + 1] = True
        if v + 2 < n:
            zigzag[v + 2, v + 1] = True
    assert np.isnan(log_linear_extensions(zigzag[None], max_nodes=n - 1)[0])
    # The zigzag numbers of Euler: 2702765 alternating permutations of 12.
    assert log_linear_extensions(zigzag[None])[0] == pytest.approx(log(2702765))
