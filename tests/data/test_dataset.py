"""Reading tables: what is accepted, what is refused, and what is said about it."""

import csv
import gzip
import re
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from gpnet.common.errors import DataError, GpnetError, OptionError
from gpnet.data.dataset import Dataset
from gpnet.data.issues import Issue, grouped
from gpnet.data.load import check_table, load_table
from gpnet.data.transforms import TRANSFORMS

N = 30


def measurements(n_rows=N, names="ABC", seed=0):
    """A frame with nothing wrong."""
    values = np.random.default_rng(seed).normal(size=(n_rows, len(names)))
    return pd.DataFrame(values, columns=list(names))


def with_column(name, cells):
    frame = measurements()
    frame[name] = cells
    return frame


def with_cells(rows, cell):
    """Column B holds `cell` in some rows, counted from 1."""
    frame = measurements().astype({"B": object})
    frame.loc[[row - 1 for row in rows], "B"] = cell
    return frame


def only(found, code):
    """The one issue of this code."""
    matching = [finding for finding in found if finding.code == code]
    assert len(matching) == 1, [str(finding) for finding in found]
    return matching[0]


def codes(found):
    return [finding.code for finding in found]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# What is accepted


def test_a_sound_table_has_no_issues():
    frame = measurements()
    dataset = load_table(frame)
    assert check_table(frame) == []
    assert dataset.names == ("A", "B", "C")
    assert (dataset.n_rows, dataset.n_variables) == (N, 3)
    assert dataset.warnings == ()
    assert dataset.transform == "auto"
    assert dataset.ranked == ()
    np.testing.assert_array_equal(dataset.values, frame.to_numpy())


def sources(folder):
    frame = measurements()
    comma = frame.to_csv(index=False)
    tab = frame.to_csv(index=False, sep="\t")
    frame.to_parquet(folder / "t.parquet")
    return {
        "csv": write(folder / "t.csv", comma),
        "csv as text of a path": str(folder / "t.csv"),
        "csv in capitals": write(folder / "T2.CSV", comma),
        "csv with a byte order mark": write(folder / "bom.csv", "\ufeff" + comma),
        "csv of Windows": write(folder / "crlf.csv", comma.replace("\n", "\r\n")),
        "csv with blank lines": write(folder / "blank.csv", comma.replace("\n", "\n\n")),
        "csv with spaces": write(folder / "space.csv", comma.replace(",", ", ")),
        "csv.gz": write(folder / "t.csv.gz", gzip.compress(comma.encode())),
        "tsv": write(folder / "t.tsv", tab),
        "tab": write(folder / "t.tab", tab),
        "txt": write(folder / "t.txt", tab),
        "tsv.gz": write(folder / "t.tsv.gz", gzip.compress(tab.encode())),
        "parquet": folder / "t.parquet",
        "pandas": frame,
        "pandas of objects": frame.astype(object),
        "pandas nullable": frame.convert_dtypes(),
        "polars": pl.DataFrame({name: frame[name].to_list() for name in frame}),
    }


def test_every_source_gives_the_same_dataset(tmp_path):
    frame = measurements()
    expected = load_table(frame.to_numpy(), names=list("ABC")).fingerprint
    found = {kind: load_table(source) for kind, source in sources(tmp_path).items()}
    assert {kind: data.fingerprint for kind, data in found.items()} == dict.fromkeys(
        found, expected
    )


def test_a_dataset_comes_back_as_it_is():
    dataset = load_table(measurements(), transform="rank-normal")
    assert load_table(dataset) is dataset
    assert load_table(dataset, transform="rank-normal") is dataset


def test_a_dataset_keeps_its_warnings():
    dataset = load_table(with_column("D", [1.0, 2.0] * 15))
    assert codes(dataset.warnings) == ["few-values"]
    assert check_table(dataset) == list(dataset.warnings)


@pytest.mark.parametrize("delimiter", [";", "|", ":", " ", "\t", "tab", "\\t"])
def test_delimiter_overrides_the_ending(tmp_path, delimiter):
    frame = measurements()
    character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    path = write(tmp_path / "t.data", frame.to_csv(index=False, sep=character))
    assert load_table(path, delimiter=delimiter).fingerprint == load_table(frame).fingerprint


def test_names_of_an_array():
    values = measurements().to_numpy()
    assert load_table(values).names == ("V1", "V2", "V3")
    assert load_table(values, names=["x", "y", "z"]).names == ("x", "y", "z")


def test_names_survive_a_csv(tmp_path):
    names = ["a,b", 'say "so"', "two\nlines", "🙂", "it's", "x y"]
    frame = measurements(names="ABCDEF").set_axis(names, axis=1)
    assert load_table(write(tmp_path / "t.csv", frame.to_csv(index=False))).names == tuple(names)


def test_labels_become_texts():
    frame = measurements()
    assert load_table(frame.set_axis([7, 8, 9], axis=1)).names == ("7", "8", "9")
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    assert load_table(frame.set_axis(levels, axis=1)).names[1] == "('a', 2)"


def test_drop_leaves_columns_out_before_validation():
    frame = with_column("label", [f"s_{i}" for i in range(N)])
    expected = load_table(measurements()).fingerprint
    assert load_table(frame, drop=["label"]).fingerprint == expected
    assert load_table(frame, drop="label").fingerprint == expected


def test_numbers_of_csv_are_exact(tmp_path):
    frame = measurements() * [1e-300, 1.0, 1e300]
    path = write(tmp_path / "t.csv", frame.to_csv(index=False))
    np.testing.assert_array_equal(load_table(path).values, frame.to_numpy())


INTEGERS = np.random.default_rng(1).permutation(N) + 1


