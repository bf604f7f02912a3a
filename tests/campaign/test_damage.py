"""Some of what the campaigns do, which take minutes: damage to files, and what is said of it.

GPNET_DAMAGED=20000 damages so many of each.
"""

import os
import sqlite3
from contextlib import closing

import pytest
from campaign import damaged_files, damaged_settings, damaged_stores

from gpnet.common.validation import plain_record
from gpnet.runtime import stored_row

N = os.environ.get("GPNET_DAMAGED")


def test_damaged_posterior_files():
    """Each kind of damage is met, and some files of each kind that can be are answered for."""
    counts = damaged_files.run(int(N or 250), seed=0)
    assert {name.split(":")[0] for name in counts} == set(damaged_files.DAMAGES)
    for kind in ("values", "array", "bytes of a member"):
        assert counts[f"{kind}: answered"] > 0
        assert counts[f"{kind}: refused"] > 0


def test_settings_that_are_not_checked_would_be_found(monkeypatch):
    monkeypatch.setattr(
        "gpnet.posterior.weighted_dags.checked_settings",
        lambda given: plain_record("settings", given),
    )
    with pytest.raises(AssertionError, match="values"):
        damaged_files.run(2000, seed=0)


def test_damaged_stores():
    counts = damaged_stores.run(int(N or 60), seed=0)
    assert counts["rows damaged"] > 0
    assert counts["rows lost"] > 0


def test_rows_that_are_not_checked_would_be_found(monkeypatch):
    monkeypatch.setattr(stored_row, "_checksum", lambda source, key, text: b"")
    monkeypatch.setattr("gpnet.runtime.store.from_row", _believed)
    with pytest.raises(AssertionError, match="was read as"):
        damaged_stores.run(400, seed=0)


def _believed(source, key, row):
    try:
        return stored_row._read(stored_row.json.loads(row[0]))
    except Exception as error:
        raise stored_row.DamagedRowError from error


def test_damaged_settings():
    counts = damaged_settings.run(int(N or 40), seed=0)
    assert counts["--config: refused"] > 0
    assert counts["--resume: refused"] > 0


def test_what_a_store_held_after_its_damage(tmp_path):
    """The stores that are damaged hold what they should: a row for each parent set."""
    kinds, truth = damaged_stores.sound_stores(tmp_path)
    assert len(truth) == 6 * 2**5
    for number, files in enumerate(kinds):
        damaged_stores.write(tmp_path / f"{number}", files)
        with closing(sqlite3.connect(tmp_path / f"{number}")) as store:
            assert store.execute("SELECT count(*) FROM evidence").fetchone() == (len(truth),)
