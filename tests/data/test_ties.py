"""Ties of a column, and what does not depend on its last digits."""

import numpy as np
import pytest

from gpnet.data.ties import distinct_values
from gpnet.data.transforms import normal_scores
from gpnet.gp.noise.flexible import resolution

RNG = np.random.default_rng(0)
YEARS = RNG.integers(8, 19, 500).astype(float)
COLUMNS = {
    "years": YEARS,
    "tenths": np.round(RNG.normal(size=500), 1),
    "many zeros": np.maximum(RNG.normal(-1, 1, 500).round(1), 0),
    "with an outlier": np.append(YEARS[:-1], 1e9),
    "mostly one value, with an outlier": np.concatenate([np.zeros(450), YEARS[:49], [1e9]]),
    "continuous": RNG.normal(size=500),
    "one value": np.full(500, 2.0),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_of_exact_values_they_are_those_of_numpy(name):
    x = COLUMNS[name]
    values, place = distinct_values(x)
    expected, expected_place = np.unique(x, return_inverse=True)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(place, expected_place)


@pytest.mark.parametrize("name", ["years", "tenths", "many zeros"])
def test_noise_in_the_last_digits_changes_no_rank_and_no_resolution(name):
    x = COLUMNS[name]
    shaken = x + 1e-6 * x.std() * np.random.default_rng(1).standard_normal(500)
    np.testing.assert_allclose(normal_scores(shaken), normal_scores(x))
    np.testing.assert_allclose(resolution(shaken), resolution(x), atol=1e-4 * x.std())
    coarse = x + 0.05 * x.std() * np.random.default_rng(1).standard_normal(500)  # the control
    assert np.abs(normal_scores(coarse) - normal_scores(x)).max() > 0.02


def test_a_unit_that_leaves_rounding_behind():
    x = (YEARS * 0.1) * 3 / 0.3 / YEARS.std()
    assert len(np.unique((x * 1.1) / 1.1 - x)) > 1  # the control: rounding does differ
    assert len(distinct_values((x * 1.1) / 1.1)[0]) == len(np.unique(YEARS))


def test_continuous_columns_have_no_ties():
    for seed in range(20):
        x = np.random.default_rng(seed).normal(size=2000)
        assert len(distinct_values(x)[0]) == 2000