@pytest.mark.parametrize(
    "cells",
    [
        INTEGERS.astype("float32"),
        INTEGERS.astype("float16"),
        INTEGERS.astype("uint64"),
        INTEGERS.astype(">i4"),
        INTEGERS.astype(np.longdouble),
        pd.array(INTEGERS, dtype="Int64"),
        pd.array(INTEGERS, dtype="Float32"),
        pd.array(INTEGERS, dtype="int64[pyarrow]"),
        pd.arrays.SparseArray(INTEGERS.astype(float)),
        pd.Categorical(INTEGERS),
        pd.Series([int(i) for i in INTEGERS], dtype=object),
        pd.Series([Decimal(int(i)) for i in INTEGERS], dtype=object),
        pd.Series([Fraction(int(i)) for i in INTEGERS], dtype=object),
        pd.Series([np.float32(i) for i in INTEGERS], dtype=object),
    ],
)
def test_numbers_of_any_type(cells):
    np.testing.assert_array_equal(load_table(with_column("D", cells)).values[:, 3], INTEGERS)


def test_integers_beyond_the_exact_ones(tmp_path):
    large = [int(i) * 2**70 for i in INTEGERS]
    frame = with_column("D", pd.Series(large, dtype=object))
    expected = np.array(large, dtype=float)
    np.testing.assert_array_equal(load_table(frame).values[:, 3], expected)
    path = write(tmp_path / "t.csv", frame.to_csv(index=False))
    np.testing.assert_array_equal(load_table(path).values[:, 3], expected)


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Decimal(20, 2), pl.Float32, pl.UInt8])
def test_numbers_of_polars(dtype):
    frame = pl.DataFrame({"A": pl.Series(INTEGERS.tolist()).cast(dtype)})
    np.testing.assert_array_equal(load_table(frame).values[:, 0], INTEGERS)


def test_the_table_of_the_user_is_not_touched():
    array = measurements().to_numpy(copy=True)
    before = array.copy()
    dataset = load_table(array)
    assert not np.shares_memory(dataset.values, array)
    assert array.flags.writeable
    np.testing.assert_array_equal(array, before)


def test_a_dataset_is_read_only():
    dataset = load_table(measurements())
    for array in (dataset.values, dataset.standardised()):
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


# Transforms, standardisation, fingerprint


@pytest.mark.parametrize(
    ("transform", "formula"),
    [
        ("auto", lambda x: x),
        ("none", lambda x: x),
        ("log", np.log),
        ("log2", lambda x: np.log2(x + 0.5)),
        ("rank-normal", lambda x: norm.ppf((rankdata(x, axis=0) - 0.5) / N)),
    ],
)
def test_transforms(transform, formula):
    values = np.exp(measurements()).round(1).to_numpy() + 0.1  # rounded, for ties
    dataset = load_table(values, transform=transform)
    assert dataset.transform == transform
    np.testing.assert_allclose(dataset.values, formula(values), rtol=1e-14, atol=1e-14)


def test_every_transform_is_tested():
    assert set(TRANSFORMS) == {"auto", "none", "log", "log2", "rank-normal"}


@pytest.mark.parametrize("factor", [1.0, 1e-3, 1e300, 1e307, 1e-290])
@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_standardised_has_mean_0_and_sd_1(factor, shift):
    dataset = load_table((measurements() + shift) * factor)
    standardised = dataset.standardised()
    assert standardised is dataset.standardised()
    np.testing.assert_allclose(standardised.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standardised.std(axis=0, ddof=1), 1, rtol=1e-12)


def test_standardised_of_a_small_spread_about_a_large_mean():
    standardised = load_table(measurements() + 1e9).standardised()
    np.testing.assert_allclose(standardised.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standardised.std(axis=0, ddof=1), 1, rtol=1e-12)


def test_fingerprint_sees_every_change():
    values = np.exp(measurements().to_numpy())
    changed = values.copy()
    changed[3, 1] = np.nextafter(changed[3, 1], 2)
    tables = [
        load_table(values, names=["a", "b", "c"]),
        load_table(changed, names=["a", "b", "c"]),
        load_table(values, names=["b", "a", "c"]),
        load_table(values, names=["ab", "c", "d"]),
        load_table(values, names=["a", "bc", "d"]),
        load_table(values, names=["a", "b", "c"], transform="log"),
        load_table(values, names=["a", "b", "c"], transform="none"),
        load_table(values[:-1], names=["a", "b", "c"]),
        load_table(values[:, ::-1], names=["a", "b", "c"]),
    ]
    fingerprints = {table.fingerprint for table in tables}
    assert len(fingerprints) == len(tables)
    assert all(len(fingerprint) == 64 for fingerprint in fingerprints)


def test_fingerprint_sees_the_transform_alone():
    plain = load_table(measurements())
    other = Dataset(plain.values, plain.names, "log")
    assert Dataset(plain.values, plain.names).fingerprint == plain.fingerprint
    assert other.fingerprint != plain.fingerprint


def test_fingerprint_is_of_the_values_not_their_layout():
    values = measurements().to_numpy(copy=True)
    values[4] = 0.0
    expected = load_table(values).fingerprint
    values[4] = -0.0
    assert load_table(np.asfortranarray(values)).fingerprint == expected


def test_column_by_name():
    dataset = load_table(measurements().set_axis(["height", "weight", "age"], axis=1))
    assert dataset.column("weight") == 1
    with pytest.raises(DataError, match="no column is called 'wieght': did you mean 'weight'"):
        dataset.column("wieght")
    with pytest.raises(DataError, match="'zzz': there is 'height', 'weight' and 'age'"):
        dataset.column("zzz")


# What is refused: tables whose column B, unless said otherwise, is at fault

