"""Any source of a table becomes a `Dataset`, or a list of all that is wrong with it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gpnet.common.errors import OptionError
from gpnet.common.messages import count, quote, suggestion
from gpnet.data import checks
from gpnet.data.blocks import changing_blocks
from gpnet.data.dataset import Dataset
from gpnet.data.gaps import Filled, checked_gaps, fill
from gpnet.data.interventions import of_frame, of_targets
from gpnet.data.issues import Column, Issue, as_column, column_name
from gpnet.data.readers import DELIMITERS, Raw, UnreadableError, read
from gpnet.data.roles import Wishes, assign, complete_rows, names_of, some_rows
from gpnet.data.row_order import resembling_rows
from gpnet.data.standardise import read_only
from gpnet.data.transforms import UNCHANGED, named_columns, transform_of, transform_text
from gpnet.data.validate import check_choice, refuse_errors, validate

IMPUTE: Final = "impute"
MISSING: Final = ("refuse", "rows", IMPUTE)


def load_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str | Mapping[str, str] = "auto",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
    keep: Iterable[str] | None = (),
    interventions: Any = None,
    exogenous: Iterable[str] | None = (),
    condition: str | None = None,
    model_discrete: Iterable[str] | None = (),
    missing: str = "refuse",
) -> Dataset:
    """Read and validate a table.

    Parameters
    ----------
    source : path, frame, array or Dataset
        A .csv, .tsv, .parquet or .xlsx file, a pandas or polars frame, or a NumPy array (N, n).
    names : sequence of str, optional
        Of the columns of an array.
    transform : str or mapping
        Of every column: "none", "log", "log2" (that is, log2(x + 0.5)) or "rank-normal"; "auto"
        leaves the table as it is, and lets `learn` take columns by ranks. Of some columns, the
        others as by default: "log2:A,B" or {"A": "log2", "B": "log2"}.
    delimiter : str, optional
        Of a text file; found out unless given.
    drop, keep : iterable of str
        Columns to leave out; or those to take, and no others.
    interventions : str, path, frame or array, optional
        Which variables an experimenter set in which rows: the name of a column whose cells name
        them (as in "A" or "A;B", empty for none), or a table of 0 and 1 with the same rows.
    exogenous : iterable of str
        Columns that nothing in the table drives and that are not modelled, such as batch, sex or
        dose; they may drive all others. Text, and columns of fewer than five values, are so anyway.
    condition : str, optional
        One more exogenous column, whose values are levels even if they are numbers.
    model_discrete : iterable of str
        Columns of fewer than five values that are modelled as measurements all the same.
    missing : str
        "refuse" cells without a value, leave out the "rows" that have any, or mark such cells for
        `learn` to "impute"; until then they hold values of other rows, drawn by chance.

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
    wishes = Wishes.of(exogenous, condition, model_discrete)
    transform = transform_text(transform)
    options = _Options(names, transform, delimiter, drop, keep, interventions, wishes, missing)
    dataset, found = _examine(source, options)
    refuse_errors(found)
    assert dataset is not None  # noqa: S101, as there are no errors
    return dataset


