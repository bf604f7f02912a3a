"""Distance covariance: its statistic by hand, its p-values by permutations, and its power."""

import numpy as np
import pytest
from scipy.stats import binom

from gpnet.stats.independence import Distances, independence_p_value


def p_value(x, y):
    return independence_p_value(Distances.of(x), Distances.of(y))


def test_centred_distances_by_hand():
    found = Distances.of(np.array([0.0, 1.0, 3.0])).centred
    plain = np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    expected = plain - plain.mean(0) - plain.mean(1)[:, None] + plain.mean()
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)


def test_power_sums_are_those_of_eigenvalues():
    one = Distances.of(np.random.default_rng(0).normal(size=40))
    eigenvalues = np.linalg.eigvalsh(one.centred)
    np.testing.assert_allclose(one.power_sums, [(eigenvalues**k).sum() for k in (1, 2, 3)])


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.4])
def test_p_values_are_those_of_permutations(strength):
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    y = strength * x + rng.normal(size=80)
    a, b = Distances.of(x), Distances.of(y)
    found = np.vdot(a.centred, b.centred)
    null = []
    for _ in range(2000):
        order = rng.permutation(80)
        null.append(np.vdot(a.centred, b.centred[np.ix_(order, order)]))
    exact = (np.array(null) >= found).mean()
    assert independence_p_value(a, b) == pytest.approx(exact, abs=0.04)


@pytest.mark.parametrize("n", [40, 150])
def test_false_alarms(n):
    """At 5%, of 300: 28 or more with a probability below 2e-3; at 1%, 10 or more below 2e-3."""
    assert binom.sf(27, 300, 0.05) < 2e-3
    assert binom.sf(9, 300, 0.01) < 2e-3
    rng = np.random.default_rng(2)
    found = np.array([p_value(rng.normal(size=n), rng.exponential(size=n)) for _ in range(300)])
    assert (found < 0.05).sum() <= 27
    assert (found < 0.01).sum() <= 9
    assert 0.4 < found.mean() < 0.6


def test_dependence_without_correlation_is_seen():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    assert p_value(x, x**2 + 0.5 * rng.normal(size=200)) < 1e-4
    assert p_value(x, rng.normal(size=200) * np.exp(0.5 * x)) < 0.01


def test_a_constant_column_depends_on_nothing():
    assert p_value(np.ones(20), np.arange(20.0)) == 1