TABLES = {
    "NaN": with_cells([3, 17], np.nan),
    "None": with_cells([3, 17], None),
    "NA": with_cells([5], pd.NA),
    "NaT": with_cells([5], pd.NaT),
    "Decimal": with_cells([5], Decimal("sNaN")),
    "many": with_cells(range(1, 18), np.nan),
    "nullable": with_column("B", pd.array([1, None] * 15, dtype="Int64")),
    "infinite": with_cells([2], -np.inf),
    "10^400": with_cells([2], -(10**400)),
    "text": with_cells([2, 4], "n. d."),
    "comma": with_cells([1], "1,5"),
    "comma or thousands": with_cells([1], "1,012"),
    "thousands": with_cells([1], "-1,012,345.5"),
    "underscore": with_cells([1], "1_00"),
    "text of a boolean": with_cells([1], "False"),
    "numerals": measurements().astype({"B": str}),
    "date": with_cells([4], date(2020, 1, 2)),
    "dates": with_column("B", pd.date_range("2020", periods=N)),
    "complex": with_column("B", np.arange(N) * 1j),
    "list": with_column("B", [[1]] * N),
    "time span": with_cells([4], np.timedelta64(7, "s")),
    "constant": with_column("B", 3.0),
    "zero": with_column("B", 0.0),
    "large constant": with_column("B", 1e17),
    "up to rounding": with_column("B", 0.1 + np.arange(N) % 2 * 1e-16),
    "subnormal": with_column("B", INTEGERS * 5e-324),
    "overflow": with_column("B", [1.79e308, -1.79e308] * 15),
    "counter": with_column("B", np.arange(5, 5 + N)),
    "float counter": with_column("B", np.arange(N) - 3.0),
    "labels": with_column("", [f"s{i}" for i in range(N)]),
    "no name": measurements().set_axis(["A", "", "C"], axis=1),
    "shuffled": with_column("", INTEGERS),
    "same name": measurements().set_axis(["B", "A", "B"], axis=1),
    "same name but for space": measurements().set_axis(["B", "A", " B\t"], axis=1),
    "None as name": measurements().set_axis(["A", None, "C"], axis=1),
    "NaN as name": measurements().set_axis(["A", np.nan, "C"], axis=1),
    "NA as name": measurements().set_axis(["A", pd.NA, "C"], axis=1),
    "space as name": measurements().set_axis(["A", " ", "C"], axis=1),
}
EACH = (1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("table", "code", "rows", "problem", "remedy"),
    [
        ("NaN", "missing", (3, 17), "'B': 2 missing values (rows 3 and 17)", "--missing rows"),
        ("None", "missing", (3, 17), "'B': 2 missing values (rows 3 and 17)", "drop="),
        ("NA", "missing", (5,), "'B': 1 missing value (row 5)", "--drop"),
        ("NaT", "missing", (5,), "'B': 1 missing value (row 5)", "rows"),
        ("Decimal", "missing", (5,), "'B': 1 missing value (row 5)", "rows"),
        ("many", "missing", EACH, "(rows 1, 2, 3, 4, 5 and 12 more)", "'B'"),
        ("nullable", "missing", (2, 4, 6, 8, 10), "'B': 15 missing values", "rows"),
        ("infinite", "infinite", (2,), "'B': 1 infinite value (row 2)", "put them right"),
        ("10^400", "infinite", (2,), "'B': 1 infinite value (row 2)", "drop="),
        ("text", "not-numeric", (2, 4), "2 cells without a number, the first is 'n. d.'", "give"),
        ("comma", "not-numeric", (1,), "'1,5', which looks like a decimal comma", "point"),
        ("comma or thousands", "not-numeric", (1,), "a thousands separator or a decimal", "point"),
        ("thousands", "not-numeric", (1,), "like a thousands separator (row 1)", "without"),
        ("underscore", "not-numeric", (1,), "'1_00'", "without '_', or leave 'B' out"),
        ("text of a boolean", "not-numeric", (1,), "'False'", "0 and 1"),
        ("numerals", "not-numeric", EACH, "'B': 30 cells without a number", "to_numeric"),
        ("date", "not-numeric", (4,), "'2020-01-02' (row 4)", "drop="),
        ("dates", "not-numeric", EACH, "'2020-01-01 00:00:00'", "drop="),
        ("complex", "not-numeric", EACH, "'0j'", "drop="),
        ("list", "not-numeric", EACH, "'[1]'", "drop="),
        ("time span", "not-numeric", (4,), "'7 seconds'", "drop="),
        ("constant", "constant", (), "column 'B' is constant", "drop="),
        ("zero", "constant", (), "column 'B' is constant", "drop="),
        ("large constant", "constant", (), "column 'B' is constant", "drop="),
        ("up to rounding", "constant", (), "'B' varies only in its last digits", "drop="),
        ("subnormal", "out-of-range", (), "'B' has a standard deviation of", "other units"),
        ("overflow", "out-of-range", (), "'B' has a standard deviation of inf", "other units"),
        ("counter", "row-index", (), "'B' looks like a row index (the next integer", "drop="),
        ("float counter", "row-index", (), "'B' looks like a row index", "drop="),
        ("labels", "row-index", (), "'' looks like a row index (a different text", "drop="),
        ("no name", "no-name", (), "column 2 has no name", "name it"),
        ("shuffled", "row-index", (), "'' looks like a row index (each of", "another name"),
        ("same name", "duplicate-name", (), "called 'B' (the columns 1 and 3)", "of its own"),
        ("same name but for space", "duplicate-name", (), "(the columns 1 and 3)", "of its own"),
        ("None as name", "no-name", (), "column 2 has no name", "name it"),
        ("NaN as name", "no-name", (), "column 2 has no name", "name it"),
        ("NA as name", "no-name", (), "column 2 has no name", "name it"),
        ("space as name", "no-name", (), "column 2 has no name", "name it"),
    ],
)
def test_errors_of_a_column(table, code, rows, problem, remedy):
    finding = only(check_table(TABLES[table]), code)
    nameless = table in ("labels", "shuffled") or code == "no-name"
    column = "" if nameless else "B"
    assert (finding.level, finding.columns, finding.rows) == ("error", (column,), rows)
    assert problem in finding.problem
    assert remedy in finding.remedy
    assert finding.sentence == f"{finding.problem}. Remedy: {finding.remedy}."
    assert str(finding) == f"error: {finding.sentence}"
    with pytest.raises(DataError) as error:
        load_table(TABLES[table])
    assert str(error.value) == finding.sentence


def test_a_name_that_no_file_can_hold():
    """Else hours later, when the result is written."""
    names = pd.Index(["A", "half \ud800", "C"], dtype=object)
    table = measurements().set_axis(names, axis=1)
    with pytest.raises(
        DataError, match=r"column 2 is called 'half \\ud800', which UTF-8 cannot hold"
    ):
        load_table(table)


