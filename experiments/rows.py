"""Rows in a CSV file, appended one by one: a killed run keeps those that it had made.

How long each took is in a file beside it, as that differs every time: the rows themselves
are the same whenever they are made.
"""

import csv
import os
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.experiment import Key, Row


class Rows:
    """The rows of a file; one that was being written when the run was killed is not there."""

    def __init__(self, path: Path, key_names: list[str]) -> None:
        self.path, self.key_names = path, key_names
        self.seconds_path = path.with_name(f"{path.stem}-seconds.csv")
        for one in (path, self.seconds_path):
            _cut_to_whole_lines(one)
        self._done = {tuple(row[name] for name in key_names) for row in _read(path)}

    def missing(self, keys: list[Key]) -> list[Key]:
        """Those that there is no row of yet."""
        return [key for key in keys if tuple(map(str, key.values())) not in self._done]

    def append(self, key: Key, measured: Row, seconds: float) -> None:
        """On the disk when this returns; the seconds first, so that every row has some."""
        _append(self.seconds_path, key | {"seconds": round(seconds, 3)})
        _append(self.path, key | measured)
        self._done.add(tuple(map(str, key.values())))

    def frame(self) -> pd.DataFrame:
        """All of them, each with its seconds."""
        rows = pd.read_csv(self.path)
        if not self.seconds_path.exists():
            return rows.assign(seconds=float("nan"))
        seconds = pd.read_csv(self.seconds_path).drop_duplicates(self.key_names, keep="last")
        return rows.merge(seconds, on=self.key_names, how="left")


def _append(path: Path, row: Row) -> None:
    """With a header if it is the first; else under the one that is there."""
    with path.open("a+", newline="", encoding="utf-8") as file:
        file.seek(0)
        header = next(csv.reader(file), None)
        writer = csv.DictWriter(file, fieldnames=header or list(row), lineterminator="\n")
        if header is None:
            writer.writeheader()
        writer.writerow(row)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _cut_to_whole_lines(path: Path) -> None:
    """A header without any row goes too: it is written with the first."""
    if not path.exists():
        return
    lines = path.read_bytes().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    kept = b"".join(whole) if len(whole) > 1 else b""
    if len(kept) < path.stat().st_size:
        os.truncate(path, len(kept))
