"""Weights of rows: their distribution, and that a row's weight depends on the row alone.

Statistical tests have fixed seeds; their tolerances are some five standard errors.
"""

import numpy as np
import pytest
from scipy.stats import kstest

from gpnet import Dataset
from gpnet.inference.row_weights import MAX_UNITS, row_weights

N_ROWS = 300
NAMES = ["a", "b", "c"]


def some_values(n_rows=N_ROWS, seed=0):
    """Standardised: a standard deviation of exactly 1 is where rounding would be fragile."""
    values = np.random.default_rng(seed).normal(size=(n_rows, len(NAMES)))
    return (values - values.mean(axis=0)) / values.std(axis=0)


def weights(values, names=NAMES, n_replicates=10, seed=0):
    """(B, N): of each row."""
    found = row_weights(Dataset(values, names, "none"), n_replicates, seed)
    return 1 + found.changes[:, found.unit]


def test_they_are_a_bayesian_bootstrap():
    """N w_i / sum w with exponential w: mean 1, variance (N - 1) / (N + 1)."""
    found = weights(some_values(), n_replicates=200)
    assert found.min() > 0
    np.testing.assert_allclose(found.mean(axis=1), 1)
    # The variance of one replicate has a standard error of sqrt(8 / N), pairs count as one.
    assert found.var(axis=1).mean() == pytest.approx(1, abs=5 * np.sqrt(8 / N_ROWS / 100))
    assert kstest(found[::2].ravel(), "expon").pvalue > 1e-3
    rows = np.corrcoef(found[::2].T)[np.triu_indices(N_ROWS, 1)]
    assert abs(rows.mean()) < 0.01  # 1 / (N - 1) below 0, as they have a fixed sum


def test_pairs_are_antithetic():
    """With draws e^-w and 1 - e^-w, before they are divided by their mean, which is nearly 1."""
    found = weights(some_values(2000), n_replicates=20)
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert np.corrcoef(one, other)[0, 1] == pytest.approx(1 - np.pi**2 / 6, abs=0.08)
        assert np.exp(-one) + np.exp(-other) == pytest.approx(1, abs=0.1)
    for one, other in zip(found[1::2], found[2::2], strict=False):  # of two pairs
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(2000)


def test_an_odd_number_ends_with_half_a_pair():
    np.testing.assert_array_equal(
        weights(some_values(), n_replicates=3), weights(some_values(), n_replicates=4)[:3]
    )


def test_the_seed_decides():
    one, same, other = (weights(some_values(), seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert abs(np.corrcoef(one[0], other[0])[0, 1]) < 5 / np.sqrt(N_ROWS)


def test_rows_and_columns_may_come_in_any_order():
    values, rng = some_values(), np.random.default_rng(1)
    rows, columns = rng.permutation(N_ROWS), rng.permutation(len(NAMES))
    moved = weights(values[rows][:, columns], [NAMES[j] for j in columns])
    np.testing.assert_allclose(moved, weights(values)[:, rows])
    renamed = weights(values, ["x", "y", "z"])  # the control: names are part of what is hashed
    assert abs(np.corrcoef(renamed[0], weights(values)[0])[0, 1]) < 5 / np.sqrt(N_ROWS)


def test_other_rows_keep_their_weights_where_one_is_left_out():
    values = some_values()
    whole = weights(values)
    for row in range(20):
        rest = np.delete(whole, row, axis=1)
        left = weights(np.delete(values, row, axis=0))
        np.testing.assert_allclose(left, rest / rest.mean(axis=1, keepdims=True))


@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e9])
def test_noise_in_the_last_digits_changes_next_to_nothing(unit):
    values, rng = unit * some_values(), np.random.default_rng(2)
    shaken = values + 1e-6 * unit * rng.normal(size=values.shape)
    changed = np.abs(weights(shaken) / weights(values) - 1).max(axis=0) > 0.05
    assert changed.sum() <= 2  # of 300: rows with a value within 1e-6 of where it is rounded
    coarse = values + 0.1 * unit * rng.normal(size=values.shape)  # the control
    assert (np.abs(weights(coarse) / weights(values) - 1).max(axis=0) > 0.05).mean() > 0.9


def test_copies_of_a_row_have_weights_of_their_own():
    values = some_values()
    values[[10, 20]] = values[5]
    found = weights(values)
    copies = found[:, [5, 10, 20]]
    assert np.ptp(copies, axis=1).min() > 1e-3
    assert len(np.unique(found[0])) == N_ROWS
    fewer = np.delete(found, 20, axis=1)  # the last one is left out: the others stay
    np.testing.assert_allclose(
        weights(np.delete(values, 20, axis=0)), fewer / fewer.mean(axis=1, keepdims=True)
    )


def test_of_many_rows_some_share_a_weight():
    values = some_values(3 * MAX_UNITS)
    found = weights(values, n_replicates=4)
    different = len(np.unique(found[0]))
    assert 0.9 * MAX_UNITS < different <= MAX_UNITS  # 1 - e^-3 of them are taken
    assert found.mean(axis=1) == pytest.approx(1, abs=5 / np.sqrt(MAX_UNITS))
    assert found.var(axis=1) == pytest.approx(1, abs=5 * np.sqrt(8 / MAX_UNITS) + 0.05)


def test_sums_are_over_the_rows():
    values = some_values(2 * MAX_UNITS)
    for some in (values[:N_ROWS], values):
        numbers = np.random.default_rng(3).normal(size=len(some))
        found = row_weights(Dataset(some, NAMES, "none"), 6, 0)
        np.testing.assert_allclose(
            found.sums(numbers), (weights(some, n_replicates=6) - 1) @ numbers
        )