def test_a_row_index_is_not_told_to_lack_a_name(tmp_path):
    path = tmp_path / "t.csv"
    measurements().to_csv(path)
    assert codes(check_table(path)) == ["row-index"]
    assert load_table(path, drop=[""]).fingerprint == load_table(measurements()).fingerprint


@pytest.mark.parametrize("cells", [INTEGERS, INTEGERS - 1, np.arange(N)[::-1]])
@pytest.mark.parametrize("name", ["", "Unnamed: 0", "unnamed: 12", "ID", "Index", "row_id", " no "])
def test_row_numbers_in_any_order_under_the_name_of_an_index(name, cells):
    assert codes(check_table(with_column(name, cells))) == ["row-index"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("rank", INTEGERS),
        ("D", INTEGERS - 1),
        ("id", INTEGERS + 1),
        ("id", INTEGERS * 1.5),
        ("id", np.where(INTEGERS == 7, 8, INTEGERS)),
        ("D", np.arange(N) ** 2),
        ("D", np.arange(N) + np.eye(N)[7] * 1e-3),
    ],
)
def test_what_is_not_a_row_index(name, cells):
    assert check_table(with_column(name, cells)) == []


@pytest.mark.parametrize(
    ("cells", "step"),
    [
        (np.arange(N) * 2, "up by 2"),
        (np.arange(N) + 0.5, "up by 1"),
        (np.arange(N)[::-1], "down by 1"),
        (np.arange(N) * 0.1 - 1, "up by 0.1"),
        (1.6e9 + np.arange(N) * 0.1, "up by 0.1"),
        (np.linspace(-1, 1, N) * 1.7e308, "up by"),
    ],
)
@pytest.mark.parametrize("transform", ["none", "rank-normal"])
def test_a_constant_step_is_a_warning_and_the_column_stays(cells, step, transform):
    dataset = load_table(with_column("D", cells), transform=transform)
    assert dataset.names == ("A", "B", "C", "D")
    assert codes(dataset.warnings) == ["counter"]
    assert f"'D' goes {step}" in dataset.warnings[0].problem
    assert "counter or a time axis" in dataset.warnings[0].problem
    assert "leave 'D' out" in dataset.warnings[0].remedy


def test_named_labels_are_just_not_numeric():
    assert codes(check_table(with_column("id", [f"s{i}" for i in range(N)]))) == ["not-numeric"]


def test_copies():
    frame = measurements()
    table = frame.assign(D=frame["A"], E=frame["B"], F=frame["A"])
    found = check_table(table)
    assert [finding.columns for finding in found] == [("A", "D", "F"), ("B", "E")]
    assert codes(found) == ["copy", "copy"]
    assert "columns 'A', 'D' and 'F' are identical" in str(found[0])
    assert "leave the others out" in found[0].remedy


def test_ranks_can_make_copies():
    table = measurements().assign(D=lambda frame: frame["A"] ** 3)
    assert codes(check_table(table)) == ["power"]
    assert only(check_table(table, transform="rank-normal"), "copy").columns == ("A", "D")


@pytest.mark.parametrize(("n_rows", "told"), [(1, "1 row"), (2, "2 rows"), (9, "9 rows")])
def test_few_rows(n_rows, told):
    finding = only(check_table(measurements(n_rows)), "few-rows")
    assert finding.problem == f"the table has only {told}"
    assert "at least 10 rows" in finding.remedy


def test_ten_rows_are_enough():
    assert check_table(measurements(10)) == []


@pytest.mark.parametrize(
    "table", [pd.DataFrame(), np.empty((0, 3)), np.empty((20, 0)), measurements().iloc[:0]]
)
def test_empty_tables(table):
    assert codes(check_table(table)) == ["empty"]


@pytest.mark.parametrize(
    ("transform", "cell", "told"), [("log", 0.0, "not above 0"), ("log2", -0.5, "not above -0.5")]
)
def test_values_outside_a_transform(transform, cell, told):
    table = np.exp(measurements())
    table.loc[[6, 8], "B"] = cell
    finding = only(check_table(table, transform=transform), "outside-transform")
    assert (finding.columns, finding.rows) == (("B",), (7, 9))
    assert f"2 values {told}, as transform '{transform}' needs (rows 7 and 9)" in finding.problem
    assert "rank-normal" in finding.remedy
    assert check_table(table, transform="rank-normal") == []


def test_a_value_just_inside_a_transform():
    table = np.exp(measurements())
    table.loc[6, "B"] = np.nextafter(-0.5, 0)
    assert "outside-transform" not in codes(check_table(table, transform="log2"))
    assert np.isfinite(load_table(table, transform="log2").values).all()


@pytest.mark.parametrize("labels", [["1.5", "2", "-3e4"], ["3", "1", "2"]])
def test_a_header_that_is_data(tmp_path, labels):
    table = measurements().set_axis(labels, axis=1)
    path = write(tmp_path / "t.csv", table.to_csv(index=False))
    for source in (table, path):
        finding = only(check_table(source), "header")
        assert repr(labels[0]) in finding.problem
        assert "give the columns names" in finding.remedy


@pytest.mark.parametrize("labels", [["0", "1", "2"], ["1", "2", "3"], ["1", "2", "x"], [5, 9, 7]])
def test_a_header_that_only_looks_like_data(labels):
    assert check_table(measurements().set_axis(labels, axis=1)) == []


# What is only warned about


def outlying():
    table = measurements()
    table.loc[[4, 11], "B"] = [60.0, -900.0]
    return table


FEW = with_column("D", [1, 2, 3, 4, 2, 3] * 5)
RESCALED = measurements().assign(D=lambda frame: 3 - 7 * frame["A"])
CLOSE = measurements().assign(D=lambda frame: frame["A"] + 0.01 * frame["B"])


