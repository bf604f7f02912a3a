"""Compressed files are unfolded up to a limit, and what goes beyond is told and not unfolded."""

import gzip
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from gpnet.common.errors import DataError
from gpnet.data import compressed
from gpnet.data.compressed import MOST_UNFOLDED, megabytes
from gpnet.data.load import check_table, load_table
from gpnet.data.readers import UnreadableError, read
from tests.data.peak import peak_megabytes

LIMIT = 200_000  # for the tests, bytes


@pytest.fixture
def low_limit(monkeypatch):
    monkeypatch.setattr(compressed, "MOST_UNFOLDED", LIMIT)


def refused(path):
    (finding,) = check_table(path)
    assert (finding.level, finding.code) == ("error", "too-large")
    assert path.name in finding.problem
    assert f"its {megabytes(path.stat().st_size)} unfold to" in finding.problem
    assert f"up to {megabytes(MOST_UNFOLDED)}" in finding.problem
    with pytest.raises(DataError):
        load_table(path)
    return finding


def bomb(path, n_bytes):
    """A small file of so many bytes, written in parts."""
    with gzip.open(path, "wb") as file:
        file.write(b"A,B\n")
        for _ in range(n_bytes // 1_000_000):
            file.write(b"1.5,2\n" * (1_000_000 // 6))
    return path


def peak_of(read_it):
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableError) as told:
            read_it()
        return tracemalloc.get_traced_memory()[1], told.value.finding
    finally:
        tracemalloc.stop()


def test_gzip_is_unfolded_no_further_than_the_limit(tmp_path):
    """With the real limit, on a file that holds three times as much."""
    path = bomb(tmp_path / "t.csv.gz", 3 * MOST_UNFOLDED)
    assert path.stat().st_size < MOST_UNFOLDED / 100
    peak, finding = peak_of(lambda: read(path, names=None, delimiter=None))
    assert peak < 2.5 * MOST_UNFOLDED  # a buffer that grows is there twice for a moment
    assert finding.code == "too-large"
    assert "more than 100 MB" in finding.problem
    assert "gunzip" in finding.remedy


@pytest.mark.parametrize("excess", [0, 1])
def test_the_limit_of_gzip_is_exact(tmp_path, low_limit, excess):
    text = b"A,B\n" + b"".join(b"%d.5,%d\n" % (i, i * i % 97) for i in range(2000))
    text += b"\n" * (LIMIT + excess - len(text))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(text))
    if excess:
        refused(path)
    else:
        assert not [found for found in check_table(path) if found.level == "error"]


def test_plain_text_has_no_limit(tmp_path, low_limit):
    values = np.random.default_rng(0).normal(size=(6000, 3))
    path = tmp_path / "t.csv"
    pd.DataFrame(values, columns=list("ABC")).to_csv(path, index=False)
    assert path.stat().st_size > LIMIT
    assert load_table(path).n_rows == 6000


def test_parquet_by_its_rows_and_columns(tmp_path, low_limit):
    """Values that repeat take no room in the file, and all of it in memory."""
    path = tmp_path / "t.parquet"
    rows = LIMIT // 8 // 2
    pd.DataFrame({"A": np.ones(rows), "B": np.ones(rows)}).to_parquet(path)
    assert path.stat().st_size < LIMIT / 10
    assert "too-large" not in [found.code for found in check_table(path)]
    pd.DataFrame({"A": np.ones(rows + 1), "B": np.ones(rows + 1)}).to_parquet(path)
    assert "save it as .csv" in refused(path).remedy


def test_parquet_by_its_compressed_texts(tmp_path, low_limit):
    path = tmp_path / "t.parquet"
    texts = pd.DataFrame({"A": [f"{i}" + "x" * 5000 for i in range(60)], "B": range(60)})
    texts.to_parquet(path, compression="gzip", use_dictionary=False)
    assert path.stat().st_size < LIMIT / 10
    refused(path)


def test_a_long_text_on_every_row_is_held_once(tmp_path):
    """100 kB of text on 20 000 rows is 2 GB; the file holds it once, and so do we."""
    path, rows = tmp_path / "t.parquet", 20_000
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * 100_000])
    parquet.write_table(pa.table({"A": np.arange(rows) % 7.0, "B": text}), path)
    before = pa.total_allocated_bytes()
    codes = [found.code for found in check_table(path)]
    assert "not-numeric" in codes
    assert pa.default_memory_pool().max_memory() - before < 500_000_000


def test_gzip_of_parquet_has_both_limits(tmp_path, low_limit):
    path = tmp_path / "t.parquet.gz"
    pd.DataFrame({"A": np.ones(LIMIT)}).to_parquet(tmp_path / "t.parquet")
    path.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    refused(path)


def test_cells_of_text_are_numbers_and_not_objects(tmp_path):
    """A million cells: 8 MB as numbers, thrice while they are gathered; as objects above 32 MB."""
    path = tmp_path / "t.csv"
    path.write_text("A,B,C,D,E,F,G,H,I,J\n" + "1,2,3,4,5,6,7,8,9,0\n" * 100_000)
    assert peak_megabytes(lambda: read(path, names=None, delimiter=None)) < 30
