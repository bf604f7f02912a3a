"""What a column is for: to be modelled, to account for, or to say what experimenters did.

Nothing in the table drives an exogenous column, and it has no score of its own; it may drive all
others. Text, truth values and categories can be nothing else, and columns of a handful of values
are no measurements either.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import (
    count,
    joined_names,
    leave_out,
    quote,
    quoted,
    suggestion,
)
from gpnet.data.checks import FEW_VALUES, looks_like_number
from gpnet.data.interventions import targets_of
from gpnet.data.issues import Column, Issue, as_column, column_name
from gpnet.data.undriven import is_sex

MOST_LEVELS: Final = 50  # of a categorical column: each costs a dimension of its kernel
MOST_DISTINCT: Final = 0.5  # of the rows: more different texts are labels, not levels
LONGEST: Final = 200  # letters in the name of a level
ASSUMED: Final = (  # what "exogenous" means where nobody said it
    "that nothing in the table drives {0} is only assumed, and so are the directions of arrows "
    "from {0}"
)
CODES: Final = ("categorical", "sex", "few-values")  # of warnings that assume it


def names_of(option: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """One name, several or none."""
    if given is None:
        return ()
    if not isinstance(given, Iterable):
        raise OptionError(f"{option}: the names of columns, found {quote(given)}")
    return tuple(map(column_name, [given] if isinstance(given, str) else given))


@dataclass(frozen=True)
class Wishes:
    """What the user says of columns; names as they stand in the table."""

    exogenous: tuple[str, ...] = ()
    condition: str | None = None  # one more, whose values are levels even if they are numbers
    model_discrete: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        exogenous: Iterable[str] | None,
        condition: str | None,
        model_discrete: Iterable[str] | None,
    ) -> "Wishes":
        """From what a user gives."""
        return cls(
            names_of("exogenous", exogenous),
            None if condition is None else column_name(condition),
            names_of("model_discrete", model_discrete),
        )

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that are not there, and those with two roles."""
        condition = () if self.condition is None else (self.condition,)
        asked = {"exogenous": self.exogenous, "condition": condition}
        asked["model_discrete"] = self.model_discrete
        for option, these in asked.items():
            for name in these:
                if name not in names:
                    raise OptionError(
                        f"{option} {quote(name)}: no such column, {suggestion(name, names)}"
                    )
        for name in self.model_discrete:
            if name in (*self.exogenous, *condition):
                raise OptionError(
                    f"{quote(name)} is to be modelled and exogenous; leave out one of the two"
                )


@dataclass(frozen=True)
class Assigned:
    """Columns as numbers, and the roles of those that are not modelled."""

    columns: list[Column]
    exogenous: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()  # those of which the user did not say so
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    found: list[Issue] = field(default_factory=list)  # what has to be told about it


def assign(names: Sequence[str], cells: Sequence["pd.Series[Any]"], wishes: Wishes) -> Assigned:
    """Each column as numbers, with its role."""
    wishes.check(names)
    columns, levels, found = [], {}, []
    few: list[str] = []
    asked = {*wishes.exogenous, *([wishes.condition] if wishes.condition else [])}
    for name, these in zip(names, cells, strict=True):
        if name not in asked and _names_others(name, these, names):
            found.append(_told_targets(name))
            continue
        column = as_column(name, these)
        if name == wishes.condition or _is_categorical(column, these):
            column, levels[name], problem = _as_levels(name, these)
            found += [problem] if problem else []
            if name not in asked and not problem:
                told = _told_sex(name) if is_sex(name) else _told_text(name, len(levels[name]))
                found.append(told)
        elif name not in asked and name not in wishes.model_discrete and _has_few_values(column):
            few.append(name)
        columns.append(column)
    found += [_told_sex(name) for name in few if is_sex(name)]
    if others := [name for name in few if not is_sex(name)]:
        found.append(_told_few(others))
    chosen = tuple(name for name in names if name in asked or name in levels or name in few)
    assumed = tuple(name for name in chosen if name not in asked)
    return Assigned(columns, chosen, assumed, levels, found)


def _is_categorical(column: Column, cells: "pd.Series[Any]") -> bool:
    """No cell is a number, none looks like one that was written in another way, and they repeat."""
    if not column.strange or np.isfinite(column.numbers).any() or not column.name:
        return False
    if not all(isinstance(cell, str | bool | np.bool_) for cell in column.strange.values()):
        return False
    distinct = set(column.strange.values())
    if len(distinct) < 2:
        return False
    if (
        len(distinct) > MOST_DISTINCT * len(cells)
        or max(len(str(one)) for one in distinct) > LONGEST
    ):
        return False  # labels of the rows, or notes
    return not any(looks_like_number(str(one)) for one in distinct)