@pytest.mark.parametrize(
    ("table", "code", "columns", "problem", "remedy"),
    [
        (FEW, "few-values", ("D",), "'D' has fewer than 5 distinct values", "--model-discrete"),
        (outlying(), "outlier", ("B",), "'B': 2 extreme outliers", "(--transform) 'rank-normal:B'"),
        (measurements(names="A"), "single-column", ("A",), "'A' is the only one", "two or more"),
        (RESCALED, "rescaled-copy", ("D", "A"), "'D' is a rescaled copy of 'A'", "drop="),
        (CLOSE, "correlated", ("D", "A"), "correlation beyond 0.999 with 'A'", "drop="),
    ],
)
def test_warnings(table, code, columns, problem, remedy):
    (finding,) = load_table(table).warnings
    assert (finding.level, finding.code, finding.columns) == ("warning", code, columns)
    assert problem in finding.problem
    assert remedy in finding.remedy
    assert check_table(table) == [finding]


def test_outliers_are_told_farthest_first():
    (finding,) = check_table(outlying())
    assert finding.rows == (12, 5)
    assert "(rows 12 and 5)" in finding.problem


def test_what_is_not_warned_about():
    table = measurements().assign(D=lambda frame: frame["A"] + 0.2 * np.tanh(frame["B"]))
    table["E"] = [1, 2, 3, 4, 5] * 6
    table["F"] = [0.0] * 25 + [1.0, 2.0, 3.0, 4.0, 500.0]  # an IQR of 0 is no yardstick
    assert check_table(table) == []


@pytest.mark.parametrize(("distance", "expected"), [(9.9, []), (10.1, ["outlier"])])
def test_how_far_an_outlier_lies(distance, expected):
    table = measurements()
    low, median, high = table["B"].quantile([0.25, 0.5, 0.75])
    table.loc[table["B"].idxmax(), "B"] = median + distance * (high - low) / 1.349
    assert codes(check_table(table)) == expected


def test_the_same_outliers_in_any_units():
    (finding,) = check_table(outlying())
    (small,) = check_table(outlying() * 2.0**-900)
    assert small.problem == finding.problem
    assert check_table(outlying(), transform="rank-normal") == []


@pytest.mark.parametrize(
    ("far", "shift", "transform", "advised"),
    [
        (15.0, 5.0, "none", "'log2:B' or 'rank-normal:B'"),
        (900.0, 0.0, "none", "(--transform) 'rank-normal:B'"),  # values below -0.5
        (900.0, 800.0, "none", "(--transform) 'rank-normal:B'"),  # where log2 is a straight line
        (900.0, 800.0, "log2", "(--transform) 'rank-normal:B'"),
        (900.0, 800.0, "log", "(--transform) 'rank-normal:B'"),
        (-900.0, 901.0, "log2", "(--transform) 'rank-normal:B'"),
    ],
)
def test_the_transform_advised_against_outliers_is_one_that_works(far, shift, transform, advised):
    table = measurements() + shift
    table.loc[4, "B"] = far + shift
    finding = only(check_table(table, transform=transform), "outlier")
    assert advised in finding.remedy
    for word in re.findall("'([a-z0-9-]+:B)'", finding.remedy):
        assert "outlier" not in codes(check_table(table, transform=word))


@pytest.mark.parametrize("name", ["Month", "YEAR", "day_of_week", "weekday", "hour", "model_year"])
def test_parts_of_a_date_are_driven_by_nothing(name):
    table = with_column(name, [7, 1, 4, 2, 6, 5] * 5)
    finding = only(check_table(table), "calendar")
    assert (finding.level, finding.columns) == ("warning", (name,))
    assert "--exogenous" in finding.remedy
    assert "calendar" not in codes(check_table(table, exogenous=[name]))


@pytest.mark.parametrize(
    "name",  # Hitters of baseball have played for some "Years": a duration, not a date
    ["age", "monthly_income", "daylight", "time", "D", "fiscal_yearly", "Years", "days", "hours"],
)
def test_other_columns_are_no_dates(name):
    assert "calendar" not in codes(check_table(with_column(name, [7, 1, 4, 2, 6, 5] * 5)))


def test_a_share_of_a_day_is_measured():
    table = with_column("day", np.random.default_rng(1).uniform(size=30))
    assert "calendar" not in codes(check_table(table))


# Everything at once


def test_all_issues_at_once_errors_first():
    table = with_cells([3], None).assign(D=2.0, E="x", F=[1.0, 2.0] * 15)
    table["G"] = table["A"]
    found = check_table(table)
    assert codes(found) == ["missing", "not-numeric", "constant", "copy", "few-values"]
    with pytest.raises(DataError) as error:
        load_table(table)
    assert str(error.value).splitlines() == [f.sentence for f in found if f.level == "error"]


def test_a_column_can_have_several_errors():
    table = with_cells([3], None)
    table.loc[8, "B"] = "x"
    table.loc[9, "B"] = np.inf
    found = check_table(table)
    assert [(f.code, f.rows) for f in found] == [
        ("not-numeric", (9,)),
        ("missing", (3,)),
        ("infinite", (10,)),
    ]


def test_issues_stay_on_one_line():
    table = with_cells([3], "two\nlines").rename(columns={"B": "a\nb" + "x" * 200})
    (finding,) = check_table(table)
    assert len(str(finding).splitlines()) == 1
    assert len(str(finding)) < 400


def test_many_columns_give_one_issue_each():
    base = np.random.default_rng(4).normal(size=(50, 1))
    table = base + 1e-4 * np.random.default_rng(5).normal(size=(50, 200))
    found = check_table(table)
    assert codes(found) == ["correlated"] * 199
    assert "'V5' and 194 more" in str(found[-1])


# Files that cannot be read

ROWS = "".join(f"{x},{y}\n" for x, y in measurements(names="AB").to_numpy())

