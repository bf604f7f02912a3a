"""A table is read and validated here, once."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
import pandas as pd

from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import count, listing, one_of, printable, quote, suggestion
from gpnet.common.types import Floats
from gpnet.data import checks
from gpnet.data.issues import Column, Issue, as_column
from gpnet.data.readers import DELIMITERS, Raw, UnreadableError, read
from gpnet.data.transforms import TRANSFORMS

__all__ = ["Dataset", "check_table", "load_table"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of continuous measurements without errors, however it is made.

    Parameters
    ----------
    values : array, shape (N, n)
        Transformed, in the units of the table; kept as a read-only copy.
    names : sequence of str
        Of the columns.
    transform : str
        The transform that was applied, for the record: "none", "log", "log2" or "rank-normal".
    warnings : sequence of Issue
        What `check_table` would warn of; found anew unless given.

    Raises
    ------
    DataError
        Where `load_table` would find an error, with the remedy.

    Examples
    --------
    >>> import gpnet
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(50, 2))
    >>> gpnet.Dataset(values, ["height", "weight"])
    <Dataset of 50 rows, 2 variables: height and weight>
    """

    values: Floats
    names: tuple[str, ...]
    transform: str = "none"
    warnings: tuple[Issue, ...] = ()

    def __post_init__(self) -> None:
        _check_choice("transform", self.transform, TRANSFORMS)
        columns = _columns_of(self.values, self.names)
        values, found = _validate(columns, "none")  # the transform was applied before
        _refuse_errors(found)
        object.__setattr__(self, "values", _read_only(values))
        object.__setattr__(self, "names", tuple(column.name for column in columns))
        object.__setattr__(self, "warnings", tuple(self.warnings) or tuple(found))

    @classmethod
    def _of_checked(
        cls, values: Floats, names: tuple[str, ...], transform: str, warnings: tuple[Issue, ...]
    ) -> Self:
        """Without looking again at what was looked at."""
        data = object.__new__(cls)
        given = {"values": values, "names": names, "transform": transform, "warnings": warnings}
        for name, value in given.items():
            object.__setattr__(data, name, value)
        return data

    def __repr__(self) -> str:
        size = f"{count(self.n_rows, 'row')}, {count(self.n_variables, 'variable')}"
        return f"<Dataset of {size}: {printable(listing(self.names))}>"

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
        """The columns with mean 0 and standard deviation 1.

        Returns
        -------
        array, shape (N, n)
            (values - centre) / scale, read-only.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> data.standardised().std(axis=0, ddof=1).round(6)
        array([1., 1., 1.])
        """
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
        """Where a column stands.

        Parameters
        ----------
        name : str
            Of the column.

        Returns
        -------
        int
            Its number, from 0.

        Examples
        --------
        >>> import gpnet
        >>> gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame()).column("V2")
        1
        """
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
    """Read and validate a table.

    Parameters
    ----------
    source : path, frame, array or Dataset
        A .csv, .tsv or .parquet file, a pandas or polars frame, or a NumPy array (N, n).
    names : sequence of str, optional
        Of the columns of an array.
    transform : str
        Of every column: "none", "log", "log2" (that is, log2(x + 0.5)) or "rank-normal".
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
    _refuse_errors(found)
    assert dataset is not None  # noqa: S101, as there are no errors
    return dataset


def check_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str = "none",
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
    read_only = _read_only(values)
    return Dataset._of_checked(read_only, names, options.transform, tuple(found)), found


def _columns_of(values: Any, names: Iterable[Any]) -> list[Column]:
    """The columns of an array (N, n), named."""
    array, labels = np.asarray(values), tuple(names)
    if array.ndim != 2 or array.shape[1] != len(labels) or array.dtype.kind not in "fiu":
        raise DataError(
            f"expected an array of numbers with a column for each of {len(labels)} names, found "
            f"{array.dtype} of shape {array.shape}. Remedy: give values (N, n) and n names"
        )
    return [
        Column(_name(label), np.asarray(column, dtype=float))
        for label, column in zip(labels, array.T, strict=True)
    ]


def _refuse_errors(found: Sequence[Issue]) -> None:
    errors = [finding.sentence for finding in found if finding.level == "error"]
    if errors:
        raise DataError("\n".join(errors))


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


def _validate(columns: Sequence[Column], transform: str) -> tuple[Floats, list[Issue]]:
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
) -> list[Issue]:
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
