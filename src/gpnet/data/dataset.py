"""The door: a table is read and validated here, once.

To add a transform, write a function of a column and name it in `TRANSFORMS`.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import one_of, quote, suggestion
from gpnet.common.types import Floats
from gpnet.data import checks
from gpnet.data.issues import Column, Finding, as_column
from gpnet.data.readers import DELIMITERS, Raw, UnreadableError, read
from gpnet.data.transforms import TRANSFORMS

__all__ = ["Dataset", "check_table", "load_table"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of continuous measurements in which `load_table` found no error."""

    values: Floats  # (N, n), transformed, in the units of the table, read-only
    names: tuple[str, ...]
    transform: str = "none"
    warnings: tuple[Finding, ...] = ()

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def centre(self) -> Floats:
        """(n,): the mean of each column of values."""
        return self._standard.centre

    @property
    def scale(self) -> Floats:
        """(n,): the standard deviation, divisor N - 1, of each column of values."""
        return self._standard.scale

    def standardised(self) -> Floats:
        """(N, n): (values - centre) / scale, read-only."""
        return self._standard.values

    @cached_property
    def _standard(self) -> "_Standard":
        return _standardise(self.values)

    @cached_property
    def fingerprint(self) -> str:
        """One name for names, transform and values, the same on every machine."""
        head = json.dumps([self.names, self.transform, self.values.shape])
        return sha256(head.encode() + self.values.astype("<f8").tobytes("C")).hexdigest()

    def column(self, name: str) -> int:
        """Where the column of this name stands, from 0."""
        if name not in self.names:
            raise DataError(f"no column is called {quote(name)}: {suggestion(name, self.names)}")
        return self.names.index(name)


def load_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str = "none",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
) -> Dataset:
    """Read and validate a table; a DataError lists everything that is wrong, one a line.

    source is a .csv, .tsv or .parquet file, a pandas or polars frame, or a NumPy array (N, n)
    whose columns `names` names; `drop` names columns to leave out.
    """
    dataset, found = _examine(source, _Options(names, transform, delimiter, drop))
    if dataset is None:
        raise DataError("\n".join(f.sentence for f in found if f.level == "error"))
    return dataset


def check_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str = "none",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
) -> list[Finding]:
    """All that `load_table` with the same options would find, errors first."""
    return _examine(source, _Options(names, transform, delimiter, drop))[1]


def _examine(source: Any, options: "_Options") -> tuple[Dataset | None, list[Finding]]:
    options.check(source)
    if isinstance(source, Dataset):
        return source, list(source.warnings)
    try:
        raw = read(source, names=options.names, delimiter=options.delimiter)
    except UnreadableError as unreadable:
        return None, [unreadable.finding]
    columns = _keep(raw, options.dropped)
    values, found = _validate(columns, options.transform)
    found = sorted(checks.header(raw.labels) + found, key=lambda f: f.level == "warning")
    if any(finding.level == "error" for finding in found):
        return None, found
    names = tuple(column.name for column in columns)
    return Dataset(_read_only(values), names, options.transform, tuple(found)), found


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
        return tuple(map(_name, [drop] if isinstance(drop, str) else drop))

    def check(self, source: Any) -> None:
        _check_choice("transform", self.transform, TRANSFORMS)
        if self.delimiter is not None:
            _check_choice("delimiter", self.delimiter, DELIMITERS)
        if self.names is not None and not isinstance(self.names, Iterable):
            raise OptionError(f"names: one for each column, found {quote(self.names)}")
        if self.delimiter is not None and not isinstance(source, str | os.PathLike):
            raise OptionError("delimiter: only for a file of text")
        if self.names is not None and not isinstance(source, np.ndarray):
            raise OptionError("names: only for a NumPy array, any other table has its own")
        if isinstance(source, Dataset) and (
            self.dropped or self.transform not in ("none", source.transform)
        ):
            raise OptionError("transform, drop: give them when the Dataset is loaded, not after")


