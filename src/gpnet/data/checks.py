"""What can be wrong with a table, told with its column, rows and remedy.

To add a check of one column, write a function ``Column -> Issue | None`` and name it in
`CELL_CHECKS` (the table as given) or in `VALUE_CHECKS` (transformed and standardised). What needs
more than one column is in `repeats` and `derived`, what is about a column's scale in `shapes`, what
its name says in `undriven`.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from gpnet.common.messages import count, leave_out, listing, quote, quoted
from gpnet.common.typed_values import is_unicode
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue, in_rows, whole

Check: TypeAlias = Callable[[Column], Issue | None]

MIN_ROWS = 10
FEW_VALUES = 5
CONSTANT = 1e-12  # of the largest magnitude; less is rounding
STEADY = 1e-9  # of the span: how far a column of constant steps may be off
DECIMAL_COMMA = re.compile(r"\s*[+-]?[\d.]*\d,\d+\s*")
THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}(,\d{3})+(\.\d*)?\s*")
INDEX_NAME = re.compile(
    r"|unnamed: \d+|index|idx|id|row|rowid|row_id|obs|nr|no", flags=re.IGNORECASE
)


# The table as a whole


def header(labels: Sequence[object]) -> list[Issue]:
    """Names that are all numbers are probably the first row, unless they just count."""
    if not labels or not all(isinstance(label, str) and _is_number(label) for label in labels):
        return []
    counted = [[str(start + i) for i in range(len(labels))] for start in (0, 1)]
    if list(labels) in counted:
        return []
    problem = f"the names of the columns are numbers ({quoted(labels)}), like a first row of data"
    remedy = "give the columns names; in a file, in a line above the data"
    return [whole("header", problem, remedy=remedy)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def shape(columns: Sequence[Column]) -> list[Issue]:
    """Too few columns or rows."""
    if not columns:
        remedy = "give a table with named columns"
        return [whole("empty", "the table has no columns", remedy=remedy)]
    n_rows = len(columns[0].numbers)
    remedy = f"give at least {MIN_ROWS} rows; some hundred make a result worth having"
    if n_rows == 0:
        return [whole("empty", "the table has columns but no rows", remedy=remedy)]
    found = []
    if n_rows < MIN_ROWS:
        problem = f"the table has only {count(n_rows, 'row')}"
        found.append(whole("few-rows", problem, remedy=remedy))
    if len(columns) == 1:
        name = columns[0].name
        problem = f"column {quote(name)} is the only one: there are no edges to learn"
        remedy = "give a table of two or more variables"
        found.append(Issue("warning", "single-column", (name,), (), problem, remedy))
    return found


def nothing_to_model(columns: Sequence[Column], exogenous: Sequence[str]) -> list[Issue]:
    """Exogenous columns alone leave nothing to learn."""
    if not columns or not exogenous or any(column.name not in exogenous for column in columns):
        return []
    problem = f"all columns are exogenous ({quoted(exogenous)}): there is nothing to learn"
    remedy = (
        "give measurements beside them, or model numbers of few values "
        "(model_discrete= or --model-discrete)"
    )
    return [Issue("error", "nothing-modelled", tuple(exogenous), (), problem, remedy)]


def names(columns: Sequence[Column]) -> list[Issue]:
    """Names given twice, not at all, or such that no file can hold them."""
    found = []
    for name, n in Counter(column.name for column in columns).items():
        if n > 1 and name:
            places = listing(i + 1 for i, column in enumerate(columns) if column.name == name)
            problem = f"{n} columns are called {quote(name)} (the columns {places})"
            remedy = "give every column a name of its own"
            found.append(Issue("error", "duplicate-name", (name,), (), problem, remedy))
    for i, column in enumerate(columns):
        if not column.name and not is_index(column):
            problem = f"column {i + 1} has no name"
            remedy = f"name it, or {leave_out(column.name)}"
            found.append(Issue("error", "no-name", (column.name,), (), problem, remedy))
        if not is_unicode(column.name):
            problem = f"column {i + 1} is called {quote(column.name)}, which UTF-8 cannot hold"
            found.append(Issue("error", "no-text", (column.name,), (), problem, "rename it"))
    return found


# One column as given


def not_numeric(column: Column) -> Issue | None:
    """Texts, booleans, dates, anything that is not a real number."""
    if not column.strange or is_index(column):
        return None
    cell = next(iter(column.strange.values()))
    rows = list(column.strange)
    what = f"{count(len(rows), 'cell')} without a number, the first is {quote(cell)}"
    commas = _commas(str(cell))
    if commas:
        what += f", which looks like {commas}"
    remedy = _number_remedy(column.name, cell)
    return in_rows(column, rows, code="not-numeric", what=what, remedy=remedy)


def looks_like_number(text: str) -> bool:
    """Whether a text was probably meant for a number: with commas, underscores or quotes."""
    return bool(_commas(text)) or _is_number(text.replace("_", ""))


def _commas(text: str) -> str:
    """What the commas in a number may be; '1,012' can be read in two ways."""
    readings = {"a thousands separator": THOUSANDS, "a decimal comma": DECIMAL_COMMA}
    return " or ".join(what for what, form in readings.items() if form.fullmatch(text))


def _number_remedy(name: str, cell: object) -> str:
    """How to make numbers of cells like this one."""
    if str(cell).strip().lower() in ("true", "false"):
        return f"encode it as 0 and 1 (2 distinct values), or {leave_out(name)}"
    if _commas(str(cell)):
        return "write numbers with a decimal point and without thousands separators"
    if not isinstance(cell, str) or not _is_number(cell):
        return f"give numbers, or {leave_out(name)}"
    if "_" in cell:
        return f"write numbers without '_', or {leave_out(name)}"
    return "turn the texts into numbers (in pandas: pandas.to_numeric)"


def missing(column: Column) -> Issue | None:
    """Cells with nothing in them; gpnet does not guess what they held."""
    rows = np.flatnonzero(column.empty).tolist()
    if not rows:
        return None
    what = count(len(rows), "missing value")
    remedy = (
        "leave these rows out (missing='rows' or --missing rows), have their values drawn "
        f"(missing='impute' or --missing impute), or {leave_out(column.name)}"
    )
    return in_rows(column, rows, code="missing", what=what, remedy=remedy)


def infinite(column: Column) -> Issue | None:
    """Infinity, or a number beyond what a float holds."""
    rows = np.flatnonzero(np.isinf(column.numbers)).tolist()
    if not rows:
        return None
    what = count(len(rows), "infinite value")
    remedy = f"leave out these rows, put them right, or {leave_out(column.name)}"
    return in_rows(column, rows, code="infinite", what=what, remedy=remedy)


def row_index(column: Column) -> Issue | None:
    """A column that counts or labels the rows says nothing about the variables."""
    if not is_index(column):
        return None
    what, remedy = "the next integer in every row", leave_out(column.name)
    if column.strange:
        what = "a different text in every row"
    elif not _counts_up(column.numbers):
        what = "each of the row numbers once"
        remedy += ", or give it another name if it is measured"
    problem = f"column {quote(column.name)} looks like a row index ({what})"
    return Issue("error", "row-index", (column.name,), (), problem, remedy)


def is_index(column: Column) -> bool:
    """Whether it counts or labels the rows."""
    if column.strange:
        labels = {cell for cell in column.strange.values() if isinstance(cell, str)}
        return len(labels) == len(column.numbers) and not column.name
    if _counts_up(column.numbers):
        return True
    # Under any other name the integers in some order may be measured: a rank, for one.
    ordered = np.sort(column.numbers)
    starts = ordered[:1].tolist() in ([0], [1])
    return bool(starts and _counts_up(ordered) and INDEX_NAME.fullmatch(column.name))


def _counts_up(numbers: Floats) -> bool:
    # One or two integers count up by chance.
    if len(numbers) < 3 or not np.isfinite(numbers).all() or numbers[0] % 1:
        return False
    with np.errstate(over="ignore"):
        return bool(np.all(np.diff(numbers) == 1))


def counter(column: Column) -> Issue | None:
    """A constant step from row to row, up or down, as in a time axis."""
    size = np.abs(column.numbers).max(initial=0.0)
    ordinary = np.finfo(float).tiny <= size < np.inf  # else refused as out of range
    if len(column.numbers) < 3 or not ordinary or is_index(column):
        return None
    x = column.numbers / size  # so that no difference leaves the floats
    span = x[-1] - x[0]
    off = np.abs(x - np.linspace(x[0], x[-1], len(x))).max()
    if abs(span) < CONSTANT or off > STEADY * abs(span) + 4 * np.finfo(float).eps:
        return None
    step = span / (len(x) - 1) * size
    way = "up" if step > 0 else "down"
    problem = (
        f"column {quote(column.name)} goes {way} by {abs(step):g} in every row: "
        "it looks like a counter or a time axis"
    )
    remedy = f"if it only tells the rows apart, {leave_out(column.name)}"
    return Issue("warning", "counter", (column.name,), (), problem, remedy)


def outside(column: Column, transform: str, *, above: float) -> Issue | None:
    """Values for which the transform, which needs them above a bound, is not defined."""
    rows = np.flatnonzero(column.numbers <= above).tolist()
    if not rows or np.isneginf(above):
        return None
    what = f"{count(len(rows), 'value')} not above {above:g}, as transform {quote(transform)} needs"
    choices = f"{quote(f'rank-normal:{column.name}')} takes any number"
    remedy = f"choose another transform for it ({choices}), or put these rows right"
    return in_rows(column, rows, code="outside-transform", what=what, remedy=remedy)


CELL_CHECKS: tuple[Check, ...] = (not_numeric, missing, infinite, row_index, counter)


# One column, transformed and standardised: these checks do not see units


def no_spread(column: Column, *, spread: float, scale: float) -> Issue | None:
    """A column that cannot be standardised; spread is its scale over its largest magnitude."""
    name = column.name
    if spread < CONSTANT:
        same = (column.numbers == column.numbers[0]).all()
        what = "is constant" if same else "varies only in its last digits, as by rounding"
        problem = f"column {quote(name)} {what}"
        return Issue("error", "constant", (name,), (), problem, leave_out(name))
    if np.finfo(float).tiny <= scale < np.inf:
        return None
    problem = f"column {quote(name)} has a standard deviation of {scale:g}, beyond what floats hold"
    remedy = "give it in other units, nearer to 1"
    return Issue("error", "out-of-range", (name,), (), problem, remedy)


def few_values(column: Column) -> Issue | None:
    """A handful of distinct values is a category, not a measurement."""
    n_distinct = len(np.unique(column.numbers))
    if n_distinct >= min(FEW_VALUES, len(column.numbers)):
        return None
    problem = f"column {quote(column.name)} has only {n_distinct} distinct values"
    remedy = f"if these are categories, {leave_out(column.name)}: the model is for measurements"
    return Issue("warning", "few-values", (column.name,), (), problem, remedy)


VALUE_CHECKS: tuple[Check, ...] = (few_values,)
