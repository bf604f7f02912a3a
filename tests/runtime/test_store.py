"""The store: exact round trips, clear refusals, no loss."""

import math
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpnet.common.errors import GpnetError, StoreError
from gpnet.gp.evidence import Evidence
from gpnet.runtime.store import Store
from gpnet.runtime.store_file import APPLICATION, VERSION, connect
from gpnet.runtime.stored_row import Source

SOURCE = Source("data", "score")
PLAIN = Evidence(-12.25, 0.5, "laplace")
ODD = Evidence(
    value=-0.1 - 0.2,
    std_error=math.nan,
    method="brücke ∫",
    n_evaluations=2**40,
    n_modes=0,
    k_hat=math.inf,
    ess=5e-324,
    mode=(math.nan, -math.inf, -0.0, 1 / 3, 1e308),
    warnings=("σ → 0", 'a "quoted"\n\0 line', ""),
)


def bits(evidence):
    """Every field, floats as their bytes: nan equals nan, 0 differs from -0."""

    def exact(value):
        if isinstance(value, float):
            return struct.pack("<d", value)
        return tuple(map(exact, value)) if isinstance(value, tuple) else value

    return {field.name: exact(getattr(evidence, field.name)) for field in fields(Evidence)}


@contextmanager
def without_rights():
    """Root may write anywhere: be nobody for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@contextmanager
def full_disk():
    """No file may grow beyond 64 kB: the system refuses as it does on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scores.gpnet"


@pytest.mark.parametrize("evidence", [PLAIN, ODD], ids=["plain", "odd"])
def test_round_trip_through_a_closed_file(path, evidence):
    with Store(path) as store:
        store.put(SOURCE, 3, {(): evidence, (0, 12): PLAIN})
    with Store(path) as store:
        found = store.get_many(SOURCE, 3, [(), (0, 12), (0, 1)])
    assert {parents: bits(e) for parents, e in found.items()} == {
        (): bits(evidence),
        (0, 12): bits(PLAIN),
    }
    assert isinstance(found[()].mode, tuple)
    assert isinstance(found[()].warnings, tuple)


numbers = st.floats(allow_nan=False) | st.just(math.nan)  # there is one nan in a store


@settings(max_examples=30, deadline=None)
@given(numbers, numbers, st.lists(numbers, max_size=7), st.lists(st.text(), max_size=3))
def test_any_evidence_comes_back_bit_by_bit(value, error, mode, texts):
    evidence = Evidence(value, error, "x", mode=tuple(mode), warnings=tuple(texts))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "a") as store:
        store.put(SOURCE, 0, {(1,): evidence})
        store.flush()
        assert bits(store.get_many(SOURCE, 0, [(1,)])[(1,)]) == bits(evidence)


def test_numpy_scalars_are_taken(path):
    evidence = Evidence(np.float64(0.1), np.float64(0), "x", n_evaluations=np.int64(3))
    with Store(path) as store:
        store.put(SOURCE, np.int64(1), {(np.int64(2),): evidence})
        store.flush()
        assert store.get_many(SOURCE, 1, [(2,)])[(2,)].n_evaluations == 3


def test_keys_are_kept_apart(path):
    sources = [Source(data, score) for data in "ab" for score in "ab"]
    keys = [(s, node, p) for s in sources for node in (0, 1) for p in [(), (2,), (2, 3), (23,)]]
    with Store(path) as store:
        for i, (source, node, parents) in enumerate(keys):
            store.put(source, node, {parents: Evidence(i, 0.0, "x")})
        store.flush()
        for i, (source, node, parents) in enumerate(keys):
            assert store.get_many(source, node, [parents])[parents].value == i
        assert store.get_many(Source("a", "c"), 0, [()]) == {}


def test_the_last_evidence_of_a_key_stays(path):
    with Store(path) as store:
        store.put(SOURCE, 0, {(): Evidence(7.0, 0.0, "x")})
        store.put(SOURCE, 0, {(): PLAIN})
        store.flush()
        assert bits(store.get_many(SOURCE, 0, [()])[()]) == bits(PLAIN)


