"""A store checks itself: what is not as it was written is missing, and is replaced."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from gpnet import learn, simulate
from gpnet.gp.evidence import Evidence
from gpnet.runtime.store import Store
from gpnet.runtime.store_file import APPLICATION, VERSION
from gpnet.runtime.stored_row import Source, _checksum, key_of
from gpnet.score_table.table import tabulate
from tests.contexts import context
from tests.runtime.test_store import ODD, PLAIN, SOURCE, bits
from tests.score_table.test_table import DATA, FULL, UNIFORM, FakeScore
from tests.score_table.test_table import same as same_tables

SETS = [(), (1,), (1, 2), (23,)]
STORED = {parents: replace(ODD, value=float(i)) for i, parents in enumerate(SETS)}


@pytest.fixture
def path(tmp_path):
    """Of a store with some rows."""
    with Store(tmp_path / "scores") as store:
        store.put(SOURCE, 0, STORED)
    return tmp_path / "scores"


def run(path, *statements):
    with closing(sqlite3.connect(path)) as other:
        for statement in statements:
            other.execute(*statement) if isinstance(statement, tuple) else other.execute(statement)
        other.commit()


def read(path, source=SOURCE):
    """What a store says, and what it says of itself."""
    with Store(path) as store:
        return store.get_many(source, 0, SETS), store.damage


def same(found, expected):
    return {p: bits(e) for p, e in found.items()} == {p: bits(e) for p, e in expected.items()}


def damaged_and_replaced(path):
    """The row of (1,) is not believed, told once, and sound after it was put again."""
    with Store(path) as store:
        for _ in range(2):
            found = store.get_many(SOURCE, 0, SETS)
            assert same(found, {p: e for p, e in STORED.items() if p != (1,)})
        assert store.damage == (
            "1 row of the store of scores was damaged: this score had to be computed again",
        )
        store.put(SOURCE, 0, {(1,): STORED[1,]})
    found, damage = read(path)
    assert same(found, STORED)
    assert damage == ()


def test_a_sound_store_has_nothing_to_tell(path):
    found, damage = read(path)
    assert same(found, STORED)
    assert damage == ()


# Cells

HOSTILE = {
    "nothing": "NULL",
    "a number": "1.5",
    "a large number": str(2**62),
    "no text": "''",
    "another text": "'{}'",
    "bytes": "x'80'",
    "no UTF-8": "CAST(x'7bff00' AS TEXT)",
    "a NUL": "CAST(x'7b0022' AS TEXT)",
    "half of it": "substr({0}, 1, length({0}) / 2)",
    "twice": "{0} || {0}",
    "that of another row": "(SELECT {0} FROM evidence WHERE parents = '23')",
}


@pytest.mark.parametrize("column", ["evidence", "checksum"])
@pytest.mark.parametrize("cell", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_cell(path, column, cell):
    cell = cell.format(column)
    run(path, f"UPDATE evidence SET {column} = {cell} WHERE parents = '1'")  # noqa: S608
    damaged_and_replaced(path)


def test_another_number(path):
    """As bits that flip: nothing is wrong with the row but its value."""
    run(path, "UPDATE evidence SET evidence = replace(evidence, '1.0', '3.0') WHERE parents = '1'")
    damaged_and_replaced(path)


MOVED = {
    "parents": "UPDATE evidence SET parents = '1' WHERE parents = '23'",
    "node": "UPDATE evidence SET node = 0 WHERE node = 5",
    "source": "UPDATE evidence SET source = :own WHERE source = :other",
}


@pytest.mark.parametrize("statement", MOVED.values(), ids=MOVED)
def test_a_row_under_the_key_of_another(path, statement):
    other = Source("other data", "score")
    with Store(path) as store:
        store.put(SOURCE, 5, {(1,): PLAIN})
        store.put(other, 0, {(1,): PLAIN})
    sources = {"own": SOURCE.digest, "other": other.digest}
    own = "DELETE FROM evidence WHERE source = :own AND node = 0 AND parents = '1'"
    run(path, (own, sources), (statement, sources))
    found, damage = read(path)
    assert (1,) not in found
    assert len(damage) == 1


def test_a_key_whose_bits_have_flipped(tmp_path):
    """Beside it sqlite would look for others in vain, and put them where it does not find them."""
    path, sets = tmp_path / "s", [(i,) for i in range(500)]
    with Store(path) as store:
        store.put(SOURCE, 0, dict.fromkeys(sets, PLAIN))
    content = bytearray(path.read_bytes())
    place = 0
    for _ in range(100):
        place = content.index(SOURCE.digest, place + 1)
    content[place] ^= 0x80
    path.write_bytes(content)
    with Store(path) as store:
        assert store.damage == (
            "the store of scores had lost the order of its rows: they were put in order",
        )
        found = store.get_many(SOURCE, 0, sets)
        assert len(found) == 499
        assert all(bits(evidence) == bits(PLAIN) for evidence in found.values())
        store.put(SOURCE, 0, dict.fromkeys(set(sets) - set(found), PLAIN))
    with Store(path) as store:
        assert len(store.get_many(SOURCE, 0, sets)) == 500
        assert store.damage == ()


FORGED = [
    "",
    "null",
    "3",
    "[]",
    "{}",
    '{"value": 1.0}',
    '{"value": 1.0, "std_error": 0.5}',
    '{"value": 1, "std_error": 0.5, "method": "x"}',
    '{"value": true, "std_error": 0.5, "method": "x"}',
    '{"value": "one", "std_error": 0.5, "method": "x"}',
    '{"value": null, "std_error": 0.5, "method": "x"}',
    '{"value": 1.0, "std_error": 0.5, "method": null}',
    '{"value": 1.0, "std_error": 0.5, "method": ["x"]}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "n_modes": 1.5}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "n_modes": %s}' % (10**30),
    '{"value": 1.0, "std_error": 0.5, "method": "x", "n_modes": %s}' % ("9" * 5000),
    '{"value": 1.0, "std_error": 0.5, "method": "x", "mode": 1.0}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "mode": [[1.0]]}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "mode": {"0": 1.0}}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "warnings": "x"}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "warnings": [1]}',
    '{"value": 1.0, "std_error": 0.5, "method": "x", "colour": "red"}',
    "[" * 100_000,
    '{"value": ',
    "\u00e4",
]


@pytest.mark.parametrize("text", FORGED, ids=lambda text: text[:60] or "empty")
def test_what_has_its_checksum_and_is_no_evidence(path, text):
    """Somebody wrote it: it is not believed either."""
    checksum = _checksum(SOURCE, key_of(SOURCE, 0, (1,)), text.encode())
    run(
        path,
        ("UPDATE evidence SET evidence = ?, checksum = ? WHERE parents = '1'", (text, checksum)),
    )
    damaged_and_replaced(path)


def test_a_text_with_its_checksum_is_believed(path):
    """Else the test above would show nothing."""
    text = json.dumps({"value": 3.5, "std_error": "nan", "method": "by hand"})
    checksum = _checksum(SOURCE, key_of(SOURCE, 0, (1,)), text.encode())
    run(
        path,
        ("UPDATE evidence SET evidence = ?, checksum = ? WHERE parents = '1'", (text, checksum)),
    )
    found, damage = read(path)
    assert bits(found[1,]) == bits(Evidence(3.5, float("nan"), "by hand"))
    assert damage == ()


# Tables

SHAPES = {
    "a view": [
        "ALTER TABLE evidence RENAME TO hidden",
        "CREATE VIEW evidence AS SELECT * FROM hidden",
    ],
    "a trigger": [
        "CREATE TRIGGER t AFTER INSERT ON evidence BEGIN UPDATE evidence SET node = 1; END"
    ],
    "a column more": ["ALTER TABLE evidence ADD COLUMN colour"],
    "a column less": ["ALTER TABLE evidence DROP COLUMN checksum"],
    "another name": ["ALTER TABLE evidence RENAME TO proof"],
    "a table more": ['CREATE TABLE "a ""b" (x)', "CREATE INDEX i ON evidence (node, parents)"],
    "a rule": ["DROP TABLE evidence", "CREATE TABLE evidence (source CHECK (abs(source) > 1))"],
}


@pytest.mark.parametrize("statements", SHAPES.values(), ids=SHAPES)
def test_other_tables_are_not_believed(path, statements):
    run(path, *statements)
    found, damage = read(path)
    assert found == {}
    assert damage == ("the store of scores held other tables than gpnet makes: it was begun anew",)
    with Store(path) as store:
        store.put(SOURCE, 0, STORED)
    found, damage = read(path)
    assert same(found, STORED)
    assert damage == ()


VERSION_2 = (
    "CREATE TABLE series (id INTEGER PRIMARY KEY, data TEXT NOT NULL, score TEXT NOT NULL, "
    "UNIQUE (data, score))",
    "CREATE TABLE evidence (series INTEGER NOT NULL REFERENCES series, node INTEGER NOT NULL, "
    "parents TEXT NOT NULL, value REAL, std_error REAL, method TEXT NOT NULL, "
    "n_evaluations INTEGER NOT NULL, n_modes INTEGER NOT NULL, khat REAL, ess REAL, "
    "mode BLOB NOT NULL, linear REAL, warnings TEXT NOT NULL, PRIMARY KEY (series, node, parents)) "
    "WITHOUT ROWID",
    "INSERT INTO series VALUES (1, 'data', 'score')",
    "INSERT INTO evidence VALUES (1, 0, '1', -2.5, 0.5, 'qmc', 1, 1, 0.1, 9.0, x'', 0.5, '[]')",
    f"PRAGMA application_id = {APPLICATION}",
    "PRAGMA user_version = 2",
)


def test_a_store_of_version_2_is_begun_anew(tmp_path):
    path = tmp_path / "old"
    run(path, *VERSION_2)
    with Store(path) as store:
        assert store.get_many(SOURCE, 0, SETS) == {}
        assert store.damage == (
            "the store of scores was of version 2, without checksums: it was begun anew",
        )
        store.put(SOURCE, 0, STORED)
    found, damage = read(path)
    assert same(found, STORED)
    assert damage == ()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (VERSION,)


# Runs


def damage_some(path, *, every=7):
    """As flipped bits do: other numbers, and nothing else; how many rows."""
    with closing(sqlite3.connect(path)) as other:
        rows = other.execute("SELECT source, node, parents FROM evidence").fetchall()[::every]
        other.executemany(
            "UPDATE evidence SET evidence = replace(evidence, '1', '2') "
            "WHERE source = ? AND node = ? AND parents = ?",
            rows,
        )
        other.commit()
    return len(rows)


def test_a_table_is_filled_as_from_a_sound_store(tmp_path):
    path, expected = tmp_path / "s", tabulate(DATA, FULL, FakeScore(), UNIFORM)
    with Store(path) as store:
        tabulate(DATA, FULL, FakeScore(), UNIFORM, context(store=store))
    n_damaged = damage_some(path)
    for n_asked in (n_damaged, 0):  # the second time, all of them have been replaced
        score = FakeScore()
        with Store(path) as store:
            table = tabulate(DATA, FULL, score, UNIFORM, context(store=store))
            assert bool(store.damage) == bool(n_asked)
        same_tables(table, expected)
        assert 0.9 * n_asked <= len(score.asked) <= n_asked


def test_who_learns_in_python_is_told_with_the_result(tmp_path):
    table = simulate(nodes=4, rows=60, seed=1).frame()

    def learned():
        return learn(table, score="bge", draws=100, store=tmp_path / "s")

    sound = learned()
    assert not any("damaged" in note for note in sound.diagnosis.notes)
    n_damaged = damage_some(tmp_path / "s", every=5)
    again = learned()
    told = [note for note in again.diagnosis.notes if "damaged" in note]
    assert told == [
        f"{n_damaged} rows of the store of scores were damaged: these scores had to be computed "
        "again"
    ]
    np.testing.assert_array_equal(again.log_target, sound.log_target)
