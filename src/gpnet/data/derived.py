"""Columns that follow from others: sums, linear combinations, squares and the like.

A column that was computed from others is no measurement of its own. Every score finds that relation
certain, in whatever direction, and takes the place of what the others would tell of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from gpnet.common.messages import quote, quoted
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue
from gpnet.data.sampled_rows import sampled_rows

MOST_ROWS: Final = 2000  # what holds in so many of them holds in all
MOST_COLUMNS: Final = 500  # of more, all pairs and triples take too long
LEAST_SPARE: Final = 5  # rows beyond the coefficients, so that no fit is exact by chance
LEAST_VALUES: Final = 5  # distinct ones; through fewer points there is always some curve
EXACT: Final = 1e-3  # of the standard deviation: what an exact relation leaves at most
ROUNDED: Final = 0.02  # the same, where rounding alone can have left it
HUGE: Final = 1e90
MOST_DIGITS: Final = 6  # decimals after which a column counts as not rounded
SHOWN_TERMS: Final = 6  # of a linear combination, before they are counted only
FORMS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "square": np.square,
    "cube": lambda x: x**3,
    "reciprocal": lambda x: 1 / x,
    "logarithm": np.log,
}
ONE_TOO_MANY: Final = (
    "leave one of them out (drop= or --drop), best one that was computed: each follows from the "
    "others, so that arrows between them tell how it was computed, not what drives what"
)
OF_POSITIVE: Final = ("reciprocal", "logarithm")


def derived(columns: Sequence[Column]) -> list[Issue]:
    """What follows from what, of columns in their units, none of which nearly repeats another."""
    table = _Table.of(columns)
    if table is None:
        return []
    return [*_sums(table), *_powers(table), *_products(table)]


@dataclass(frozen=True)
class _Table:
    names: list[str]
    values: Floats  # (N, n): some rows, in units of the user
    standard: Floats  # (N, n): mean 0, standard deviation 1
    scale: Floats  # (n,)
    unit: Floats  # (n,): what the last decimal is worth; 0 where values are not rounded

    @classmethod
    def of(cls, columns: Sequence[Column]) -> "_Table | None":
        if not 1 < len(columns) <= MOST_COLUMNS:
            return None
        rows = sampled_rows(len(columns[0].numbers), MOST_ROWS)
        picked = {column.name: column.numbers[rows] for column in columns}
        varied = {name: x for name, x in picked.items() if _is_ordinary(x)}
        return cls.of_values(varied, [_unit(x) for x in varied.values()])

    @classmethod
    def of_values(cls, picked: Mapping[str, Floats], units: Sequence[float]) -> "_Table | None":
        if len(picked) < 2 or len(next(iter(picked.values()))) <= 3 + LEAST_SPARE:
            return None
        values = np.column_stack(list(picked.values()))
        with np.errstate(all="ignore"):
            scale = values.std(axis=0)
            standard = (values - values.mean(axis=0)) / scale
        if not np.isfinite(standard).all():  # numbers near the limits of floats
            return None
        return cls(list(picked), values, standard, scale, np.array(units))

    def logarithms(self) -> "_Table | None":
        """Of the columns that are positive."""
        columns = zip(self.names, self.values.T, strict=True)
        picked = {name: np.log(x) for name, x in columns if x.min() > 0}
        return self.of_values(picked, [0.0] * len(picked))

    @property
    def n_rows(self) -> int:
        return len(self.values)

    def fits(self, target: int, fitted: Floats, beside: Sequence[int] = ()) -> bool:
        """Whether fitted values (N,), standardised, are the column but for rounding.

        That of the column itself, and of those beside it, which were added to it as they are.
        """
        off = (self.standard[:, target] - fitted) * self.scale[target]
        left = float(off.std()) / self.scale[target]
        unit = self.unit[[target, *beside]].sum()
        rounded = left < ROUNDED and float(np.abs(off).max()) <= 0.75 * unit
        return bool(left < EXACT or rounded)


def _is_ordinary(x: Floats) -> bool:
    """Not a handful of values, and none whose powers leave the floats."""
    return HUGE**-1 < np.abs(x).max() < HUGE and len(np.unique(x)) >= LEAST_VALUES


def _unit(x: Floats) -> float:
    for digits in range(MOST_DIGITS):
        scaled = x * 10.0**digits
        if np.all(np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(1, np.abs(scaled))):
            return float(10.0**-digits)
    return 0.0


# Sums and linear combinations


def _sums(table: _Table) -> Iterator[Issue]:
    for found in _dependent(table):
        yield _told_linear(table, found)


def _dependent(table: _Table) -> Iterator[list[int]]:
    """Sets of columns of which each follows from the others; of each set one is put aside."""
    aside: set[int] = set()
    for found in [*_threes(table)]:
        if not aside.intersection(found):
            aside.add(max(found))
            yield found
    kept: list[int] = []
    for j in range(len(table.names)):
        if j in aside:
            continue
        found = _smallest(table, j, kept)
        if found:
            yield found
        else:
            kept.append(j)


def _threes(table: _Table) -> Iterator[list[int]]:
    """Three columns each, of which the last is a linear combination of the others."""
    r = table.standard.T @ table.standard / table.n_rows
    for target in range(2, len(r)):
        a, within = r[target, :target], r[:target, :target]
        cross = np.outer(a, a) * within
        with np.errstate(divide="ignore", invalid="ignore"):
            explained = (np.add.outer(a**2, a**2) - 2 * cross) / (1 - within**2)
        near = np.triu(1 - explained < ROUNDED**2, 1)
        for i, j in np.argwhere(near).tolist():
            if _smallest(table, target, [i, j]) == [i, j, target]:
                yield [i, j, target]


def _smallest(table: _Table, target: int, others: Sequence[int]) -> list[int]:
    """The target behind those of the others that it follows from, or nothing.

    Those that are not needed are left out one by one, the least important first.
    """
    chosen = list(others)
    if len(chosen) < 2 or table.n_rows < len(chosen) + 1 + LEAST_SPARE:
        return []
    slopes, fitted = _least_squares(table, target, chosen)
    if not table.fits(target, fitted, chosen):
        return []
    for one in sorted(others, key=dict(zip(others, np.abs(slopes), strict=True)).__getitem__):
        fewer = [other for other in chosen if other != one]
        if fewer and table.fits(target, _least_squares(table, target, fewer)[1], fewer):
            chosen = fewer
    return [*chosen, target] if len(chosen) > 1 else []  # one is nearly a copy, told elsewhere


def _least_squares(table: _Table, target: int, others: Sequence[int]) -> tuple[Floats, Floats]:
    x = table.standard[:, others]
    slopes = np.linalg.lstsq(x, table.standard[:, target], rcond=None)[0]
    return np.asarray(slopes, dtype=np.float64), np.asarray(x @ slopes)


def _told_linear(table: _Table, found: Sequence[int]) -> Issue:
    *others, target = found
    slopes = _least_squares(table, target, others)[0] * table.scale[target] / table.scale[others]
    names = [table.names[j] for j in found]
    signs = np.round(slopes)
    if np.all(np.abs(signs) == 1) and _is_sum(table, found, signs):
        sums = _sum_in_words(table, found, signs)
        return Issue("warning", "sum", tuple(names), (), f"columns add up: {sums}", ONE_TOO_MANY)
    problem = f"column {quote(names[-1])} is a linear combination of {_terms(slopes, names[:-1])}"
    return Issue("warning", "linear-combination", tuple(names), (), problem, ONE_TOO_MANY)


def _is_sum(table: _Table, found: Sequence[int], signs: Floats) -> bool:
    """Whether the columns, as they are, add up to a constant: the last one less the others."""
    *others, target = found
    fitted = table.standard[:, others] @ (signs * table.scale[others]) / table.scale[target]
    return table.fits(target, np.asarray(fitted), others)


def _sum_in_words(table: _Table, found: Sequence[int], signs: Floats) -> str:
    """As in 'total' = 'a' + 'b': what stands alone on a side, or the constant, comes first."""
    weights = np.array([*signs, -1.0])
    plus = [table.names[j] for j, weight in zip(found, weights, strict=True) if weight > 0]
    minus = [table.names[j] for j, weight in zip(found, weights, strict=True) if weight < 0]
    constant = float(np.median(table.values[:, found] @ weights))
    slack = 0.75 * table.unit[found].sum() + 1e-6 * table.scale[found].max()
    if len(plus) > len(minus):
        plus, minus, constant = minus, plus, -constant
    if not plus:
        return f"{_added(minus)} = {-constant:.6g}"
    offset = (
        "" if abs(constant) <= slack else f" {'+' if constant > 0 else '-'} {abs(constant):.6g}"
    )
    return f"{_added(plus)} = {_added(minus)}{offset}"


def _added(names: Sequence[str]) -> str:
    return " + ".join(map(quote, names))


def _terms(slopes: Floats, names: Sequence[str]) -> str:
    """As in 'a' and 'b' (0.5 'a' + 0.5 'b'), apart from a constant."""
    if len(names) > SHOWN_TERMS:
        return quoted(names)
    terms = [f"{slope:+.3g} {quote(name)}" for slope, name in zip(slopes, names, strict=True)]
    text = " ".join(f"{term[0]} {term[1:]}" for term in terms).removeprefix("+ ")
    return f"{quoted(names)} ({text}, apart from a constant)"


# Squares and other powers


def _powers(table: _Table) -> Iterator[Issue]:
    """Columns that are a power of another one, or a quadratic function; each once."""
    told: set[frozenset[int]] = set()
    for source in range(len(table.names)):
        for target, form in _functions_of(table, source).items():
            if frozenset((source, target)) not in told:
                told.add(frozenset((source, target)))
                yield _told_power(table.names[target], table.names[source], form)


def _functions_of(table: _Table, source: int) -> dict[int, str]:
    """The columns that one column gives, with the form that does."""
    x = table.values[:, source]
    found: dict[int, str] = {}
    with np.errstate(all="ignore"):
        shapes = {
            form: function(x)
            for form, function in FORMS.items()
            if form not in OF_POSITIVE or x.min() > 0
        }
    bases = {form: np.column_stack([shape]) for form, shape in shapes.items()}
    bases["quadratic function"] = np.column_stack([table.standard[:, source], shapes["square"]])
    for form, basis in bases.items():
        for target, fitted in _explained(table, basis).items():
            if target != source and target not in found and table.fits(target, fitted):
                found[target] = form
    return found


def _explained(table: _Table, basis: Floats) -> dict[int, Floats]:
    """The columns that lie in the span of a basis, nearly, as fitted by it."""
    with np.errstate(all="ignore"):
        centred = basis - basis.mean(axis=0)
        centred = centred / np.sqrt((centred**2).sum(axis=0))
    if not np.isfinite(centred).all():
        return {}
    q = np.linalg.qr(centred)[0]
    inner = q.T @ table.standard
    near = np.flatnonzero(1 - (inner**2).sum(axis=0) / table.n_rows < ROUNDED**2)
    return {j: np.asarray(q @ inner[:, j]) for j in near.tolist()}


def _told_power(target: str, source: str, form: str) -> Issue:
    problem = f"column {quote(target)} is the {form} of {quote(source)}, rescaled or not"
    if form == "quadratic function":
        problem = f"column {quote(target)} is a quadratic function of {quote(source)}"
    remedy = (
        f"leave one of the two out (drop= or --drop): relations are curves anyway, so that "
        f"{quote(source)} alone tells the same"
    )
    return Issue("warning", "power", (target, source), (), problem, remedy)


# Products and ratios


def _products(table: _Table) -> Iterator[Issue]:
    """Sums of logarithms."""
    logs = table.logarithms()
    if logs is None:
        return
    for found in _dependent(logs):
        *others, target = found
        slopes = _least_squares(logs, target, others)[0] * logs.scale[target] / logs.scale[others]
        names = [logs.names[j] for j in found]
        problem = f"column {quote(names[-1])} is {_factors(slopes, names[:-1])}, rescaled or not"
        yield Issue("warning", "product", tuple(names), (), problem, ONE_TOO_MANY)


def _factors(powers: Floats, names: Sequence[str]) -> str:
    """As in 'weight' × 'height'^-2."""
    told = [f"{power:.3g}" for power in powers]
    factors = [
        quote(name) + (f"^{power}" if power != "1" else "")
        for name, power in zip(names, told, strict=True)
    ]
    return " × ".join(factors)