def test_a_row_can_be_read_by_people(path):
    with Store(path) as store:
        store.put(SOURCE, 0, {(1, 2): PLAIN})
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT node, parents, evidence FROM evidence").fetchall() == [
            (0, "1 2", '{"value": -12.25, "std_error": 0.5, "method": "laplace"}')
        ]


def test_commits_by_itself(path):
    with Store(path) as store, closing(sqlite3.connect(path)) as other:
        store.put(SOURCE, 0, {(): PLAIN})
        for _ in range(1000):
            if other.execute("SELECT count(*) FROM evidence").fetchone() == (1,):
                break
            store._closing.wait(0.02)
        else:
            pytest.fail("nothing was committed in 20 s")


def test_a_closed_store_says_so(path):
    store = Store(path)
    store.close()
    store.close()
    for use in [lambda: store.put(SOURCE, 0, {(): PLAIN}), lambda: store.get_many(SOURCE, 0, [])]:
        with pytest.raises(StoreError, match="closed"):
            use()


def test_two_processes_write_to_one_new_file(path):
    code = (
        "import sys; from tests.runtime.test_store import *\n"
        "with Store(sys.argv[1]) as store:\n"
        "    for i in range(50):\n"
        "        store.put(SOURCE, int(sys.argv[2]), {(i,): PLAIN}); store.flush()\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    root = Path(__file__).parents[2]
    writers = [subprocess.Popen([*command, str(node)], cwd=root) for node in (100, 101)]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    with Store(path) as store:
        for node in (100, 101):
            assert len(store.get_many(SOURCE, node, [(i,) for i in range(50)])) == 50


def test_who_opens_a_new_file_waits_for_another_who_makes_it(path):
    """Sqlite itself does not wait in this one case."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        with closing(connect(path)) as ours, pytest.raises(sqlite3.Error, match="locked"):
            ours.execute("PRAGMA journal_mode = WAL")
        Timer(0.1, lambda: other.execute("COMMIT")).start()
        with Store(path) as store:
            store.put(SOURCE, 0, {(): PLAIN})


def test_a_second_writer_waits_for_the_first(path):
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.put(SOURCE, 0, {(): PLAIN})
        assert store.get_many(SOURCE, 0, [()]) == {}  # who reads need not wait
        other.execute("COMMIT")
        store.flush()
        assert list(store.get_many(SOURCE, 0, [()])) == [()]


# Files that cannot be used


def refused(path, match):
    """The error names the file and leaves it as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(GpnetError, match=match) as caught:
        Store(path)
    assert str(path) in str(caught.value)
    if before is not None:
        assert path.read_bytes() == before


def filled(path, n_sets=2000):
    with Store(path) as store:
        store.put(SOURCE, 0, {(i,): ODD for i in range(n_sets)})


def test_not_a_database(path):
    path.write_text("a,b\n1,2\n" * 500)
    refused(path, "not a store of gpnet")


@pytest.mark.parametrize("damage", ["cut", "page", "head"])
def test_a_damaged_file(path, damage):
    filled(path)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    else:
        start = 0 if damage == "head" else len(content) // 2
        content[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    refused(path, r"damaged.*left as it is.*computed again")


def test_a_database_of_another_program(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE evidence (value)")
        other.commit()
    refused(path, "another program.*name another file")


def test_a_newer_version(path):
    filled(path, 1)
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {VERSION + 1}")
        newer.commit()
    refused(path, f"version {VERSION + 1}.*update gpnet")


def test_no_such_folder(tmp_path):
    refused(tmp_path / "missing" / "a.gpnet", "existing folder")
    refused(tmp_path, "expected a file")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="rights work otherwise here")
@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_cannot_be_written(exists):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.gpnet"
        if exists:
            filled(path, 1)
            path.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            with without_rights():
                refused(path, "can be written")
        finally:
            Path(folder).chmod(0o755)


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    filled(path, 1)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_disk_is_told_and_nothing_is_lost(path):
    with Store(path) as store:
        with full_disk():
            store.put(SOURCE, 0, {(i,): ODD for i in range(5000)})
            with pytest.raises(StoreError, match="disk has room"):
                store.flush()
        store.flush()
        assert len(store.get_many(SOURCE, 0, [(i,) for i in range(5000)])) == 5000
