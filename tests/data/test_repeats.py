"""Rows, values and columns that stand in a table again."""

import numpy as np
import pandas as pd
import pytest

from gpnet.data import checks
from gpnet.data.dataset import Dataset
from gpnet.data.issues import Column
from gpnet.data.load import check_table, load_table
from gpnet.data.repeats import BLOCK, CORRELATED, copied_rows, correlated
from tests.data.peak import peak_megabytes


def table(n_rows=40, n_columns=3, seed=0):
    values = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(n_columns)])


def codes(found):
    return [finding.code for finding in found]


# Rows


def test_rows_that_are_copies_are_counted():
    frame = pd.concat([table(), table().iloc[[3, 3, 5]]], ignore_index=True)
    (finding,) = check_table(frame)
    assert (finding.level, finding.code) == ("warning", "copied-rows")
    assert finding.rows == (41, 42, 43)
    assert "3 of 43 rows (6.98%) are exact copies of an earlier row (rows 41, 42 and 43)" in str(
        finding
    )
    assert "probabilities will be too sure" in finding.problem
    assert "drop_duplicates" in finding.remedy


def test_one_row_is_spoken_of_as_one():
    frame = pd.concat([table(), table().iloc[[3]]], ignore_index=True)
    (finding,) = check_table(frame)
    assert "1 of 41 rows (2.44%) is an exact copy of an earlier row (row 41)" in finding.problem


def test_a_resample_has_as_many_copies_as_it_lacks_rows():
    drawn = np.random.default_rng(1).integers(40, size=40)
    (finding,) = check_table(table().iloc[drawn])
    assert finding.problem.startswith(f"{40 - len(set(drawn.tolist()))} of 40 rows")


def test_the_remedy_works():
    frame = pd.concat([table(), table()], ignore_index=True)
    assert codes(check_table(frame)) == ["copied-rows"]
    assert check_table(frame.drop_duplicates()) == []


def test_rows_that_differ_in_one_column_are_none():
    frame = pd.concat([table(), table()], ignore_index=True)
    frame["c2"] += np.arange(80) * 1e-9
    assert "copied-rows" not in codes(check_table(frame))


def test_zero_has_one_sign():
    frame = table()
    frame.loc[0] = [0.0, 1.0, 2.0]
    frame.loc[1] = [-0.0, 1.0, 2.0]
    assert codes(check_table(frame)) == ["copied-rows"]


def test_rows_are_not_compared_without_a_column_that_is_in_error():
    frame = pd.concat([table(), table()], ignore_index=True)
    frame["text"] = [f"sample {i}" for i in range(80)]
    assert codes(check_table(frame)) == ["not-numeric"]


def test_it_is_kept_with_the_table():
    frame = pd.concat([table(), table().iloc[[3]]], ignore_index=True)
    assert codes(load_table(frame).warnings) == ["copied-rows"]
    assert codes(Dataset(frame.to_numpy(), list(frame)).warnings) == ["copied-rows"]


@pytest.mark.parametrize(("n_columns", "n_values"), [(1, 50), (3, 3), (8, 2), (2, 10_000)])
def test_copies_are_those_that_a_set_finds(n_columns, n_values):
    rng = np.random.default_rng(n_columns)
    values = rng.integers(n_values, size=(3000, n_columns)) * 0.5
    seen, expected = set(), []
    for number, row in enumerate(map(tuple, values.tolist()), start=1):
        if row in seen:
            expected.append(number)
        seen.add(row)
    found = copied_rows(values)
    assert [finding.rows for finding in found] == ([tuple(expected[:5])] if expected else [])
    if len(expected) > 6:
        assert f"and {len(expected) - 5:,} more)" in found[0].problem
        assert found[0].problem.startswith(f"{len(expected):,} of 3,000 rows")


def test_six_rows_are_all_named():
    frame = pd.concat([table(), table().iloc[:6]], ignore_index=True)
    assert "(rows 41, 42, 43, 44, 45 and 46)" in check_table(frame)[0].problem


# Values


def test_values_that_occur_many_times_are_one_warning():
    frame = table(n_rows=100)
    frame["dose"] = np.arange(100) % 10
    frame["time"] = np.arange(100) % 7
    (finding,) = check_table(frame)
    assert (finding.level, finding.code) == ("warning", "replicated-values")
    assert finding.columns == ("dose", "time")
    assert "columns 'dose' and 'time' repeat few values many times" in finding.problem
    assert "(from 7 distinct ones in 100 rows)" in finding.problem
    assert "drop_duplicates" in finding.remedy


@pytest.mark.parametrize(
    ("n_distinct", "told"),
    [(4, ["few-values"]), (5, ["replicated-values"]), (10, ["replicated-values"]), (11, [])],
)
def test_how_few_are_few(n_distinct, told):
    frame = table(n_rows=100)
    frame["c0"] = np.random.default_rng(0).permutation(np.arange(100) % n_distinct) ** 1.5
    assert codes(check_table(frame)) == told


def test_months_repeat_and_nobody_copied_them():
    frame = table(n_rows=100)
    frame["month"] = np.random.default_rng(0).permutation(np.arange(100) % 10)
    assert codes(check_table(frame)) == ["calendar"]


# Columns


def all_at_once(columns):
    """Pairs of (later, earlier) columns, by the whole matrix."""
    values = np.column_stack([column.numbers for column in columns])
    matrix = np.abs(np.corrcoef(values.T))
    return {(j, i) for j in range(len(columns)) for i in range(j) if matrix[i, j] > CORRELATED}


def test_blocks_find_what_the_whole_matrix_shows():
    """Pairs within a block, across blocks and at their edges."""
    rng, n = np.random.default_rng(0), 2 * BLOCK + 10
    values = rng.normal(size=(20, n))
    for i, j in [(0, 1), (0, BLOCK), (BLOCK - 1, BLOCK), (3, n - 1), (BLOCK, 2 * BLOCK)]:
        values[:, j] = values[:, i] + 1e-3 * rng.normal(size=20)
    values = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    columns = [Column(str(j), values[:, j]) for j in range(n)]
    found = {
        (int(finding.columns[0]), int(other))
        for finding in correlated(columns)
        for other in finding.columns[1:]
    }
    assert found == all_at_once(columns)
    assert len(found) >= 5


def test_wide_tables_take_little_memory():
    """A matrix of all pairs of 2 500 columns would take 50 MB, and twice that in absolutes."""
    frame = table(n_rows=20, n_columns=2500)
    assert peak_megabytes(lambda: load_table(frame)) < 40


class Counted(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    n_comparisons = 0

    def __eq__(self, other):
        Counted.n_comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_names_are_not_compared_pair_by_pair():
    n = 500
    columns = [Column(Counted(f"c{j}"), np.zeros(3)) for j in range(n)]
    assert checks.names(columns) == []
    assert Counted.n_comparisons < 10 * n
    checks.names([*columns, columns[0]])  # control: one that is there twice is looked for
    assert Counted.n_comparisons >= n
