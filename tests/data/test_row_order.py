"""Rows that resemble the rows before them are told, and others are not."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpnet
from gpnet.data.issues import Column
from gpnet.data.roles import Assigned
from gpnet.data.row_order import resembling_rows

CODE = "autocorrelated"


def series(n_rows, n_columns, phi, rng):
    """AR(1) columns of variance 1, a third of each shared by all."""
    e = rng.normal(size=(n_rows + 200, n_columns)) + rng.normal(size=(n_rows + 200, 1)) / np.sqrt(2)
    return lfilter([1], [1, -phi], e, axis=0)[200:]


def warnings(values, **reading):
    names = [f"V{j + 1}" for j in range(np.shape(values)[1])]
    frame = values if isinstance(values, pd.DataFrame) else pd.DataFrame(values, columns=names)
    return [one for one in gpnet.check_table(frame, **reading) if one.code == CODE]


@pytest.mark.parametrize(("n_rows", "phi"), [(60, 0.7), (100, 0.5), (300, 0.4), (20_000, 0.3)])
def test_a_series_is_told_and_the_same_rows_in_another_order_are_not(n_rows, phi):
    rng = np.random.default_rng(n_rows)
    table = series(n_rows, 6, phi, rng)
    (issue,) = warnings(table)
    assert issue.level == "warning"
    assert "too sure" in issue.problem
    assert not warnings(rng.permutation(table))


def test_one_series_among_independent_columns_is_named():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 8))
    table[:, [3]] = series(200, 1, 0.8, rng)
    (issue,) = warnings(table)
    assert issue.columns == ("V4",)


def test_weak_resemblance_in_many_columns_counts_together():
    """Of two columns it is seen in fewer than half of the cases, of thirty it is."""
    table = series(60, 30, 0.25, np.random.default_rng(2))
    assert sum(bool(warnings(table[:, [j, j + 1]])) for j in range(0, 30, 2)) < 8
    assert warnings(table)


def test_what_the_rows_are_worth():
    """Against the variance of the correlation of two unrelated series."""
    rng, phi, n = np.random.default_rng(3), 0.7, 400
    pairs = lfilter([1], [1, -phi], rng.normal(size=(500, 2, n + 100)))[:, :, 100:]
    found = np.var([np.corrcoef(*pair)[0, 1] for pair in pairs])
    (issue,) = warnings(series(n, 6, phi, rng))
    told = int(issue.problem.partition("tell about as much as ")[2].partition(",")[0])
    assert told == pytest.approx(1 / found, rel=0.25)
    assert re.search("every [67]th", issue.remedy)  # 0.7^7 = 0.08, 0.7^6 = 0.12


def test_resemblance_that_does_no_harm_is_not_told():
    """Ten thousand rows show a correlation of 0.1 clearly; they are worth 9 800."""
    assert not warnings(series(10_000, 4, 0.1, np.random.default_rng(6)))


def columns_of_many_kinds(n_rows, rng):
    """Independent rows: correlated columns, heavy tails, ties, mostly zeros."""
    z = rng.normal(size=(n_rows, 5)) + rng.normal(size=(n_rows, 1))
    heavy = rng.standard_cauchy(size=(n_rows, 2))
    tied = rng.poisson([1.0, 8.0], size=(n_rows, 2)).astype(float)
    mostly_zero = np.where(rng.random((n_rows, 2)) < 0.04, rng.normal(size=(n_rows, 2)), 0.0)
    return np.column_stack([z, heavy, tied, mostly_zero])


@pytest.mark.parametrize("n_rows", [30, 120])
def test_false_alarms_are_rarer_than_one_in_a_hundred(n_rows):
    """Promised are 2 in 1 000: ten or more of 1 000 tables then have a chance below 1e-4."""
    rng = np.random.default_rng(n_rows)
    false = 0
    for _ in range(1000):
        values = columns_of_many_kinds(n_rows, rng)
        columns = [Column(str(j), x) for j, x in enumerate(values.T)]
        false += bool(resembling_rows(values, columns, Assigned(columns), None))
    assert false < 10


def test_a_column_that_the_table_was_sorted_by_says_nothing():
    table = np.random.default_rng(4).normal(size=(200, 4))
    assert not warnings(table[np.argsort(table[:, 0])])


def test_conditions_and_rows_that_were_set_are_accounted_for():
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(240, 4)), columns=list("ABCD"))
    table["from"] = np.repeat(["one", "two", "three"], 80)
    table[list("ABC")] += np.repeat([0.0, 2.0, -1.0], 80)[:, None]
    assert not warnings(table, condition="from")
    numbered = table.assign(**{"from": np.repeat([1, 2, 3], 80)})  # exogenous by its few values
    assert not warnings(numbered)
    assert warnings(table.drop(columns="from"))
    was_set = pd.DataFrame(rng.normal(size=(160, 3)), columns=list("ABC"))
    was_set["target"] = np.repeat(["", "A"], 80)
    was_set.loc[80:, "A"] = 3 + 0.01 * rng.normal(size=80)
    was_set["B"] += was_set["A"]
    assert not warnings(was_set, interventions="target")
    assert warnings(was_set.drop(columns="target"))