FILES = {
    "empty": ("t.csv", b"", "empty", "no columns"),
    "blank": ("t.csv", b"\n\n\n", "empty", "no columns"),
    "header only": ("t.csv", b"A,B\n", "empty", "no rows"),
    "too many fields": ("t.csv", f"A,B\n{ROWS}1,2,3\n", "ragged", "line 32 has 3 fields where"),
    "first row too long": ("t.csv", f"A,B\n1,2,3\n{ROWS}", "ragged", "line 2 has 3 fields"),
    "too few fields": ("t.csv", f"A,B\n{ROWS}1\n1,2,3\n", "ragged", "2 lines in all"),
    "decimal commas": ("t.csv", f"A,B\n{ROWS}1,5,2,5\n", "ragged", "line 32 has 4 fields"),
    "latin": ("t.csv", "A,µ\n".encode("latin-1"), "unreadable", "line 1 is not text in UTF-8"),
    "utf-16": ("t.csv", f"A,B\n{ROWS}".encode("utf-16"), "unreadable", "not text in UTF-8"),
    "NUL": ("t.csv", f"A,B\n{ROWS}1,\0", "unreadable", "line 32 holds a NUL byte"),
    "open quote": ("t.csv", f'A,B\n{ROWS}"1,2\n', "unreadable", "line 32"),
    "large cell": ("t.csv", "A,B\n" + "9" * 200_000, "unreadable", "line 2"),
    "semicolons": ("t.csv", "A;B\n1,5;2\n", "delimiter", "delimited by ';'"),
    "tabs": ("t.csv", "A\tB\n1\t2\n", "delimiter", "delimited by '\\t'"),
    "bars": ("t.csv", "A|B\n1|2\n", "delimiter", "delimited by '|'"),
    "commas": ("t.txt", "A,B\n1,2\n", "delimiter", "delimited by ','"),
    "spaces": ("t.txt", "A B\n1 2\n", "delimiter", "delimited by ' '"),
    "not gzip": ("t.csv.gz", b"A,B\n1,2\n", "unreadable", "zip"),
    "cut gzip": ("t.csv.gz", gzip.compress(ROWS.encode())[:-20], "unreadable", "end"),
    "bad gzip": ("t.csv.gz", gzip.compress(b"")[:10] + b"\xff" * 9, "unreadable", "invalid"),
    "not Parquet": ("t.parquet", b"PAR1 not at all", "unreadable", "not a sound Parquet file"),
    "other ending": ("t.dat", b"A,B", "unreadable", "'.dat' is not known"),
    "spreadsheet": ("t.xlsx", b"PK", "unreadable", "not a sound Excel workbook"),
    "old spreadsheet": ("t.XLS", b"\xd0\xcf", "unreadable", "'.xls' is not known"),
    "aligned": ("t.txt", "A    B\n1.5  2\n", "delimiter", "several, aligned with spaces"),
    "aligned at the right": ("t.csv", "A B\n1  2\n3 44\n", "delimiter", "aligned with spaces"),
    "row names of R": ("t.csv", f"A\n{ROWS}", "ragged", "one field short of every row, as when R"),
    "trailing commas": ("t.csv", "A,B\n1,2,\n3,4,\n", "ragged", "every row ends in a delimiter"),
    "one trailing comma": ("t.csv", "A,B\n1,2,\n3,4\n", "ragged", "line 2 has 3 fields"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_that_cannot_be_read(tmp_path, case):
    name, content, code, told = FILES[case]
    path = write(tmp_path / name, content)
    (finding,) = check_table(path)
    assert (finding.level, finding.code) == ("error", code)
    assert told in finding.problem
    assert finding.remedy
    assert code == "empty" or name in finding.problem
    with pytest.raises(DataError):
        load_table(path)


@pytest.mark.parametrize(
    ("case", "remedy"),
    [
        ("spreadsheet", "save it anew, or as .csv"),
        ("old spreadsheet", "export the sheet as CSV"),
        ("spaces", "give delimiter=' ' (--delimiter)"),
        ("aligned", "put one delimiter, such as a comma"),
        ("row names of R", "row.names=FALSE (in R: write.csv), or name the first column"),
        ("trailing commas", "take the delimiter off the end of each row"),
    ],
)
def test_remedies_of_files(tmp_path, case, remedy):
    name, content, _, _ = FILES[case]
    (finding,) = check_table(write(tmp_path / name, content))
    assert remedy in finding.remedy


def test_the_remedy_of_a_wrong_delimiter_works(tmp_path):
    path = write(tmp_path / "t.csv", measurements().to_csv(index=False, sep=";"))
    (finding,) = check_table(path)
    assert "delimiter=';' (--delimiter)" in finding.remedy
    assert load_table(path, delimiter=";").names == ("A", "B", "C")


def test_a_single_column_with_a_delimiter_in_its_name(tmp_path):
    table = measurements(names="A").rename(columns={"A": "mass; kg"})
    path = write(tmp_path / "t.csv", table.to_csv(index=False))
    assert codes(check_table(path)) == ["single-column"]


def test_a_single_column_of_quoted_decimal_commas(tmp_path):
    path = write(tmp_path / "t.csv", '"A, b"\n' + '"1,5"\n' * 12)
    assert codes(check_table(path)) == ["not-numeric", "single-column"]


@pytest.mark.parametrize("name", ["absent.csv", "absent.parquet", "bad\0name.csv", "x" * 999])
def test_files_that_are_not_there(tmp_path, name):
    assert codes(check_table(tmp_path / name)) == ["unreadable"]


def test_a_folder_is_not_a_file(tmp_path):
    (finding,) = check_table(tmp_path)
    assert "Is a directory" in finding.problem


def test_a_file_one_may_not_read(tmp_path, monkeypatch):
    def refuse(path, mode="r"):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)  # root could read any real file
    (finding,) = check_table(tmp_path / "t.csv")
    assert "t.csv' cannot be read: Permission denied" in finding.problem


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    measurements().to_parquet(path)

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install 'gpnet\[parquet\]'"):
        load_table(path)


def test_parquet_of_odd_types(tmp_path):
    table = measurements().assign(D=[[1.0]] * N, E=[{"a": 1}] * N, F=[b"x"] * N, G=None)
    table.to_parquet(tmp_path / "t.parquet")
    found = check_table(tmp_path / "t.parquet")
    assert [(f.code, f.columns) for f in found] == [
        ("not-numeric", ("D",)),
        ("not-numeric", ("E",)),
        ("not-numeric", ("F",)),
        ("missing", ("G",)),
    ]


def test_words_for_missing_in_a_file(tmp_path):
    words = ["", "  ", "NA", "n/a", "#N/A", "NaN", "null", "None", "<NA>", " NA "]
    lines = [f"{word},{i * i}" for i, word in enumerate(words)]
    path = write(tmp_path / "t.csv", "\n".join(["A,B", *lines]))
    assert "10 missing values" in only(check_table(path), "missing").problem


def test_a_blank_line_in_a_single_column_is_missing(tmp_path):
    path = write(tmp_path / "t.csv", "A\n1.5\n2.5\n\n3.5\n\n")
    assert only(check_table(path), "missing").rows == (3,)


@pytest.mark.parametrize("cell", ["TRUE", "1_2", "abc", "2020-01-01", "1.2.3", "0x1F", "5%"])
def test_cells_of_a_file_that_are_not_numbers(tmp_path, cell):
    path = write(tmp_path / "t.csv", f"A,B\n{ROWS}1,{cell}\n")
    finding = only(check_table(path), "not-numeric")
    assert (finding.columns, finding.rows) == (("B",), (31,))
    assert repr(cell) in finding.problem
    assert "pandas" not in finding.remedy
    assert ("0 and 1" in finding.remedy) == (cell == "TRUE")


def test_an_array_must_have_two_axes():
    (finding,) = check_table(np.zeros(5))
    assert "(5,)" in finding.problem


@pytest.mark.parametrize("dtype", [bool, complex, "U5", "S5", "M8[ns]", "m8[ns]", "i4,f4"])
def test_arrays_of_other_types(dtype):
    assert set(codes(check_table(np.ones((N, 2)).astype(dtype)))) == {"not-numeric"}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_an_array():
    values = measurements().to_numpy()
    assert load_table(np.matrix(values)).fingerprint == load_table(values).fingerprint


def test_an_arrow_table():
    values = measurements(names="AB").to_numpy().T
    assert load_table(pa.table(list(values), names=["A", "B"])).names == ("A", "B")
    (finding,) = check_table(pa.table(list(values), names=["A", "A"]))
    assert "a name of its own" in finding.remedy


@pytest.mark.parametrize("dtype", [pa.int64(), pa.uint64(), pa.decimal128(20, 0)])
def test_an_arrow_table_of_large_integers(dtype):
    large = [2**62 + int(i) * 2**50 for i in INTEGERS]
    table = pa.table({"A": pa.array(large, pa.int64()).cast(dtype)})
    np.testing.assert_array_equal(load_table(table).values[:, 0], np.array(large, dtype=float))


def test_an_arrow_table_of_dates_beyond_python():
    assert codes(check_table(pa.table({"A": pa.array([10**18], pa.timestamp("s"))})))


def test_a_path_may_be_of_bytes(tmp_path):
    class Location:
        def __fspath__(self):
            return bytes(write(tmp_path / "t.csv", measurements().to_csv(index=False)))

    assert load_table(Location()).names == ("A", "B", "C")


def test_a_masked_array_has_missing_values():
    values = np.ma.masked_less(measurements().to_numpy(), -1.5)
    rows = np.flatnonzero(values.mask.any(axis=1)) + 1
    found = check_table(values)
    assert set(codes(found)) == {"missing"}
    assert {row for finding in found for row in finding.rows} == set(rows)


@pytest.mark.parametrize("source", [None, 5, [[1, 2]], {"A": [1]}, pd.Series([1]), b"t.csv"])
def test_what_is_not_a_table(source):
    (finding,) = check_table(source)
    assert type(source).__name__ in finding.problem
    assert "pandas or polars" in finding.remedy


def test_a_lazy_frame_is_not_a_table():
    (finding,) = check_table(pl.DataFrame({"A": [1.0]}).lazy())
    assert "LazyFrame" in finding.problem


# Options that are not offered


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"transform": "sqrt"}, "transform 'sqrt': expected one of 'auto', 'none', 'log'"),
        ({"drop": ["Z"]}, "drop 'Z': no such column, there is 'A', 'B' and 'C'"),
        ({"delimiter": ","}, "delimiter: only for a file"),
        ({"delimiter": "::"}, "delimiter '::': expected one of ','"),
        ({"names": ["x", "y", "z"]}, "names: only for a NumPy array"),
    ],
)
@pytest.mark.parametrize("function", [load_table, check_table])
def test_options(function, options, told):
    with pytest.raises(OptionError) as error:
        function(measurements(), **options)
    assert told in str(error.value)


