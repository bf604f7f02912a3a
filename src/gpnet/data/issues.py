"""What may be wrong with a table: where it is, and the remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.messages import SHOWN, listing, quote
from gpnet.common.types import Floats

MANY_ALIKE: Final = 1  # further findings of a kind, that are told together
MANY_RELATED: Final = 2  # the same, where each names columns that it goes with
Level: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True)
class Issue:
    """One thing to know about a table, and what to do about it."""

    level: Level
    code: str  # short, for programs: "missing", "copy", ...
    columns: tuple[str, ...]
    rows: tuple[int, ...]  # the first few, counted from 1 without the header
    problem: str
    remedy: str

    @property
    def sentence(self) -> str:
        """The problem and its remedy, without the level."""
        return f"{self.problem}. Remedy: {self.remedy}."

    def __str__(self) -> str:
        return f"{self.level}: {self.sentence}"


def grouped(findings: Sequence[Issue]) -> list[Issue]:
    """What is said of many columns is said once: in full of the first, of the others by name.

    Not where the remedies differ in more than the names of the columns.
    """
    kinds: dict[tuple[str, ...], list[Issue]] = {}
    for finding in findings:
        kinds.setdefault((finding.level, finding.code, _nameless(finding)), []).append(finding)
    told = []
    for alike in kinds.values():
        first, others = alike[0], [one.columns for one in alike[1:]]
        single = all(len(one.columns) == 1 for one in alike)
        if len(others) < (MANY_ALIKE if single else MANY_RELATED) or not all(others):
            told += alike
            continue
        names = list(dict.fromkeys(columns[0] for columns in others))
        problem = f"{first.problem}; and much the same of {listing(list(map(quote, names)))}"
        every = tuple(dict.fromkeys(name for one in alike for name in one.columns))
        told.append(replace(first, problem=problem, columns=every))
    return told


def _nameless(finding: Issue) -> str:
    """Its remedy without the names of its columns."""
    text = finding.remedy
    for name in sorted(filter(None, finding.columns), key=len, reverse=True):
        text = text.replace(quote(name), "").replace(f":{name}'", ":'")
    return text


@dataclass(frozen=True)
class Column:
    """One column as numbers, with what is not a number kept as it was."""

    name: str
    numbers: Floats  # (N,), NaN where there is no number
    strange: Mapping[int, object] = field(default_factory=dict)  # cells that are no number, by row

    @property
    def empty(self) -> NDArray[np.bool_]:
        """(N,): cells with nothing in them; texts among numbers are errors, not gaps."""
        found = np.isnan(self.numbers)
        found[list(self.strange)] = False
        return found


def column_name(label: Any) -> str:
    """A label as text, white space around it taken off; one that is missing is no name."""
    missing = pd.api.types.is_scalar(label) and pd.isna(label)
    return "" if missing else str(label).strip()


def as_column(name: str, cells: "pd.Series[Any]") -> Column:
    """The cells of a pandas Series of any type."""
    if pd.api.types.is_any_real_numeric_dtype(cells.dtype):
        with np.errstate(over="ignore"):  # a long double beyond the floats becomes infinite
            return Column(name, cells.to_numpy(dtype=np.float64, na_value=np.nan))
    numbers = np.full(len(cells), np.nan)
    strange = {}
    for row, cell in enumerate(cells.astype(object)):
        number = _as_number(cell)
        if number is None:
            strange[row] = cell
        else:
            numbers[row] = number
    return Column(name, numbers, strange)


def _as_number(cell: Any) -> float | None:
    """NaN where the cell is missing, None where it holds something else than a number."""
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return np.nan
    if not isinstance(cell, Real | Decimal) or isinstance(cell, bool | np.timedelta64):
        return None
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell == abs(cell) else -np.inf
    except ValueError:  # Decimal("sNaN")
        return np.nan


def whole(code: str, problem: str, *, remedy: str) -> Issue:
    """An error of the table as a whole."""
    return Issue("error", code, (), (), problem, remedy)


def in_rows(
    column: Column,
    rows: Sequence[int],
    *,
    code: str,
    what: str,
    remedy: str,
    level: Level = "error",
) -> Issue:
    """A finding in some rows, here counted from 0, of one column."""
    shown = [row + 1 for row in rows]
    where = f"{'row' if len(shown) == 1 else 'rows'} {listing(shown)}"
    problem = f"column {quote(column.name)}: {what} ({where})"
    return Issue(level, code, (column.name,), tuple(shown[:SHOWN]), problem, remedy)
