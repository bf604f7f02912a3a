"""What the shape of a column's distribution says of its scale, and which transform mends it."""

from typing import Final

import numpy as np

from gpnet.common.messages import count, quote
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue, in_rows
from gpnet.data.transforms import TRANSFORMS, UNCHANGED, transform_text

FAR: Final = 10.0  # robust standard deviations from the median
LOGARITHMS: Final = ("log2", "log")
LEAST_ROWS: Final = 30  # of fewer the tails say little
LEANING: Final = 0.35  # asymmetry of a column that a transform has not mended
STEADY: Final = 0.1  # less asymmetry than this was taken off: none to speak of


def outliers(column: Column, transform: str) -> Issue | None:
    """Values so far out that they would rule the fit, in a column in units and transformed so."""
    distance = _distances(TRANSFORMS[transform].apply(column.numbers))
    rows = sorted(np.flatnonzero(distance > FAR).tolist(), key=lambda row: -distance[row])
    if not rows:
        return None
    farthest = f"the farthest is {distance[rows[0]]:.3g} robust standard deviations from the median"
    what = f"{count(len(rows), 'extreme outlier')}, {farthest}"
    if transform not in UNCHANGED:
        what += f", after {transform}"
    choices = " or ".join(quote(transform_text({column.name: word})) for word in _menders(column))
    remedy = f"check these rows, or use transform= (--transform) {choices}"
    if not choices:
        remedy = "check these rows; no transform would draw them in"
    return in_rows(column, rows, code="outlier", what=what, remedy=remedy, level="warning")


def _distances(x: Floats) -> Floats:
    """(N,): from the median, in robust standard deviations: IQR / 1.349 is that of a normal."""
    low, median, high = np.quantile(x, [0.25, 0.5, 0.75])
    if high <= low:
        return np.zeros(len(x))
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(x - median) / ((high - low) / 1.349))


def _menders(column: Column) -> list[str]:
    """Transforms after which nothing is far out; one logarithm is enough."""
    found = [word for word in (*LOGARITHMS, "rank-normal") if _draws_in(column, word)]
    return [word for word in found if word != "log" or "log2" not in found]


def _draws_in(column: Column, word: str) -> bool:
    transform = TRANSFORMS[word]
    if not column.numbers.min() > transform.above:
        return False
    return bool(_distances(transform.apply(column.numbers)).max() <= FAR)


def logarithm_in_vain(column: Column, transform: str) -> Issue | None:
    """A column that is as asymmetric after its logarithm as before, or more so."""
    if transform not in LOGARITHMS or len(column.numbers) < LEAST_ROWS:
        return None
    before, after = (asymmetry(TRANSFORMS[t].apply(column.numbers)) for t in ("none", transform))
    if abs(after) < LEANING or abs(after) < abs(before) - STEADY:
        return None
    problem = (
        f"column {quote(column.name)}: {transform} does not mend its shape (asymmetry {before:.2f} "
        f"before, {after:.2f} after, 0 if symmetric)"
    )
    if before * after > 0:
        problem += ", as its values begin far from 0 for their spread" if _shifted(column) else ""
    choices = " or ".join(quote(transform_text({column.name: word})) for word in _evener(column))
    remedy = f"use transform= (--transform) {choices} for it"
    if _shifted(column):
        remedy = f"take off the background that its values begin at, or {remedy}"
    return Issue("warning", "log-in-vain", (column.name,), (), problem, remedy)


def asymmetry(x: Floats) -> float:
    """From -1 to 1, by quantiles: how much longer the upper tail is than the lower one."""
    low, median, high = np.quantile(x, [0.05, 0.5, 0.95])
    return float((high + low - 2 * median) / (high - low)) if high > low else 0.0


def _shifted(column: Column) -> bool:
    """Whether all values are far from 0, so that a logarithm is nearly a straight line there."""
    low, high = np.quantile(column.numbers, [0.0, 0.95])
    return bool(low > high - low)


def _evener(column: Column) -> list[str]:
    """Transforms after which the column is nearly symmetric; ranks always do what can be done."""
    lowest = column.numbers.min()
    possible = [word for word in ("none", *LOGARITHMS) if lowest > TRANSFORMS[word].above]
    leans = {word: abs(asymmetry(TRANSFORMS[word].apply(column.numbers))) for word in possible}
    return [*(word for word in possible if leans[word] < LEANING), "rank-normal"]