def _has_few_values(column: Column) -> bool:
    """A handful, but more than one, which is an error of its own."""
    known = column.numbers[np.isfinite(column.numbers)]
    return not column.strange and len(known) > FEW_VALUES and 1 < len(np.unique(known)) < FEW_VALUES


def _as_levels(name: str, cells: "pd.Series[Any]") -> tuple[Column, tuple[str, ...], Issue | None]:
    """Numbers 0, 1, ... by the order of the levels' names; missing cells stay missing."""
    named: dict[Any, str | None] = {}  # each text once, however often it stands there
    for cell in cells.astype(object):
        if cell not in named:
            named[cell] = None if pd.isna(cell) else level_name(cell)
    texts = [named[cell] for cell in cells.astype(object)]
    known = pd.Series([text for text in texts if text is not None], dtype=object)
    levels = tuple(sorted(set(known), key=_natural))
    place = {level: float(i) for i, level in enumerate(levels)}
    numbers = np.array([np.nan if text is None else place[text] for text in texts])
    return Column(name, numbers), levels, _problem(name, levels, known)


def level_name(cell: object) -> str:
    """What a cell of a categorical column is called."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers in their own order, before all other texts."""
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text


def _problem(name: str, levels: tuple[str, ...], cells: "pd.Series[Any]") -> Issue | None:
    if len(levels) > MOST_LEVELS:
        problem = (
            f"column {quote(name)} has {len(levels):,} levels, more than the {MOST_LEVELS} that a "
            "categorical column may have"
        )
        return Issue(
            "error", "many-levels", (name,), (), problem, f"merge them, or {leave_out(name)}"
        )
    once = [level for level, n in cells.value_counts().items() if n == 1]
    if once and len(levels) > 1:
        seen = "is" if len(once) == 1 else "are"
        problem = (
            f"column {quote(name)}: {count(len(once), 'level')} of {len(levels)} {seen} seen once "
            f"({quoted(sorted(map(str, once)))}), which says nothing about what a level does"
        )
        remedy = f"merge it with another, leave out its row, or {leave_out(name)}"
        return Issue("error", "rare-level", (name,), (), problem, remedy)
    return None


def _told_text(name: str, n_levels: int) -> Issue:
    problem = (
        f"column {quote(name)} is categorical ({count(n_levels, 'level')}) and taken as exogenous: "
        f"{ASSUMED.format('it')}"
    )
    remedy = f"{_say_so(name)}, or {leave_out(name)}"
    return Issue("warning", "categorical", (name,), (), problem, remedy)


def _told_sex(name: str) -> Issue:
    problem = (
        f"column {quote(name)} looks like a sex and is taken as exogenous: {ASSUMED.format('it')}"
    )
    remedy = f"{_say_so(name)}, or {leave_out(name)}"
    return Issue("warning", "sex", (name,), (), problem, remedy)


def _say_so(name: str) -> str:
    return f"if that is right, say so (exogenous= or --exogenous {quote(name)})"


def _told_few(names: Sequence[str]) -> Issue:
    many = len(names) > 1
    it, given = "them" if many else "it", shlex.quote(joined_names(names))
    problem = (
        f"column{'s' * many} {quoted(names)} {'have' if many else 'has'} fewer than {FEW_VALUES} "
        f"distinct values and {'are' if many else 'is'} taken as exogenous: {ASSUMED.format(it)}"
    )
    remedy = (
        f"if that is right, say so (exogenous= or --exogenous {given}); if something may drive "
        f"{it}, model {it} (model_discrete= or --model-discrete {given}), or leave {it} out "
        "(drop= or --drop)"
    )
    return Issue("warning", "few-values", tuple(names), (), problem, remedy)


def complete_rows(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """(N,): rows in which no column lacks a value."""
    return np.asarray(~np.logical_or.reduce([column.empty for column in columns]))


def some_rows(column: Column, kept: NDArray[np.bool_]) -> Column:
    """The same column of fewer rows."""
    place = np.cumsum(kept) - 1
    strange = {int(place[row]): cell for row, cell in column.strange.items() if kept[row]}
    return Column(column.name, column.numbers[kept], strange)


def _names_others(name: str, cells: "pd.Series[Any]", names: Sequence[str]) -> bool:
    """Whether every cell that holds anything names other columns."""
    if pd.api.types.is_any_real_numeric_dtype(cells.dtype):
        return False
    texts = {cell for cell in cells.astype(object) if isinstance(cell, str)}
    targets = {target for text in texts for target in targets_of(text)}
    return bool(targets) and targets <= set(names) - {name}


def _told_targets(name: str) -> Issue:
    problem = (
        f"the cells of column {quote(name)} name other columns, as if these were set in its rows"
    )
    remedy = (
        f"if so, interventions={name!r} (--interventions {name}); if it is a label of the rows, "
        f"exogenous={[name]!r} (--exogenous {name}); or {leave_out(name)}"
    )
    return Issue("error", "interventions", (name,), (), problem, remedy)