def check_table(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    transform: str | Mapping[str, str] = "auto",
    delimiter: str | None = None,
    drop: Iterable[str] | None = (),
    keep: Iterable[str] | None = (),
    interventions: Any = None,
    exogenous: Iterable[str] | None = (),
    condition: str | None = None,
    model_discrete: Iterable[str] | None = (),
    missing: str = "refuse",
) -> list[Issue]:
    """Find all that is wrong or odd with a table.

    Parameters
    ----------
    source, names, transform, delimiter, drop, keep
        As for `load_table`.
    interventions, exogenous, condition, model_discrete, missing
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
    wishes = Wishes.of(exogenous, condition, model_discrete)
    transform = transform_text(transform)
    options = _Options(names, transform, delimiter, drop, keep, interventions, wishes, missing)
    return _examine(source, options)[1]


def _examine(source: Any, options: "_Options") -> tuple[Dataset | None, list[Issue]]:
    options.check(source)
    if isinstance(source, Dataset):
        if (options.transform, source.transform) == ("none", "auto"):
            source = source._with(transform="none")
        return source, list(source.warnings)
    try:
        raw = read(source, names=options.names, delimiter=options.delimiter)
        table = _Table.of(raw, options)
    except UnreadableError as unreadable:
        return None, [unreadable.finding]
    roles = assign(table.names, table.cells, options.wishes)
    _check_transformed(options.transform, table.names, roles.exogenous)
    columns, were_set, left_out = _complete(roles.columns, table.were_set, options.missing)
    filled = Filled(columns, roles.levels)
    if options.missing == IMPUTE:
        filled = fill(columns, roles.levels, were_set)
        if any(finding.level == "error" for finding in filled.found):
            return None, checks.header(raw.labels) + filled.found
    columns = filled.columns
    with threadpool_limits(1):  # more threads wait for each other where others use the cores
        values, found = validate(columns, options.transform, roles.exogenous)
    found = checks.header(raw.labels) + roles.found + left_out + filled.found + found
    found += changing_blocks(values, columns, roles)
    found += resembling_rows(values, columns, roles, were_set)
    found = sorted(found, key=lambda f: f.level == "warning")
    if any(finding.level == "error" for finding in found):
        return None, found
    names = tuple(column.name for column in columns)
    data = Dataset._of_checked(
        read_only(filled.transformed(values, options.transform, roles.exogenous)),
        names,
        options.transform,
        tuple(found),
        exogenous=roles.exogenous,
        assumed=roles.assumed,
        levels=dict(filled.levels),
        gaps=checked_gaps(filled.gaps, values.shape),
        measured=_measured(filled, options.transform),
    )
    return data.with_interventions(were_set), found


def _check_transformed(transform: str, names: Sequence[str], exogenous: Sequence[str]) -> None:
    """Columns that are named to be transformed are there, and are measurements."""
    for name in named_columns(transform):
        if name not in names:
            raise OptionError(f"transform {quote(name)}: no such column, {suggestion(name, names)}")
        if name in exogenous:
            raise OptionError(
                f"transform {quote(name)}: is exogenous, and such columns are taken as they are"
            )


def _measured(filled: Filled, transform: str) -> NDArray[np.float64] | None:
    """(N, n): what the transform was of, nan in gaps; None where it changes nothing."""
    if all(transform_of(transform, column.name) in UNCHANGED for column in filled.columns):
        return None
    values = np.column_stack([column.numbers for column in filled.columns])
    return read_only(values if filled.gaps is None else np.where(filled.gaps, np.nan, values))


@dataclass(frozen=True)
class _Table:
    """The columns that are learnt from, and which of their cells were set."""

    names: list[str]
    cells: list["pd.Series[Any]"]
    were_set: NDArray[np.bool_] | None

    @classmethod
    def of(cls, raw: Raw, options: "_Options") -> "_Table":
        names = [column_name(label) for label in raw.labels]
        for option, chosen in {"drop": options.dropped, "keep": options.kept}.items():
            for name in chosen:
                if name not in names:
                    known = suggestion(name, names)
                    raise OptionError(f"{option} {quote(name)}: no such column, {known}")
        left_out = {name for name in names if options.kept and name not in options.kept}
        left_out |= {*options.dropped}
        given, targets = options.interventions, None
        if isinstance(given, str) and given in names:
            if given in options.dropped:
                raise OptionError(
                    f"interventions {quote(given)}: is dropped; leave out one of the two"
                )
            targets = raw.cells[names.index(given)]
            left_out.add(given)
        pairs = [(n, c) for n, c in zip(names, raw.cells, strict=True) if n not in left_out]
        kept = [name for name, _ in pairs]
        n_rows = len(raw.cells[0]) if raw.cells else 0
        were_set = (
            _of_other_table(given, kept, n_rows, names)
            if targets is None
            else of_targets(targets, str(given), kept)
        )
        return cls(kept, [cells for _, cells in pairs], were_set)


def _of_other_table(
    given: Any, names: Sequence[str], n_rows: int, known: Sequence[str]
) -> NDArray[np.bool_] | None:
    """From a frame, an array or a file of the table's shape."""
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        if not os.path.exists(given):
            raise OptionError(
                f"interventions {quote(given)}: neither a column nor a file; "
                f"{suggestion(given, known)}"
            )
        raw = read(given, names=None, delimiter=None)
        labels = [column_name(label) for label in raw.labels]
        columns = [as_column(n, c).numbers for n, c in zip(labels, raw.cells, strict=True)]
        given = pd.DataFrame(dict(zip(labels, columns, strict=True)))
    return of_frame(given, names, n_rows)


def _complete(
    columns: list[Column], were_set: NDArray[np.bool_] | None, missing: str
) -> tuple[list[Column], NDArray[np.bool_] | None, list[Issue]]:
    """Without the rows that lack a value, where that is asked for."""
    if missing != "rows" or not columns:
        return columns, were_set, []
    kept = complete_rows(columns)
    n_rows, n_left_out = len(kept), int((~kept).sum())
    if not n_left_out:
        return columns, were_set, []
    problem = f"{n_left_out:,} of {count(n_rows, 'row')} lack a value and are left out"
    remedy = "missing='impute' (--missing impute) keeps them"
    told = Issue("warning", "incomplete-rows", (), (), problem, remedy)
    fewer = None if were_set is None else were_set[kept]
    return [some_rows(column, kept) for column in columns], fewer, [told]


@dataclass(frozen=True)
class _Options:
    """What `load_table` and `check_table` are given beside the source."""

    names: Sequence[str] | None
    transform: str
    delimiter: str | None
    drop: Iterable[str] | None
    keep: Iterable[str] | None
    interventions: Any
    wishes: Wishes
    missing: str

    @cached_property  # an iterator can be read only once
    def dropped(self) -> tuple[str, ...]:
        return names_of("drop", self.drop)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return names_of("keep", self.keep)

    def check(self, source: Any) -> None:
        check_choice("missing", self.missing, MISSING)
        if self.delimiter is not None:
            check_choice("delimiter", self.delimiter, DELIMITERS)
        if self.names is not None and not isinstance(self.names, Iterable):
            raise OptionError(f"names: one for each column, found {quote(self.names)}")
        if self.delimiter is not None and not isinstance(source, str | os.PathLike):
            raise OptionError("delimiter: only for a file of text")
        if self.names is not None and not isinstance(source, np.ndarray):
            raise OptionError("names: only for a NumPy array, any other table has its own")
        if self.dropped and self.kept:
            raise OptionError("drop, keep: give one of the two")
        if isinstance(source, Dataset) and (
            self.dropped or self.kept or self.transform not in _allowed(source.transform)
        ):
            raise OptionError(
                "transform, drop, keep: give them when the Dataset is loaded, not after"
            )
        if isinstance(source, Dataset) and (
            self.interventions is not None or self.wishes != Wishes()
        ):
            raise OptionError(
                "interventions, exogenous, condition, model_discrete: give them when the Dataset "
                "is loaded, not after"
            )


def _allowed(transform: str) -> tuple[str, ...]:
    """What may be asked of a Dataset: its own transform; and the same values are none or auto."""
    return (transform, "auto", "none") if transform == "auto" else (transform, "auto")
