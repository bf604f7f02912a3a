"""The cells of a text file, as numbers where they are: eight bytes each, not an object."""

import csv
from array import array
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from math import nan
from typing import IO, Any, Final, TypeAlias

import numpy as np
import pandas as pd

Cell: TypeAlias = float | str | None  # None where it is missing

MISSING_WORDS: Final = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"}


def csv_reader(file: IO[bytes], delimiter: str) -> Any:
    """Rows of texts; blank lines at the end are none."""
    return csv.reader(
        _lines(file), delimiter=delimiter, skipinitialspace=delimiter != " ", strict=True
    )


def _lines(file: IO[bytes]) -> Iterator[str]:
    """Up to the last that is not blank, one by one: a file may be larger than memory."""
    blank: list[str] = []
    with TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        for line in text:
            if line.strip("\r\n"):
                yield from blank
                blank.clear()
                yield line
            else:
                blank.append(line)


def is_split_by(file: IO[bytes], delimiter: str) -> bool:
    """Whether every line has the same number of fields, and none is empty."""
    n_fields: set[int] = set()
    try:
        for row in csv_reader(file, delimiter):
            if not all(row):
                return False
            n_fields |= {len(row)} if row else set()
    except csv.Error:
        return False
    return len(n_fields) == 1


class TextCells:
    """Cells as they are read, row by row."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self.first: Sequence[Cell] = ()  # the first row
        self.ragged: dict[int, int] = {}  # fields of the lines that do not fit the header
        self.all_one_longer = self.all_end_empty = True
        self._numbers = array("d")
        self._odd: dict[int, list[Cell]] = {}  # by row, those with a cell that is no number
        self._n_rows = 0

    def add(self, row: list[str], *, line: int) -> None:
        """One more row; a blank line is none, but in a single column a missing value."""
        if not row and self.n_columns > 1:
            return
        row = row or [""]
        numbers = _numbers(row)
        cells: Sequence[Cell] = [_cell(text) for text in row] if numbers is None else numbers
        self.first = self.first or cells
        if len(cells) != self.n_columns:
            self.ragged[line] = len(cells)
        self.all_one_longer &= len(cells) == self.n_columns + 1
        self.all_end_empty &= cells[-1] is None
        if self.ragged:
            return  # there will be no table
        if numbers is None:
            self._odd[self._n_rows] = list(cells)
            numbers = [cell if isinstance(cell, float) else nan for cell in cells]
        self._numbers.extend(numbers)
        self._n_rows += 1

    def columns(self) -> list["pd.Series[Any]"]:
        """Of numbers, NaN where one is missing; of objects where one holds a text."""
        numbers = np.frombuffer(self._numbers, dtype=float).reshape(self._n_rows, self.n_columns)
        texts: dict[int, dict[int, str]] = {}  # by column, then row
        for row, cells in self._odd.items():
            for j, cell in enumerate(cells):
                if isinstance(cell, str):
                    texts.setdefault(j, {})[row] = cell
        return [_column(numbers[:, j], texts.get(j, {})) for j in range(self.n_columns)]


def _column(numbers: Any, texts: dict[int, str]) -> "pd.Series[Any]":
    if not texts:
        return pd.Series(numbers)
    cells = numbers.astype(object)
    cells[list(texts)] = list(texts.values())
    return pd.Series(cells)


def _numbers(row: list[str]) -> list[float] | None:
    """None where one of them is missing or no number."""
    try:  # Python would read 1_2, which may be a label, as 12
        return list(map(float, row)) if "_" not in "".join(row) else None
    except ValueError:
        return None


def _cell(text: str) -> Cell:
    if text.strip().lower() in MISSING_WORDS:
        return None
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text
