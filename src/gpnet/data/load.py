"""Any source of a table becomes a `Dataset`, or a list of all that is wrong with it."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.data import checks
from gpnet.data.dataset import Dataset
from gpnet.data.issues import Column, Issue, as_column
from gpnet.data.readers import DELIMITERS, Raw, UnreadableError, read
from gpnet.data.standardise import read_only
from gpnet.data.transforms import TRANSFORMS
from gpnet.data.validate import check_choice, column_name, refuse_errors, validate


def load_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str = "auto",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
) -> Dataset:
    """Read and validate a table.

    Parameters
    ----------
    source : path, frame, array or Dataset
        A .csv, .tsv or .parquet file, a pandas or polars frame, or a NumPy array (N, n).
    names : sequence of str, optional
        Of the columns of an array.
    transform : str
        Of every column: "none", "log", "log2" (that is, log2(x + 0.5)) or "rank-normal"; "auto"
        leaves the table as it is, and lets `learn` take columns by ranks.
    delimiter : str, optional
        Of a text file; found out unless given.
    drop : iterable of str
        Columns to leave out.

    Returns
    -------
    Dataset
        Ready to learn from.

    Raises
    ------
    DataError
        Lists everything that is wrong, one a line, each with column, rows and remedy.

    Examples
    --------
    >>> import gpnet
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(50, 3))
    >>> gpnet.load_table(values, names=["a", "b", "c"], drop=["b"])
    <Dataset of 50 rows, 2 variables: a and c>
    """
    dataset, found = _examine(source, _Options(names, transform, delimiter, drop))
    refuse_errors(found)
    assert dataset is not None  # noqa: S101, as there are no errors
    return dataset


def check_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str = "auto",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
) -> list[Issue]:
    """Find all that is wrong or odd with a table.

    Parameters
    ----------
    source, names, transform, delimiter, drop
        As for `load_table`.

    Returns
    -------
    list of Issue
        Errors first; each has `level`, `code`, `columns`, `rows`, `problem` and `remedy`.

    Examples
    --------
    >>> import gpnet
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(50, 2))
    >>> values[3, 1] = np.nan
    >>> [(found.code, found.columns, found.rows) for found in gpnet.check_table(values)]
    [('missing', ('V2',), (4,))]
    """
    return _examine(source, _Options(names, transform, delimiter, drop))[1]


def _examine(source: Any, options: "_Options") -> tuple[Dataset | None, list[Issue]]:
    options.check(source)
    if isinstance(source, Dataset):
        if (options.transform, source.transform) == ("none", "auto"):
            source = Dataset._of_checked(source.values, source.names, "none", source.warnings)
        return source, list(source.warnings)
    try:
        raw = read(source, names=options.names, delimiter=options.delimiter)
    except UnreadableError as unreadable:
        return None, [unreadable.finding]
    columns = _keep(raw, options.dropped)
    values, found = validate(columns, options.transform)
    found = sorted(checks.header(raw.labels) + found, key=lambda f: f.level == "warning")
    if any(finding.level == "error" for finding in found):
        return None, found
    names = tuple(column.name for column in columns)
    frozen = read_only(values)
    return Dataset._of_checked(frozen, names, options.transform, tuple(found)), found


@dataclass(frozen=True)
class _Options:
    """What `load_table` and `check_table` are given beside the source."""

    names: Sequence[str] | None
    transform: str
    delimiter: str | None
    drop: Iterable[str] | None

    @cached_property  # an iterator can be read only once
    def dropped(self) -> tuple[str, ...]:
        drop = () if self.drop is None else self.drop
        if not isinstance(drop, Iterable):
            raise OptionError(f"drop: the names of columns, found {quote(drop)}")
        return tuple(map(column_name, [drop] if isinstance(drop, str) else drop))

    def check(self, source: Any) -> None:
        check_choice("transform", self.transform, TRANSFORMS)
        if self.delimiter is not None:
            check_choice("delimiter", self.delimiter, DELIMITERS)
        if self.names is not None and not isinstance(self.names, Iterable):
            raise OptionError(f"names: one for each column, found {quote(self.names)}")
        if self.delimiter is not None and not isinstance(source, str | os.PathLike):
            raise OptionError("delimiter: only for a file of text")
        if self.names is not None and not isinstance(source, np.ndarray):
            raise OptionError("names: only for a NumPy array, any other table has its own")
        if isinstance(source, Dataset) and (
            self.dropped or self.transform not in _allowed(source.transform)
        ):
            raise OptionError("transform, drop: give them when the Dataset is loaded, not after")


def _allowed(transform: str) -> tuple[str, ...]:
    """What may be asked of a Dataset: its own transform; and the same values are none or auto."""
    return (transform, "auto", "none") if transform == "auto" else (transform, "auto")


def _keep(raw: Raw, drop: Sequence[str]) -> list[Column]:
    names = [column_name(label) for label in raw.labels]
    for name in drop:
        if name not in names:
            raise OptionError(f"drop {quote(name)}: no such column, {suggestion(name, names)}")
    pairs = zip(names, raw.cells, strict=True)
    return [as_column(name, cells) for name, cells in pairs if name not in drop]
