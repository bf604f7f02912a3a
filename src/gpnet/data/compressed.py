"""Compressed files, unfolded up to a limit: a small file may hold more than any memory.

A file that is not compressed has no limit: its size is what the user sees.
"""

import gzip
import zipfile
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, Final

MOST_UNFOLDED: Final = 100_000_000  # bytes: 10 000 rows of 500 columns as text
MOST_TIMES: Final = 10  # a Parquet file's own size, which it may unfold to however large it is
BYTES_PER_CELL: Final = 8
TEXT: Final = "BYTE_ARRAY"  # what Parquet calls texts


class UnfoldsTooFarError(Exception):
    """It holds more than is unfolded; the text says how much."""


def read_gzip(path: Path) -> bytes:
    """What the file holds; of one that holds too much, not more than the limit is unfolded."""
    with gzip.open(path) as file:
        content = file.read(MOST_UNFOLDED + 1)
    if len(content) > MOST_UNFOLDED:
        raise UnfoldsTooFarError(f"more than {megabytes(MOST_UNFOLDED)}")
    return content


def open_parquet(source: Any) -> Any:
    """The pyarrow file of one that holds no more than the limit, by what it says of itself.

    The limit is for small files that hold much; one of many measurements is itself as large.

    Texts are left as numbers into a list of the different ones: each may stand there a million
    times.
    """
    from pyarrow import parquet

    about = parquet.read_metadata(source)
    needed = max(_encoded(about), about.num_rows * about.num_columns * BYTES_PER_CELL)
    if needed > max(MOST_UNFOLDED, MOST_TIMES * source.seek(0, SEEK_END)):
        raise UnfoldsTooFarError(megabytes(needed))
    columns = [about.schema.column(j) for j in range(about.num_columns)]
    texts = [column.path for column in columns if column.physical_type == TEXT]
    source.seek(0)
    return parquet.ParquetFile(source, read_dictionary=texts)


def check_workbook(content: bytes) -> None:
    """Refuse an Excel file, which is a zip of texts, that holds more than the limit."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        needed = sum(member.file_size for member in archive.infolist())
    if needed > MOST_UNFOLDED:
        raise UnfoldsTooFarError(megabytes(needed))


def _encoded(about: Any) -> int:
    """Bytes of all columns, no longer compressed; values that repeat may still stand there once."""
    return sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))


def megabytes(n_bytes: int) -> str:
    """'0.3 MB', '2,400 MB'."""
    return f"{n_bytes / 1e6:,.{0 if n_bytes >= 1e7 else 1}f} MB"
