"""Rows in a CSV file, appended one by one: what a killed run leaves behind is what it had."""

import csv
import os
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.experiment import Key, Row


class Rows:
    """The rows of a file; one that was being written when the run was killed is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _cut_to_whole_lines(path)
        self._done = self._read()

    def missing(self, keys: list[Key]) -> list[Key]:
        """Those that there is no row of yet."""
        done = {tuple(row[name] for name in keys[0]) for row in self._done}
        return [key for key in keys if tuple(map(str, key.values())) not in done]

    def append(self, row: Row) -> None:
        """On the disk when this returns."""
        text = {name: str(value) for name, value in row.items()}
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(row), lineterminator="\n")
            if not self._done:
                writer.writeheader()
            writer.writerow(text)
            file.flush()
            os.fsync(file.fileno())
        self._done.append(text)

    def frame(self) -> pd.DataFrame:
        """All of them."""
        return pd.read_csv(self.path)

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
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
