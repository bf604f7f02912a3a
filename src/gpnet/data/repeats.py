"""What repeats in a table: columns that say the same, rows and values that stand there again."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.messages import SHOWN, count, leave_out, listing, quote, quoted
from gpnet.common.types import Floats
from gpnet.data.checks import FEW_VALUES
from gpnet.data.issues import Column, Issue

CORRELATED: Final = 0.999
RESCALED: Final = 1 - 1e-12  # what rounding leaves of a correlation of 1
BLOCK: Final = 256  # columns compared at once with all before them: megabytes, not gigabytes
OFTEN: Final = 10  # times that a value occurs, on average, where rows hardly repeat by rounding


# Columns


def copies(columns: Sequence[Column]) -> list[Issue]:
    """Groups of columns that hold the same values."""
    groups: dict[bytes, list[str]] = {}
    for column in columns:
        groups.setdefault(sha256(column.numbers.tobytes()).digest(), []).append(column.name)
    remedy = "keep one of them and leave the others out (drop= or --drop)"
    return [
        Issue("error", "copy", tuple(same), (), f"columns {quoted(same)} are identical", remedy)
        for same in groups.values()
        if len(same) > 1
    ]


def correlated(columns: Sequence[Column]) -> list[Issue]:
    """Each column that an earlier one (nearly) determines; the columns are standardised."""
    found = []
    for j, correlation in _close_pairs(columns):
        others = np.flatnonzero(correlation > CORRELATED).tolist()
        exact = [columns[i].name for i in others if correlation[i] >= RESCALED]
        near = [columns[i].name for i in others if correlation[i] < RESCALED]
        name = columns[j].name
        if exact:
            what = "is a rescaled copy of"
            found.append(_close(name, exact, code="rescaled-copy", what=what))
        if near:
            what = f"has a correlation beyond {CORRELATED} with"
            found.append(_close(name, near, code="correlated", what=what))
    return found


def _close_pairs(columns: Sequence[Column]) -> Iterator[tuple[int, Floats]]:
    """Columns that have a close one before them, and their correlations, unsigned, with those."""
    if not columns:
        return
    values = np.array([column.numbers for column in columns])
    for first in range(0, len(columns), BLOCK):
        block = values[first : first + BLOCK]
        correlation = np.abs(block @ values[: first + BLOCK].T) / (values.shape[1] - 1)
        correlation = np.tril(correlation, first - 1)
        for k in np.flatnonzero((correlation > CORRELATED).any(axis=1)).tolist():
            yield first + k, correlation[k]


def _close(name: str, others: Sequence[str], *, code: str, what: str) -> Issue:
    problem = f"column {quote(name)} {what} {quoted(others)}"
    remedy = f"{leave_out(name)} if it measures the same; their edges can hardly be told apart"
    return Issue("warning", code, (name, *others), (), problem, remedy)


# Rows and values


def copied_rows(values: Floats) -> list[Issue]:
    """Rows that stand there again, as in a resample: each copy counts as a new observation."""
    rows = _again(values) + 1
    n, n_rows = len(rows), len(values)
    if not n:
        return []
    shown = rows[: SHOWN + (n == SHOWN + 1)].tolist()
    where = listing([*shown, f"{n - SHOWN:,} more"] if n > len(shown) else shown)
    problem = (
        f"{n:,} of {count(n_rows, 'row')} ({100 * n / n_rows:.3g}%) "
        f"{'is an exact copy' if n == 1 else 'are exact copies'} of an earlier row "
        f"({'row' if n == 1 else 'rows'} {where}): copies look like evidence, and a curve "
        "through them seems certain, so probabilities will be too sure"
    )
    remedy = "keep one of each (in pandas: drop_duplicates), unless each was measured by itself"
    return [Issue("warning", "copied-rows", (), tuple(shown[:SHOWN]), problem, remedy)]


def _again(values: Floats) -> NDArray[np.intp]:
    """Rows, from 0, that an earlier one equals in every column.

    Each is compared with the first row of the same hash. Where two rows that differ had the same
    one, copies of the second would not be seen: a chance of 2^-64 for each pair.
    """
    n_rows, n_columns = values.shape
    factors = _mixed(np.arange(1, n_columns + 1, dtype=np.uint64)) | np.uint64(1)
    sums = np.zeros(n_rows, dtype=np.uint64)
    for j in range(n_columns):
        sums += _mixed(np.ascontiguousarray(values[:, j]).view(np.uint64)) * factors[j]
    _, first, place = np.unique(sums, return_index=True, return_inverse=True)
    earlier = first[place]
    same = earlier < np.arange(n_rows)
    for column in values.T:
        same &= column == column[earlier]
    return np.flatnonzero(same)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the result depends on every bit given: splitmix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def replicated(columns: Sequence[Column]) -> list[Issue]:
    """Columns whose few values each occur many times; a handful of values is told elsewhere."""
    n_distinct = {j: len(np.unique(column.numbers)) for j, column in enumerate(columns)}
    found = {
        columns[j].name: n
        for j, n in n_distinct.items()
        if n >= FEW_VALUES and n * OFTEN <= len(columns[j].numbers)
    }
    if not found:
        return []
    n_rows, fewest = len(columns[0].numbers), min(found.values())
    many = len(found) > 1
    problem = (
        f"column{'s' * many} {quoted(found)} {'repeat' if many else 'repeats'} few values many "
        f"times ({'from ' * many}{fewest} distinct ones in {count(n_rows, 'row')}): values that "
        "were copied look like evidence, so probabilities will be too sure"
    )
    remedy = (
        "keep one of each that was copied (in pandas: drop_duplicates); numbers that were rounded, "
        "or set by an experiment, may stay"
    )
    return [Issue("warning", "replicated-values", tuple(found), (), problem, remedy)]