def test_names_must_fit_the_array():
    with pytest.raises(OptionError, match="names: 2 for 3 columns"):
        load_table(measurements().to_numpy(), names=["x", "y"])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("transform", ["log"]),
        ("transform", None),
        ("delimiter", [","]),
        ("delimiter", 5),
        ("names", 5),
        ("drop", 5),
        ("drop", [None]),
        ("drop", [["A"]]),
    ],
)
def test_options_of_another_type(option, value):
    with pytest.raises(OptionError, match=option):
        load_table(measurements().to_numpy(), **{option: value})


def test_drop_none_is_drop_nothing():
    assert load_table(measurements(), drop=None).names == ("A", "B", "C")


def test_names_have_no_space_around_them(tmp_path):
    path = write(tmp_path / "t.csv", measurements().to_csv(index=False).replace("A,B", "A , B"))
    assert load_table(path).names == ("A", "B", "C")
    assert load_table(path, drop=["A "]).names == ("B", "C")
    assert load_table(measurements().to_numpy(), names=[" x", "y\n", "z"]).names == tuple("xyz")


def test_none_among_the_names_of_an_array_is_no_name():
    (finding,) = check_table(measurements().to_numpy(), names=["x", None, "z"])
    assert (finding.code, finding.problem) == ("no-name", "column 2 has no name")


def test_two_columns_without_a_name_are_not_told_to_share_one():
    assert codes(check_table(measurements().set_axis(["A", None, ""], axis=1))) == ["no-name"] * 2


@pytest.mark.parametrize(
    "options", [{"transform": "log"}, {"drop": ["A"]}, {"names": ["A"]}, {"delimiter": ","}]
)
def test_a_dataset_takes_no_other_options(options):
    with pytest.raises(OptionError):
        load_table(load_table(measurements()), **options)