def _check_choice(option: str, value: object, choices: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{option} {quote(value)}: expected {one_of(choices)}")


# Transforms


# Validation


def _name(label: Any) -> str:
    """A label as text, white space around it taken off; one that is missing is no name."""
    missing = pd.api.types.is_scalar(label) and pd.isna(label)
    return "" if missing else str(label).strip()


def _keep(raw: Raw, drop: Sequence[str]) -> list[Column]:
    names = [_name(label) for label in raw.labels]
    for name in drop:
        if name not in names:
            raise OptionError(f"drop {quote(name)}: no such column, {suggestion(name, names)}")
    pairs = zip(names, raw.cells, strict=True)
    return [as_column(name, cells) for name, cells in pairs if name not in drop]


@dataclass(frozen=True)
class _Standard:
    """Columns standardised."""

    values: Floats  # (N, n), mean 0, sd 1
    centre: Floats  # (n,)
    scale: Floats  # (n,)
    spread: Floats  # (n,): scale over the largest magnitude, up to a factor of 2


def _standardise(values: Floats) -> _Standard:
    """Halve or double each column to a size near 1 first, so that no square leaves the floats."""
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    near_one = np.ldexp(values, -exponent)
    mean = near_one.mean(axis=0)
    centred = near_one - mean
    centred -= centred.mean(axis=0)  # the mean's own rounding, large beside a small spread
    spread = np.sqrt(np.sum(centred**2, axis=0) / (len(values) - 1))
    with np.errstate(all="ignore"):  # what does not come out finite is told as a finding
        arrays = centred / spread, np.ldexp(mean, exponent), np.ldexp(spread, exponent), spread
    return _Standard(*(_read_only(array) for array in arrays))


def _read_only(values: Floats) -> Floats:
    values.flags.writeable = False
    return values


def _validate(columns: Sequence[Column], transform: str) -> tuple[Floats, list[Finding]]:
    """The transformed values of the columns whose cells are sound, and all findings."""
    found = checks.shape(columns) + checks.names(columns)
    sound = []
    for column in columns:
        answers = [check(column) for check in checks.CELL_CHECKS]
        answers.append(checks.outside(column, transform, above=TRANSFORMS[transform].above))
        problems = [problem for problem in answers if problem]
        found += problems
        if not any(problem.level == "error" for problem in problems):
            sound.append(column)
    if not sound or len(sound[0].numbers) < 2:
        return np.empty((0, 0)), found
    # Adding 0 makes one value of -0 and 0, and always makes a copy.
    apply = TRANSFORMS[transform].apply
    transformed = [replace(column, numbers=apply(column.numbers) + 0.0) for column in sound]
    values = np.column_stack([column.numbers for column in transformed])
    return values, found + _validate_values(transformed, values, _tamers(sound, transform))


def _tamers(columns: Sequence[Column], transform: str) -> list[str]:
    """Transforms that would draw outliers in and that every column admits."""
    if transform != "none":
        return ["rank-normal"]
    lowest = min(column.numbers.min() for column in columns)
    return [name for name in ("log2", "rank-normal") if lowest > TRANSFORMS[name].above]


def _validate_values(
    columns: Sequence[Column], values: Floats, tamers: Sequence[str]
) -> list[Finding]:
    found, usable = [], {}
    standard = _standardise(values)
    for j, column in enumerate(columns):
        spread, scale = standard.spread[j], standard.scale[j]
        problem = checks.no_spread(column, spread=spread, scale=scale)
        if problem:
            found.append(problem)
            continue
        usable[j] = replace(column, numbers=standard.values[:, j])
        answers = [check(usable[j]) for check in checks.VALUE_CHECKS]
        answers.append(checks.outliers(usable[j], tamers))
        found += [problem for problem in answers if problem]
    same = checks.copies([columns[j] for j in usable])
    copied = {name for finding in same for name in finding.columns[1:]}
    distinct = [column for column in usable.values() if column.name not in copied]
    return found + same + checks.correlated(distinct)
