"""The file of a store: opened, made, or begun anew where its tables are not those of today.

    evidence  source, node, parents, evidence, checksum      see `stored_row`

Columns have no type and may hold NULL: sqlite would call a file damaged as a whole for one cell
that has become of another type, where only its row is. application_id says that a file is ours,
user_version which shape of tables it has.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from gpnet.common.errors import StoreError

APPLICATION: Final = int.from_bytes(b"gpnt", "big")
VERSION: Final = 3
BUSY_TIMEOUT: Final = 60.0  # seconds to wait for another process that writes
SCHEMA: Final = (
    "CREATE TABLE evidence (source, node, parents, evidence, checksum, "
    "PRIMARY KEY (source, node, parents)) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
# The key determines the evidence: what is there already is the same, or damaged.
PUT: Final = "REPLACE INTO evidence VALUES (?, ?, ?, ?, ?)"
OF_ROWS: Final = ("row not in PRIMARY KEY order", "NULL value in")  # complaints of sqlite
# All but what sqlite makes and drops by itself; first what hangs on others.
OBJECTS: Final = (
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
    "ORDER BY type = 'table', type, name"
)


def open_store(path: Path) -> tuple[sqlite3.Connection, str]:
    """A connection that can write, to a store of our own; what had to be done to it first.

    A file of others, a damaged or a newer one is left as it is. Tables of an older version have no
    checksums, and those of another shape are not what gpnet made: neither can be believed.
    """
    if os.path.isdir(path) or not os.path.isdir(path.absolute().parent):
        raise StoreError(f"{path}: expected a file in an existing folder; make it or name another")
    with explained(path):
        connection = connect(path)
        try:
            disorder = _check(connection, path)
            _enter_wal_mode(connection)
            with connection:
                connection.execute("BEGIN IMMEDIATE")  # fails here and now if nobody may write
                return connection, _prepare(connection, disorder=disorder)
        except BaseException:
            connection.close()
            raise


def connect(path: Path) -> sqlite3.Connection:
    """A connection whose texts are bytes: sqlite believes any to be UTF-8."""
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    connection.text_factory = bytes
    try:
        # FULL: a commit survives a power cut too, at one fsync every half a second.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")  # no view or rule calls what may do harm
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say which file it is and what helps; sqlite says neither."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{path}: cannot be used as a store ({error}); see that the file and its folder can "
            "be written, the disk has room and nobody else locks it, or name another file"
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # of a message that quotes the damage
        raise StoreError(
            f"{path}: damaged, or not a store of gpnet ({error}); it is left as it is: restore "
            "it from a copy, or move it away and the scores are computed again"
        ) from error


def _enter_wal_mode(connection: sqlite3.Connection) -> None:
    """Where two processes make one file, sqlite lets one of them fail here without any waiting."""
    end = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _check(connection: sqlite3.Connection, path: Path) -> bool:
    """Refuse what is not ours to use; whether its rows have to be put in order."""
    if _is_empty(connection):
        return False
    if _number(connection, "PRAGMA application_id") != APPLICATION:
        raise StoreError(f"{path}: a database of another program, left as it is; name another file")
    version = _number(connection, "PRAGMA user_version")
    if version > VERSION:
        raise StoreError(
            f"{path}: a store of version {version}, this gpnet reads version {VERSION}; "
            "update gpnet or name another file"
        )
    found = _complaint(connection)
    if found and not found.startswith(OF_ROWS):
        raise sqlite3.DatabaseError(found)
    return bool(found)


def _complaint(connection: sqlite3.Connection) -> str:
    """The first that sqlite has about the file; those about its pages come before any of rows."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0].decode(errors="replace")
    return "" if found == "ok" else " ".join(found.split())


def _prepare(connection: sqlite3.Connection, *, disorder: bool) -> str:
    """Make the tables if need be, or mend them; what had to be done, and why."""
    done = ""
    if not _is_empty(connection):
        version = _number(connection, "PRAGMA user_version")
        if version < VERSION:
            done = f"was of version {version}, without checksums: it was begun anew"
        elif _shape(connection) != SHAPE:
            done = "held other tables than gpnet makes: it was begun anew"
        elif disorder:
            _put_in_order(connection)
            return "had lost the order of its rows: they were put in order"
        else:
            return ""
        _drop_all(connection)
    for statement in SCHEMA:
        connection.execute(statement)
    return done


def _put_in_order(connection: sqlite3.Connection) -> None:
    """Write all rows anew: beside a key whose bits have flipped, sqlite looks for others in vain.

    What is no text any more is none of ours, and fails its checksum all the same.
    """
    connection.text_factory = lambda text: text.decode(errors="replace")
    rows = connection.execute("SELECT * FROM evidence").fetchall()
    connection.text_factory = bytes
    connection.execute("DELETE FROM evidence")
    connection.executemany(PUT, [row for row in rows if None not in row[:3]])


def _drop_all(connection: sqlite3.Connection) -> None:
    """One after the other: what goes may take others with it."""
    while found := connection.execute(OBJECTS).fetchone():
        kind, name = found[0].decode(), found[1].decode().replace('"', '""')
        connection.execute(f'DROP {kind} "{name}"')


def _shape(connection: sqlite3.Connection) -> list[tuple[bytes, ...]]:
    return connection.execute(OBJECTS).fetchall()


def _expected_shape() -> list[tuple[bytes, ...]]:
    """As sqlite itself writes it down."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = bytes
        for statement in SCHEMA:
            connection.execute(statement)
        return _shape(connection)


SHAPE: Final = _expected_shape()


def _is_empty(connection: sqlite3.Connection) -> bool:
    return _number(connection, "SELECT count(*) FROM sqlite_master") == 0


def _number(connection: sqlite3.Connection, question: str) -> int:
    return int(connection.execute(question).fetchone()[0])