# Whatever comes


def assert_usable_or_refused(source, **options):
    """What holds for any table."""
    found = check_table(source, **options)
    assert all(isinstance(finding, Issue) and finding.remedy for finding in found)
    try:
        dataset = load_table(source, **options)
    except GpnetError as error:
        told = str(error).splitlines()
        refused = [finding.sentence for finding in grouped(found) if finding.level == "error"]
        assert told == refused != []
        return
    assert isinstance(dataset, Dataset)
    assert list(dataset.warnings) == found
    assert len(set(dataset.names)) == dataset.n_variables == dataset.values.shape[1]
    standardised = dataset.standardised()
    assert np.isfinite(standardised).all()
    np.testing.assert_allclose(standardised.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standardised.std(axis=0, ddof=1), 1, rtol=1e-12)


floats = st.floats(allow_nan=False, allow_infinity=False, width=64)
numbers = st.one_of(
    st.floats(-10, 10), floats, st.sampled_from([0.0, -0.0, 5e-324, 1e-310, 1.79e308, -1.79e308])
)
oddities = st.one_of(
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**63, 2**70]),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.dates(),
    st.timedeltas(),
    st.sampled_from([np.nan, np.inf, -np.inf, pd.NA, pd.NaT, np.float32(2), np.bool_(1), "1,5"]),
    st.lists(st.integers(), max_size=2),
)


@st.composite
def columns_of(draw, n_rows):
    """Mostly numbers, sometimes with a few oddities, sometimes odd throughout."""
    cells = draw(st.lists(numbers, min_size=n_rows, max_size=n_rows))
    kind = draw(st.sampled_from(["floats", "floats", "floats", "mixed", "float32", "int", "text"]))
    if kind == "mixed" and n_rows:
        row = draw(st.integers(0, n_rows - 1))
        return pd.Series([*cells[:row], draw(oddities), *cells[row + 1 :]], dtype=object)
    if kind == "float32":
        with np.errstate(over="ignore"):
            return pd.Series(np.array(cells, dtype=np.float32))
    if kind == "int":
        return pd.Series([int(cell % 1000) for cell in cells], dtype="Int64")
    return pd.Series(cells, dtype=str if kind == "text" else float)


@st.composite
def frames(draw):
    n_rows = draw(st.one_of(st.integers(10, 14), st.integers(0, 14)))
    columns = draw(st.lists(columns_of(n_rows), max_size=4))
    labels = st.one_of(st.text(max_size=4), st.sampled_from(["A", "", " ", "1.5"]), st.integers())
    names = draw(st.lists(labels, min_size=len(columns), max_size=len(columns)))
    if not columns:
        return pd.DataFrame(index=range(n_rows))
    return pd.concat(columns, axis=1).set_axis(names, axis=1)


QUICK = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@settings(QUICK, max_examples=200)
@given(frame=frames(), transform=st.sampled_from(list(TRANSFORMS)))
def test_any_frame_is_usable_or_refused(frame, transform):
    assert_usable_or_refused(frame, transform=transform)


@settings(QUICK, max_examples=50)
@given(frame=frames())
def test_any_frame_written_as_csv_is_usable_or_refused(tmp_path, frame):
    text = StringIO(newline="")
    csv.writer(text).writerows([list(frame), *frame.astype(object).to_numpy().tolist()])
    content = text.getvalue().encode(errors="surrogatepass")
    assert_usable_or_refused(write(tmp_path / "t.csv", content))


PIECES = [b"A,B\n", b"1,2\n", b"1.5", b",", b'"', b"\n", b"\r", b"\t", b";", b"\0", b"\xff", b" "]


@settings(QUICK, max_examples=200)
@given(
    content=st.one_of(
        st.binary(max_size=60),
        st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join),
    ),
    name=st.sampled_from(["t.csv", "t.txt", "t.csv.gz", "t.parquet"]),
)
def test_any_bytes_are_usable_or_refused(tmp_path, content, name):
    assert_usable_or_refused(write(tmp_path / name, content))


@settings(QUICK, max_examples=100)
@given(st.lists(st.lists(floats, min_size=12, max_size=12), min_size=1, max_size=3))
def test_any_finite_array_is_usable_or_refused(columns):
    assert_usable_or_refused(np.array(columns).T)


# Made by hand

SOUND = np.random.default_rng(8).normal(size=(40, 3))


def test_by_hand_it_is_what_load_table_makes():
    made, loaded = Dataset(SOUND, ["a", "b", "c"]), load_table(SOUND, names=["a", "b", "c"])
    assert made.fingerprint == loaded.fingerprint
    assert made.names == ("a", "b", "c")
    np.testing.assert_array_equal(made.standardised(), loaded.standardised())
    with pytest.raises(ValueError, match="read-only"):
        made.values[0, 0] = 1


@pytest.mark.parametrize(
    ("values", "names", "told"),
    [
        (SOUND[:3], "abc", "at least"),
        (SOUND, "ab", "a column for each of 2 names"),
        (SOUND[0], "abc", "shape"),
        (SOUND.astype(str), "abc", "array of numbers"),
        (SOUND * [1, 0, 1], "abc", "'b'"),
        (np.where(SOUND > 1, np.nan, SOUND), "abc", "missing"),
        (SOUND, "aba", "'a'"),
        (SOUND[:, [0, 1, 0]], "abc", "'c'"),
    ],
)
def test_by_hand_it_is_checked_too(values, names, told):
    with pytest.raises(DataError, match=told):
        Dataset(values, tuple(names))


def test_by_hand_the_callers_array_is_left_alone():
    mine = SOUND.copy()
    data = Dataset(mine, ("a", "b", "c"))
    mine[0, 0] = 99
    assert data.values[0, 0] == SOUND[0, 0]


def test_its_repr_is_short():
    assert repr(Dataset(SOUND, ("a", "b", "c"))) == "<Dataset of 40 rows, 3 variables: a, b and c>"
    wide = load_table(np.random.default_rng(1).normal(size=(40, 30)))
    assert len(repr(wide)) < 100
