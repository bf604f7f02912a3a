"""The store: scores in one sqlite file that survives a crash.

An evidence is found again by the fingerprints of its data and its score, its node and its parents.
The file is in WAL mode: any number of processes may read, those that write take turns. It has to
lie on a local disk.

    series    id, data, score                          the two fingerprints
    evidence  series, node, parents, and one column for each field of `Evidence`

parents is text, "0 3 7"; mode a blob of little-endian doubles; warnings a JSON list; a nan is NULL.
application_id says that a file is ours, user_version which shape of tables it has.
"""

import json
import math
import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Final, Self

from gpnet.common.errors import StoreError
from gpnet.common.types import Node, Parents
from gpnet.gp.evidence import Evidence

APPLICATION: Final = int.from_bytes(b"gpnt", "big")
VERSION: Final = 2
COMMIT_EVERY: Final = 0.5  # seconds; with the commit itself, under a second
BUSY_TIMEOUT: Final = 60.0  # seconds to wait for another process that writes
COLUMNS: Final = (
    "value",
    "std_error",
    "method",
    "n_evaluations",
    "n_modes",
    "khat",
    "ess",
    "mode",
    "linear",
    "warnings",
)
SCHEMA: Final = (
    "CREATE TABLE series (id INTEGER PRIMARY KEY, data TEXT NOT NULL, score TEXT NOT NULL, "
    "UNIQUE (data, score))",
    "CREATE TABLE evidence (series INTEGER NOT NULL REFERENCES series, node INTEGER NOT NULL, "
    "parents TEXT NOT NULL, value REAL, std_error REAL, method TEXT NOT NULL, "
    "n_evaluations INTEGER NOT NULL, n_modes INTEGER NOT NULL, khat REAL, ess REAL, "
    "mode BLOB NOT NULL, linear REAL, warnings TEXT NOT NULL, PRIMARY KEY (series, node, parents)) "
    "WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
FIND_SERIES: Final = "SELECT id FROM series WHERE data = ? AND score = ?"
ADD_SERIES: Final = "INSERT INTO series (data, score) VALUES (?, ?) ON CONFLICT DO NOTHING"
FIND: Final = (
    f"SELECT {', '.join(COLUMNS)} FROM evidence WHERE series = ? AND node = ? AND parents = ?"  # noqa: S608
)
# The key determines the evidence: who comes second has nothing new to say.
ADD: Final = (
    f"INSERT INTO evidence (series, node, parents, {', '.join(COLUMNS)}) "  # noqa: S608
    f"VALUES (?, ?, ?{', ?' * len(COLUMNS)}) ON CONFLICT DO NOTHING"
)


@dataclass(frozen=True)
class Source:
    """Where scores come from: the fingerprints of the data and of the score."""

    data: str
    score: str


@dataclass(frozen=True)
class _Entry:
    source: Source
    rows: list[tuple[Any, ...]]  # in the order of ADD, but the series


class Store:
    """Scores on disk; use it as a context manager.

    One thread commits what was put every half a second. What could not be written is kept and
    tried again; `flush` and `close` say so if it still cannot.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._waiting: SimpleQueue[_Entry] = SimpleQueue()
        self._unwritten: list[_Entry] = []  # taken from the queue; belongs to who holds _writing
        self._writing, self._reading, self._closing = Lock(), Lock(), Event()
        self._writer = _open(self.path)
        with _explained(self.path):
            self._reader = _connect(self.path)
        self._committer = Thread(target=self._keep_committing, name="gpnet-store", daemon=True)
        self._committer.start()

    def get_many(
        self, source: Source, node: Node, parent_sets: Iterable[Parents]
    ) -> dict[Parents, Evidence]:
        """Those of the node's sets that are stored; sees all that was flushed."""
        with self._reading:
            self._check_open()
            with _explained(self.path), self._reader:
                return self._found(source, node, parent_sets)

    def put(self, source: Source, node: Node, scored: Mapping[Parents, Evidence]) -> None:
        """Hand over scores to be written within a second; never waits for the disk."""
        self._check_open()
        rows = [(int(node), _text(parents), *_to_row(e)) for parents, e in scored.items()]
        self._waiting.put(_Entry(source, rows))

    def flush(self) -> None:
        """Write all that was put, now."""
        with self._writing:
            with suppress(Empty):
                while True:
                    self._unwritten.append(self._waiting.get_nowait())
            if self._unwritten:
                with _explained(self.path):
                    self._write(self._unwritten)
                self._unwritten = []

    def close(self) -> None:
        """Write the rest and let go of the file."""
        self._closing.set()
        self._committer.join()
        try:
            self.flush()
        finally:
            with self._reading:  # sqlite does not survive a reader whose connection is closed
                self._reader.close()
            self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _found(
        self, source: Source, node: Node, parent_sets: Iterable[Parents]
    ) -> dict[Parents, Evidence]:
        self._reader.execute("BEGIN")  # one snapshot, and faster than one for each set
        series = self._reader.execute(FIND_SERIES, (source.data, source.score)).fetchone()
        found = {}
        for parents in parent_sets if series else ():
            row = self._reader.execute(FIND, (*series, int(node), _text(parents))).fetchone()
            if row:
                found[parents] = _from_row(row)
        return found

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise StoreError(f"{self.path}: the store was closed; open it again")

    def _keep_committing(self) -> None:
        while not self._closing.wait(COMMIT_EVERY):
            with suppress(StoreError):  # kept, and told by the next flush if it lasts
                self.flush()

    def _write(self, entries: Iterable[_Entry]) -> None:
        with self._writer:
            self._writer.execute("BEGIN IMMEDIATE")
            for entry in entries:
                source = (entry.source.data, entry.source.score)
                self._writer.execute(ADD_SERIES, source)
                series = self._writer.execute(FIND_SERIES, source).fetchone()
                self._writer.executemany(ADD, [(*series, *row) for row in entry.rows])


@contextmanager
def temporary_store() -> Iterator[Store]:
    """A store for as long as it takes."""
    with TemporaryDirectory(prefix="gpnet-") as folder, Store(Path(folder) / "scores") as store:
        yield store


# Opening


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    # FULL: a commit survives a power cut too, at one fsync every half a second.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _open(path: Path) -> sqlite3.Connection:
    """A connection that can write, to a store of our own; a file of others is left as it is."""
    if os.path.isdir(path) or not os.path.isdir(path.absolute().parent):
        raise StoreError(f"{path}: expected a file in an existing folder; make it or name another")
    with _explained(path):
        connection = _connect(path)
        try:
            _check(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            with connection:
                connection.execute("BEGIN IMMEDIATE")  # fails here and now if nobody may write
                if _is_empty(connection):
                    for statement in SCHEMA:
                        connection.execute(statement)
        except BaseException:
            connection.close()
            raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if _is_empty(connection):
        return
    if _number(connection, "PRAGMA application_id") != APPLICATION:
        raise StoreError(f"{path}: a database of another program, left as it is; name another file")
    version = _number(connection, "PRAGMA user_version")
    if version != VERSION:
        raise StoreError(
            f"{path}: a store of version {version}, this gpnet reads version {VERSION}; "
            "update gpnet or name another file"
        )
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(" ".join(found.split()))


def _is_empty(connection: sqlite3.Connection) -> bool:
    return _number(connection, "SELECT count(*) FROM sqlite_master") == 0


def _number(connection: sqlite3.Connection, question: str) -> int:
    return int(connection.execute(question).fetchone()[0])


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say which file it is and what helps; sqlite says neither."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"{path}: cannot be used as a store ({error}); see that the file and its folder can "
            "be written, the disk has room and nobody else locks it, or name another file"
        ) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path}: damaged, or not a store of gpnet ({error}); it is left as it is: restore "
            "it from a copy, or move it away and the scores are computed again"
        ) from error


# Rows


def _text(parents: Parents) -> str:
    return " ".join(str(int(parent)) for parent in parents)


def _to_row(evidence: Evidence) -> tuple[Any, ...]:
    """In the order of COLUMNS; sqlite itself makes NULL of nan."""
    return (
        float(evidence.value),
        float(evidence.std_error),
        evidence.method,
        int(evidence.n_evaluations),
        int(evidence.n_modes),
        float(evidence.k_hat),
        float(evidence.ess),
        struct.pack(f"<{len(evidence.mode)}d", *evidence.mode),
        float(evidence.linear),
        json.dumps(evidence.warnings),
    )


def _from_row(row: tuple[Any, ...]) -> Evidence:
    fields = dict(zip(COLUMNS, row, strict=True))
    fields["k_hat"] = fields.pop("khat")  # as the column was called before the field
    for name in ("value", "std_error", "k_hat", "ess", "linear"):
        fields[name] = math.nan if fields[name] is None else fields[name]
    fields["mode"] = struct.unpack(f"<{len(fields['mode']) // 8}d", fields["mode"])
    fields["warnings"] = tuple(json.loads(fields["warnings"]))
    return Evidence(**fields)
