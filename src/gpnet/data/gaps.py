"""Cells without a value: where they are, and what stands there to begin with.

At first each takes the value of another row, drawn by chance from the known cells of its column:
that keeps the column's distribution and breaks its relations. `learn` draws them anew, given what
is known of their rows, before it looks at any relation (`inference/imputation.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import DataError
from gpnet.common.messages import SHOWN, count, leave_out, listing, quote, quoted
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue
from gpnet.data.standardise import read_only
from gpnet.data.transforms import TRANSFORMS, transform_of

LEAST_KNOWN: Final = 10  # cells of a column that others are drawn from
MISSING_LEVEL: Final = "(missing)"
INSTEAD: Final = "missing='rows' (--missing rows) leaves out their rows instead"


@dataclass(frozen=True)
class Filled:
    """A table without empty cells."""

    columns: list[Column]
    levels: Mapping[str, tuple[str, ...]]  # of categorical columns
    gaps: NDArray[np.bool_] | None = None  # (N, n): cells that had no value; None for none
    donor: NDArray[np.intp] | None = None  # (N, n): the row whose value stands in each cell
    found: list[Issue] = field(default_factory=list)

    def transformed(self, values: Floats, transform: str, exogenous: Sequence[str]) -> Floats:
        """Of transformed values (N, n), the known as if there were no others: as ranks need it."""
        if self.gaps is None or self.donor is None:
            return values
        values = values.copy()
        for j in np.flatnonzero(self.gaps.any(axis=0)):
            if self.columns[j].name not in exogenous:
                known = ~self.gaps[:, j]
                numbers = self.columns[j].numbers[known]
                own = TRANSFORMS[transform_of(transform, self.columns[j].name)]
                values[known, j] = own.apply(numbers) + 0.0
                values[:, j] = values[self.donor[:, j], j]
        return values


def fill(
    columns: list[Column],
    levels: Mapping[str, tuple[str, ...]],
    were_set: NDArray[np.bool_] | None,
) -> Filled:
    """Each gap from another row, or as a level of its own; errors are among what was found."""
    if not columns or not len(columns[0].numbers):
        return Filled(columns, levels)
    gaps = np.column_stack([column.empty for column in columns])
    errors = _errors(columns, gaps)
    if errors or not gaps.any():
        return Filled(columns, levels, found=errors)
    columns, levels, told = _with_missing_levels(columns, levels, gaps)
    gaps = gaps & np.isnan(np.column_stack([column.numbers for column in columns]))
    if not gaps.any():
        return Filled(columns, levels, found=told)
    donor = _donors(columns, gaps, were_set, _seeded_by(columns, gaps))
    filled = [
        replace(column, numbers=column.numbers[rows])
        for column, rows in zip(columns, donor.T, strict=True)
    ]
    return Filled(filled, levels, gaps, donor, [*told, _told(columns, gaps)])


def checked_gaps(
    gaps: NDArray[np.bool_] | None, shape: tuple[int, int]
) -> NDArray[np.bool_] | None:
    """What a Dataset was given, as a read-only copy; None where there are none."""
    if gaps is None:
        return None
    found = np.array(gaps)
    if found.dtype != bool or found.shape != shape:
        raise DataError(
            f"gaps: expected truth values of shape {shape}, as the table, found {found.dtype} of "
            f"shape {found.shape}. Remedy: give True where a cell had no value"
        )
    found.flags.writeable = False
    return found if found.any() else None


def _errors(columns: Sequence[Column], gaps: NDArray[np.bool_]) -> list[Issue]:
    found = []
    for column, n_known in zip(columns, (~gaps).sum(axis=0).tolist(), strict=True):
        if n_known < LEAST_KNOWN and n_known < len(gaps):
            problem = (
                f"column {quote(column.name)} has {count(n_known, 'known value')} in "
                f"{count(len(gaps), 'row')}, fewer than the {LEAST_KNOWN} that others can be "
                "drawn from (missing 'impute')"
            )
            remedy = leave_out(column.name)
            found.append(Issue("error", "few-known", (column.name,), (), problem, remedy))
    empty = (np.flatnonzero(gaps.all(axis=1)) + 1).tolist()
    if empty:
        problem = f"no value is known in {'row' if len(empty) == 1 else 'rows'} {listing(empty)}"
        remedy = f"leave {'it' if len(empty) == 1 else 'them'} out of the table"
        found.append(Issue("error", "empty-row", (), tuple(empty[:SHOWN]), problem, remedy))
    return found


def _with_missing_levels(
    columns: Sequence[Column], levels: Mapping[str, tuple[str, ...]], gaps: NDArray[np.bool_]
) -> tuple[list[Column], dict[str, tuple[str, ...]], list[Issue]]:
    """Categorical columns with one more level; a single gap is filled as others are.

    A level that is seen once would say nothing.
    """
    done, more, told = list(columns), dict(levels), list[Issue]()
    for j, column in enumerate(columns):
        n = int(gaps[:, j].sum())
        if column.name in levels and n > 1:
            numbers = column.numbers.copy()
            numbers[gaps[:, j]] = len(levels[column.name])
            done[j] = replace(column, numbers=read_only(numbers))
            more[column.name] = (*levels[column.name], MISSING_LEVEL)
            problem = f"{count(n, 'missing cell')} of {quote(column.name)} are a level of their own"
            told.append(Issue("warning", "missing-level", (column.name,), (), problem, INSTEAD))
    return done, more, told


def _seeded_by(columns: Sequence[Column], gaps: NDArray[np.bool_]) -> np.random.Generator:
    """By what is known: the same table has the same first values, wherever and whenever."""
    content = sha256(np.packbits(gaps).tobytes())
    for column in columns:
        content.update(column.name.encode("utf-8", "surrogatepass"))
        content.update(np.nan_to_num(column.numbers).astype("<f8").tobytes())
    return np.random.default_rng(list(content.digest()))


def _donors(
    columns: Sequence[Column],
    gaps: NDArray[np.bool_],
    were_set: NDArray[np.bool_] | None,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """(N, n): rows to take values from, each its own where it has one."""
    known = np.column_stack([np.isfinite(column.numbers) for column in columns])
    return hot_deck(known, gaps, were_set, rng)


def hot_deck(
    known: NDArray[np.bool_],
    gaps: NDArray[np.bool_],
    were_set: NDArray[np.bool_] | None,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """(N, n): for each gap a random row in which the column is known; other cells keep their own.

    Cells that were set take from others that were set, where there are any.
    """
    n_rows, n_columns = gaps.shape
    donor = np.repeat(np.arange(n_rows)[:, None], n_columns, axis=1)
    sets = np.zeros_like(gaps) if were_set is None else were_set
    for j in np.flatnonzero(gaps.any(axis=0)):
        for kind in (False, True):
            empty = np.flatnonzero(gaps[:, j] & (sets[:, j] == kind))
            alike = np.flatnonzero(known[:, j] & ~gaps[:, j] & (sets[:, j] == kind))
            pool = alike if len(alike) else np.flatnonzero(known[:, j] & ~gaps[:, j])
            if len(empty) and len(pool):
                donor[empty, j] = rng.choice(pool, size=len(empty))
    return donor


def _told(columns: Sequence[Column], gaps: NDArray[np.bool_]) -> Issue:
    by_column = {
        column.name: int(n) for column, n in zip(columns, gaps.sum(axis=0), strict=True) if n
    }
    each = ", ".join(f"{quoted([name])} {n:,}" for name, n in [*by_column.items()][:SHOWN])
    more = f" and {count(len(by_column) - SHOWN, 'more column')}" if len(by_column) > SHOWN else ""
    problem = (
        f"{int(gaps.sum()):,} of {count(gaps.size, 'cell')} have no value, and are drawn by "
        f"multiple imputation: {each}{more}"
    )
    return Issue("warning", "imputed", tuple(by_column), (), problem, INSTEAD)
