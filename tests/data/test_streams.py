"""Tables that are read and looked at some rows after the other are the same tables."""

import json
import os
import threading
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from gpnet.data import compressed, dataset, readers, standardise
from gpnet.data.load import check_table, load_table
from gpnet.data.readers import read
from tests.data.peak import peak_megabytes


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(readers, "BYTES_AT_ONCE", 7)
    monkeypatch.setattr(dataset, "BLOCK", 16)
    monkeypatch.setattr(standardise, "BLOCK", 16)


def frame(n_rows=100):
    return pd.DataFrame(np.random.default_rng(0).normal(size=(n_rows, 3)), columns=list("ABC"))


def test_the_fingerprint_is_that_of_the_whole(tmp_path):
    given = frame()
    given.to_csv(tmp_path / "t.csv", index=False)
    given.to_parquet(tmp_path / "t.parquet")
    tables = [load_table(source) for source in (given, tmp_path / "t.csv", tmp_path / "t.parquet")]
    head = json.dumps([tables[0].names, "auto", [100, 3]])
    whole = sha256(head.encode() + given.to_numpy().astype("<f8").tobytes("C")).hexdigest()
    assert {table.fingerprint for table in tables} == {whole}


def test_blocks_are_standardised_as_the_whole():
    values = 5 + 3 * np.random.default_rng(1).normal(size=(1000, 2))
    found = standardise.standardise(values)
    expected = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    np.testing.assert_allclose(found.values, expected, atol=1e-12)


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xe2\x82"])
def test_the_line_that_is_not_text_is_told(tmp_path, bad):
    """Wherever in a block it lies."""
    for place in range(8):
        path = tmp_path / "t.csv"
        path.write_bytes(b"A,B\n1,\xc3\xa4" + b"1" * place + b"\n2," + bad + b"\n3,4\n")
        (finding,) = check_table(path)
        assert "line 3 is not text in UTF-8" in finding.problem


def test_text_that_ends_within_a_letter(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"A,B\n1,2\n3,\xc3")
    (finding,) = check_table(path)
    assert "line 3 is not text in UTF-8" in finding.problem


def test_the_line_with_a_nul_byte_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"A,B\n1,2\n3,4\n5,\x006\n7,8\n")
    (finding,) = check_table(path)
    assert "line 4 holds a NUL byte" in finding.problem


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\r\n\r\n", "\r"])
def test_blank_lines_at_the_end_are_none(tmp_path, end):
    """In a single column, where a blank line in the midst is a missing value."""
    path = tmp_path / "t.csv"
    path.write_bytes(("A\n1\n\n2" + end).encode())
    (cells,) = read(path, names=None, delimiter=None).cells
    np.testing.assert_array_equal(cells, [1, np.nan, 2])


def test_a_pipe_can_be_read_once(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: frame().to_csv(path, index=False))
    writer.start()
    assert load_table(path).fingerprint == load_table(frame()).fingerprint
    writer.join()


def test_a_text_is_not_held_as_a_whole(tmp_path, monkeypatch):
    """12 MB of text, 4 MB of numbers."""
    monkeypatch.setattr(readers, "BYTES_AT_ONCE", 2**20)
    path = tmp_path / "t.csv"
    line = (b"1.25" + b"0" * 19 + b",") * 4 + b"7\n"
    path.write_bytes(b"A,B,C,D,E\n" + line * 120_000)
    assert path.stat().st_size > 11e6
    assert peak_megabytes(lambda: read(path, names=None, delimiter=None)) < 11


def test_a_parquet_file_may_hold_ten_times_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "MOST_UNFOLDED", 1000)
    path = tmp_path / "t.parquet"
    frame(5000).to_parquet(path)  # numbers that no compression makes smaller
    assert load_table(path).fingerprint == load_table(frame(5000)).fingerprint
    pd.DataFrame({"A": np.ones(100_000)}).to_parquet(path)
    assert [found.code for found in check_table(path)] == ["too-large"]
