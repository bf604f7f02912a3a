"""Any source becomes labels and columns of cells.

Nothing is judged here but whether there is a table at all.
"""

import csv
import os
import sys
import zlib
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import count, one_of, quote
from gpnet.data.compressed import (
    MOST_UNFOLDED,
    UnfoldsTooFarError,
    check_workbook,
    megabytes,
    open_parquet,
    read_gzip,
)
from gpnet.data.issues import whole
from gpnet.data.text_cells import TextCells, csv_reader, is_split_by

ENDINGS: Final = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}  # each also with .gz
DELIMITERS: Final = {**{d: d for d in ",;\t|: "}, "\\t": "\t", "tab": "\t"}
WORKBOOKS: Final = (".xlsx", ".xlsm")
SPREADSHEETS: Final = {".xls", ".ods"}
STANDARD_INPUT: Final = "-"
BYTES_AT_ONCE: Final = 2**20

Opener: TypeAlias = Callable[[], IO[bytes]]  # of a file, from its beginning


@dataclass(frozen=True)
class Raw:
    """A table as it was given, nothing checked."""

    labels: Sequence[object]  # as given: they need not be texts, nor differ
    cells: Sequence["pd.Series[Any]"]  # one for each label


class UnreadableError(Exception):
    """No table could be made of the source; the finding says why."""

    def __init__(self, problem: str, remedy: str, *, code: str = "unreadable") -> None:
        self.finding = whole(code, problem, remedy=remedy)


def read(source: Any, *, names: Sequence[str] | None, delimiter: str | None) -> Raw:
    """The table of a path, a pandas or polars frame, or an array whose columns `names` names.

    One that was read before is taken as it is.
    """
    if isinstance(source, Raw):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(os.fsdecode(source)), delimiter)
    if isinstance(source, pd.DataFrame):
        return _read_pandas(source)
    if isinstance(source, np.ndarray):
        return _read_array(source, names)
    return _read_frame(source)


def _read_pandas(frame: pd.DataFrame) -> Raw:
    return Raw(list(frame.columns), [frame.iloc[:, j] for j in range(frame.shape[1])])


def _read_array(array: NDArray[Any], names: Sequence[str] | None) -> Raw:
    if array.ndim != 2:
        problem = f"the array has the shape {array.shape}"
        raise UnreadableError(problem, "give an array of shape (rows, columns)", code="shape")
    labels = [f"V{j + 1}" for j in range(array.shape[1])] if names is None else list(names)
    if len(labels) != array.shape[1]:
        raise OptionError(f"names: {len(labels)} for {array.shape[1]} columns of the array")
    if not isinstance(array, np.ma.MaskedArray):
        array = np.asarray(array)  # a column of a np.matrix would be a matrix again
    if array.dtype.kind in "mM":  # as objects, nanoseconds would become plain integers
        array = array.astype(str)
    cells = array if array.dtype.kind in "biuf" else array.astype(object)
    return Raw(labels, [pd.Series(cells[:, j]) for j in range(array.shape[1])])


