"""The store: scores in one sqlite file that survives a crash and checks itself.

An evidence is found again by the fingerprints of its data and its score, its node and its parents.
A row that is not what was written for its key is treated as missing: it is computed again, and
replaced. The file is in WAL mode: any number of processes may read, those that write take turns. It
has to lie on a local disk. `store_file` has its tables, `stored_row` what a row holds.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Final, Self, TypeAlias

from gpnet.common.errors import StoreError
from gpnet.common.messages import count
from gpnet.common.types import Node, Parents
from gpnet.gp.evidence import Evidence
from gpnet.runtime.store_file import PUT, connect, explained, open_store
from gpnet.runtime.stored_row import DamagedRowError, Key, Source, from_row, key_of, to_row

_Row: TypeAlias = tuple[bytes, int, str, str, bytes]  # key, evidence, checksum
COMMIT_EVERY: Final = 0.5  # seconds; with the commit itself, under a second
FIND: Final = (
    "SELECT evidence, checksum FROM evidence WHERE source = ? AND node = ? AND parents = ?"
)


class Store:
    """Scores on disk; use it as a context manager.

    One thread commits what was put every half a second. What could not be written is kept and
    tried again; `flush` and `close` say so if it still cannot.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._waiting: SimpleQueue[list[_Row]] = SimpleQueue()
        self._unwritten: list[_Row] = []  # taken from the queue; belongs to who holds _writing
        self._damaged: set[Key] = set()
        self._writing, self._reading, self._closing = Lock(), Lock(), Event()
        self._writer, self._mended = open_store(self.path)
        with explained(self.path):
            self._reader = connect(self.path)
        self._committer = Thread(target=self._keep_committing, name="gpnet-store", daemon=True)
        self._committer.start()

    def get_many(
        self, source: Source, node: Node, parent_sets: Iterable[Parents]
    ) -> dict[Parents, Evidence]:
        """Those of the node's sets that are stored and sound; sees all that was flushed."""
        with self._reading:
            self._check_open()
            with explained(self.path), self._reader:
                return self._found(source, node, parent_sets)

    def put(self, source: Source, node: Node, scored: Mapping[Parents, Evidence]) -> None:
        """Hand over scores to be written within a second; never waits for the disk."""
        self._check_open()
        rows = []
        for parents, evidence in scored.items():
            key = key_of(source, node, parents)
            rows.append((*key, *to_row(source, key, evidence)))
        self._waiting.put(rows)

    def flush(self) -> None:
        """Write all that was put, now."""
        with self._writing:
            with suppress(Empty):
                while True:
                    self._unwritten += self._waiting.get_nowait()
            if self._unwritten:
                with explained(self.path):
                    self._write(self._unwritten)
                self._unwritten = []

    @property
    def damage(self) -> tuple[str, ...]:
        """What could not be believed in the file, and was or will be computed again."""
        n, told = len(self._damaged), []
        if self._mended:
            told.append(f"the store of scores {self._mended}")
        if n:
            told.append(
                f"{count(n, 'row')} of the store of scores {'was' if n == 1 else 'were'} damaged: "
                f"{'this score' if n == 1 else 'these scores'} had to be computed again"
            )
        return tuple(told)

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
        found = {}
        for parents in parent_sets:
            key = key_of(source, node, parents)
            row = self._reader.execute(FIND, key).fetchone()
            try:
                if row:
                    found[parents] = from_row(source, key, row)
            except DamagedRowError:
                self._damaged.add(key)
        return found

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise StoreError(f"{self.path}: the store was closed; open it again")

    def _keep_committing(self) -> None:
        while not self._closing.wait(COMMIT_EVERY):
            with suppress(StoreError):  # kept, and told by the next flush if it lasts
                self.flush()

    def _write(self, rows: Iterable[_Row]) -> None:
        with self._writer:
            self._writer.execute("BEGIN IMMEDIATE")
            self._writer.executemany(PUT, rows)


@contextmanager
def temporary_store() -> Iterator[Store]:
    """A store for as long as it takes."""
    with TemporaryDirectory(prefix="gpnet-") as folder, Store(Path(folder) / "scores") as store:
        yield store
