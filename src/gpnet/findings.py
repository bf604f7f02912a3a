"""What is found in a table, and the words to tell it with; may import types."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from gpnet.types import Floats

Level: TypeAlias = Literal["error", "warning"]

SHOWN = 5  # rows or names told before "and ... more"
JOINING = "\u00a0\u200d"  # a space that does not break, and what joins emoji: no harm in them


@dataclass(frozen=True)
class Finding:
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


@dataclass(frozen=True)
class Column:
    """One column as numbers, with what is not a number kept as it was."""

    name: str
    numbers: Floats  # (N,), NaN where there is no number
    strange: Mapping[int, object] = field(default_factory=dict)  # cells that are no number, by row


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


# Words


def listing(items: Iterable[object]) -> str:
    """'a', 'a and b', 'a, b and c', 'a, b, c, d, e and 12 more'."""
    words = [str(item) for item in items]
    if len(words) > SHOWN + 1:
        words = [*words[:SHOWN], f"{len(words) - SHOWN} more"]
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def quote(text: object, *, longest: int = 60) -> str:
    """The text in quotes and on one line, whatever it holds."""
    plain = str(text)
    return repr(plain if len(plain) <= longest else plain[: longest - 3] + "...")


def printable(text: object) -> str:
    """The text on one line, with what a terminal would obey written out as \\x1b and the like."""
    return "".join(c if c.isprintable() or c in JOINING else repr(c)[1:-1] for c in str(text))


def quoted(names: Iterable[object]) -> str:
    """A listing of names."""
    return listing(quote(name) for name in names)


def count(n: int, thing: str) -> str:
    """'1 row', '2,000 rows'."""
    return f"{n} {thing}" if n == 1 else f"{n:,} {thing}s"


def one_of(choices: Iterable[str]) -> str:
    """What an option may be."""
    return "one of " + ", ".join(map(repr, choices))


def leave_out(name: str) -> str:
    """How to leave a column out, in Python and in the shell."""
    return f"leave {quote(name)} out (drop= or --drop)"


def suggestion(name: object, known: Sequence[str]) -> str:
    """What an unknown name may have meant: the close ones, or else all."""
    close = get_close_matches(str(name), known)
    return f"did you mean {quoted(close)}?" if close else f"there is {quoted(known)}"


def whole(code: str, problem: str, *, remedy: str) -> Finding:
    """An error of the table as a whole."""
    return Finding("error", code, (), (), problem, remedy)


def in_rows(
    column: Column,
    rows: Sequence[int],
    *,
    code: str,
    what: str,
    remedy: str,
    level: Level = "error",
) -> Finding:
    """A finding in some rows, here counted from 0, of one column."""
    shown = [row + 1 for row in rows]
    where = f"{'row' if len(shown) == 1 else 'rows'} {listing(shown)}"
    problem = f"column {quote(column.name)}: {what} ({where})"
    return Finding(level, code, (column.name,), tuple(shown[:SHOWN]), problem, remedy)