def _read_frame(source: Any) -> Raw:
    try:
        frame = nw.from_native(source, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return Raw(frame.columns, [_cells(column) for column in frame.iter_columns()])
    except Exception as failure:  # a frame's own library may raise almost anything
        problem = f"the {type(source).__name__} cannot be read: {quote(failure)}"
        remedy = "give every column a name of its own, or give a pandas DataFrame"
        raise UnreadableError(problem, remedy) from failure
    problem = f"a {type(source).__name__} is not a table that gpnet can read"
    remedy = "give the path of a file, a pandas or polars DataFrame, or a NumPy array"
    raise UnreadableError(problem, remedy)


def _cells(column: "nw.Series[Any]") -> "pd.Series[Any]":
    if column.dtype.is_numeric() and not column.dtype.is_decimal():
        # By way of a list, as Arrow refuses to cast integers that a float rounds.
        return pd.Series(np.array(column.to_list(), dtype=np.float64))
    return pd.Series(column.to_list(), dtype=object)


# Files


def _read_file(path: Path, delimiter: str | None) -> Raw:
    if str(path) == STANDARD_INPUT:
        return _read_standard_input(path, delimiter)
    opened = _opener(path)
    ending = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if ending == ".parquet":
        return _read_parquet(path, opened)
    if ending in WORKBOOKS:
        return _read_workbook(path, opened)
    if delimiter is None and ending not in ENDINGS:
        known = one_of([*ENDINGS, ".parquet", ".xlsx"])
        remedy = f"save it as {known}, or give delimiter= (--delimiter)"
        if ending in SPREADSHEETS:
            remedy = "export the sheet as CSV (in Excel: 'CSV UTF-8')"
        raise _unreadable(path, f"its ending {ending!r} is not known", remedy=remedy)
    return _read_text(path, opened, delimiter=DELIMITERS[delimiter or ENDINGS[ending]])


def _read_standard_input(path: Path, delimiter: str | None) -> Raw:
    """Text that another command writes, as in `zcat cells.csv.gz | gpnet check -`."""
    content = sys.stdin.buffer.read()
    return _read_text(path, partial(BytesIO, content), delimiter=DELIMITERS[delimiter or ","])


def _unreadable(path: Path, reason: object, *, remedy: str, code: str = "unreadable") -> Exception:
    problem = f"file {quote(path, longest=300)} cannot be read: {reason}"
    return UnreadableError(problem, remedy, code=code)


def _opener(path: Path) -> Opener:
    """A plain file is read as often as need be, and never held as a whole."""
    try:
        if path.suffix.lower() == ".gz":
            return partial(BytesIO, read_gzip(path))
        if path.exists() and not path.is_file():  # as of a pipe, which can be read once
            return partial(BytesIO, path.read_bytes())
        with path.open("rb") as file:
            file.read(1)
    except UnfoldsTooFarError as failure:
        raise _too_large(path, failure, remedy="unpack it first (gunzip)") from None
    except (OSError, EOFError, ValueError, zlib.error) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise _unreadable(path, reason, remedy="check the path and the file") from failure
    return lambda: path.open("rb")


def _too_large(path: Path, needed: object, *, remedy: str) -> Exception:
    """Of a compressed file; `needed` is what it unfolds to."""
    reason = (
        f"its {megabytes(path.stat().st_size)} unfold to {needed}; compressed files are unfolded "
        f"up to {megabytes(MOST_UNFOLDED)}"
    )
    remedy += " if it is meant to hold so much: plain text is read whatever its size"
    return _unreadable(path, reason, remedy=remedy, code="too-large")


def _read_parquet(path: Path, opened: Opener) -> Raw:
    try:
        with opened() as file:
            table = open_parquet(file).read()
        # Each column is let go as soon as it is taken over.
        return _read_pandas(table.to_pandas(split_blocks=True, self_destruct=True))
    except UnfoldsTooFarError as failure:
        raise _too_large(path, failure, remedy="save it as .csv") from None
    except ImportError as failure:
        reason = "reading Parquet needs pyarrow"
        raise _unreadable(path, reason, remedy="pip install 'gpnet[parquet]'") from failure
    except Exception as failure:  # a damaged file makes pyarrow raise almost anything
        reason = f"it is not a sound Parquet file ({quote(failure)})"
        raise _unreadable(path, reason, remedy="write it anew, or as .csv") from failure


def _read_workbook(path: Path, opened: Opener) -> Raw:
    """The first sheet of an Excel workbook; its first row has the names."""
    try:
        import openpyxl

        with opened() as file:
            content = file.read()
        check_workbook(content)
        book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
        rows = [row for row in book.worksheets[0].iter_rows(values_only=True) if _any_cell(row)]
    except UnfoldsTooFarError as failure:
        raise _too_large(path, failure, remedy="save it as .csv") from None
    except ImportError as failure:
        reason = "reading Excel needs openpyxl"
        remedy = "pip install 'gpnet[excel]', or export the sheet as CSV"
        raise _unreadable(path, reason, remedy=remedy) from failure
    except Exception as failure:  # a damaged file makes openpyxl raise almost anything
        reason = f"it is not a sound Excel workbook ({quote(failure)})"
        raise _unreadable(path, reason, remedy="save it anew, or as .csv") from failure
    if not rows:
        raise _unreadable(path, "its first sheet is empty", remedy="put the table there")
    width = max(k + 1 for row in rows for k, cell in enumerate(row) if cell is not None)
    table = [[*row, *[None] * width][:width] for row in rows]
    columns = [pd.Series(list(column), dtype=object) for column in zip(*table[1:], strict=True)]
    return Raw(table[0], columns or [pd.Series([], dtype=object)] * width)


def _any_cell(row: Sequence[Any]) -> bool:
    """Whether a row of a sheet holds anything."""
    return any(cell is not None for cell in row)


def _check_encoding(path: Path, opened: Opener) -> None:
    remedy = "save it as text in UTF-8 (in Excel: 'CSV UTF-8')"
    decoder = getincrementaldecoder("utf-8")()
    line, line_of_nul = 1, None
    with opened() as file:
        more = True
        while more:
            some = file.read(BYTES_AT_ONCE)
            more = bool(some)
            try:
                decoder.decode(some, final=not more)
            except UnicodeDecodeError as failure:
                line += failure.object.count(b"\n", 0, failure.start)
                reason = f"line {line} is not text in UTF-8"
                raise _unreadable(path, reason, remedy=remedy) from failure
            if line_of_nul is None and b"\0" in some:
                line_of_nul = line + some.count(b"\n", 0, some.index(b"\0"))
            line += some.count(b"\n")
    if line_of_nul is not None:
        reason = f"line {line_of_nul} holds a NUL byte, as in a binary file"
        raise _unreadable(path, reason, remedy=remedy)


def _read_text(path: Path, opened: Opener, *, delimiter: str) -> Raw:
    """Python's own csv keeps names as they are written, and numbers exact."""
    _check_encoding(path, opened)
    with opened() as file:
        reader = csv_reader(file, delimiter)
        try:
            header: list[str] = next((row for row in reader if row), [])
            cells = TextCells(len(header))
            for row in reader:
                cells.add(row, line=reader.line_num)
        except csv.Error as failure:
            reason = f"line {reader.line_num}: {failure}"
            raise _unreadable(path, reason, remedy="check the quotes up to this line") from failure
    if len(header) == 1 and cells.first:
        first = "".join(map(str, cells.first))
        _check_delimiter(path, opened, header[0], first=first, used=delimiter)
    _check_fields(path, cells)
    return Raw(header, cells.columns())


def _check_delimiter(path: Path, opened: Opener, name: str, *, first: str, used: str) -> None:
    """One column whose name and first cell both hold another delimiter was not split."""
    found = [d for d in DELIMITERS.values() if d != used and d in name and d in first]
    if not found:
        return
    reason = f"its one column {quote(name)} looks delimited by {found[0]!r}"
    remedy = f"give delimiter={found[0]!r} (--delimiter)"
    with opened() as file:
        by_spaces = is_split_by(file, " ")
    if found[0] == " " and not by_spaces:
        reason = f"its one column {quote(name)} looks like several, aligned with spaces"
        remedy = "put one delimiter, such as a comma or a tab, between the fields"
    raise _unreadable(path, reason, remedy=remedy, code="delimiter")


def _check_fields(path: Path, cells: TextCells) -> None:
    if not cells.ragged:
        return
    line, n_fields = next(iter(cells.ragged.items()))
    reason = f"line {line} has {count(n_fields, 'field')} where the header has {cells.n_columns}"
    if len(cells.ragged) > 1:
        reason += f"; {len(cells.ragged)} lines in all do not fit"
    remedy = "give every line as many fields as the header; put fields with commas in quotes"
    if cells.all_one_longer:
        reason = "the header is one field short of every row, as when R writes row names"
        remedy = "write it with row.names=FALSE (in R: write.csv), or name the first column"
        if cells.all_end_empty:
            reason = "every row ends in a delimiter that the header lacks"
            remedy = "take the delimiter off the end of each row"
    raise _unreadable(path, reason, remedy=remedy, code="ragged")
