"""All checks of a table together: cells, then transformed values, then columns side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import meant, one_of, quote
from gpnet.common.types import Floats
from gpnet.data import checks, repeats, shapes
from gpnet.data.derived import derived
from gpnet.data.issues import Column, Issue, column_name, grouped
from gpnet.data.standardise import standardise
from gpnet.data.transforms import TRANSFORMS, transform_of
from gpnet.data.undriven import CODES as UNDRIVEN
from gpnet.data.undriven import undriven


def check_choice(option: str, value: object, choices: Iterable[str]) -> None:
    """Refuse what is not among the choices."""
    if not isinstance(value, str) or value not in choices:
        hint = meant(value, choices)
        raise OptionError(f"{option} {quote(value)}: expected {one_of(choices)}{hint}")


def columns_of(values: Any, names: Iterable[Any]) -> list[Column]:
    """The columns of an array (N, n), named."""
    array, labels = np.asarray(values), tuple(names)
    if array.ndim != 2 or array.shape[1] != len(labels) or array.dtype.kind not in "fiu":
        raise DataError(
            f"expected an array of numbers with a column for each of {len(labels)} names, found "
            f"{array.dtype} of shape {array.shape}. Remedy: give values (N, n) and n names"
        )
    return [
        Column(column_name(label), np.asarray(column, dtype=float))
        for label, column in zip(labels, array.T, strict=True)
    ]


def refuse_errors(found: Sequence[Issue]) -> None:
    """A DataError that lists all errors, one a line; those of a kind together."""
    errors = [issue.sentence for issue in grouped(found) if issue.level == "error"]
    if errors:
        raise DataError("\n".join(errors))


def validate(
    columns: Sequence[Column], transform: str, exogenous: Sequence[str] = ()
) -> tuple[Floats, list[Issue]]:
    """The transformed values of the columns whose cells are sound, and all findings.

    Exogenous columns are not transformed, and need not look like measurements.
    """
    found = checks.shape(columns) + checks.names(columns)
    found += checks.nothing_to_model(columns, exogenous)
    sound = []
    for column in columns:
        answers = [check(column) for check in checks.CELL_CHECKS]
        if column.name not in exogenous:
            own = transform_of(transform, column.name)
            answers.append(checks.outside(column, own, above=TRANSFORMS[own].above))
            answers.append(undriven(column))
        problems = [problem for problem in answers if problem]
        found += problems
        if not any(problem.level == "error" for problem in problems):
            sound.append(column)
    if not sound or len(sound[0].numbers) < 2:
        return np.empty((0, 0)), found
    values = np.empty((len(sound[0].numbers), len(sound)))
    for j, column in enumerate(sound):
        values[:, j] = _transformed(column, transform, exogenous)
    transformed = [replace(column, numbers=values[:, j]) for j, column in enumerate(sound)]
    # Months and ages repeat, and nobody copied them.
    may_repeat = {one.columns[0] for one in found if one.code in UNDRIVEN}
    seen = _validate_values(transformed, values, exogenous, may_repeat)
    measured = [column for column in sound if column.name not in exogenous]
    found += seen + _of_scales(measured, transform, _without_values(seen))
    found += derived([column for column in measured if column.name not in _told_already(seen)])
    if len(sound) == len(columns):  # else rows may differ in what is not known yet
        found += repeats.copied_rows(values)
    return values, found


def _transformed(column: Column, transform: str, exogenous: Sequence[str]) -> Floats:
    """Adding 0 makes one value of -0 and 0."""
    name = "none" if column.name in exogenous else transform_of(transform, column.name)
    return TRANSFORMS[name].apply(column.numbers) + 0.0


def _of_scales(columns: Sequence[Column], transform: str, left_out: set[str]) -> list[Issue]:
    """Outliers, and logarithms that do not mend what they were asked for."""
    found = []
    for column in columns:
        if column.name not in left_out:
            own = transform_of(transform, column.name)
            answers = [shapes.outliers(column, own), shapes.logarithm_in_vain(column, own)]
            found += [problem for problem in answers if problem]
    return found


def _without_values(found: Sequence[Issue]) -> set[str]:
    """Columns that cannot be standardised."""
    return {one.columns[0] for one in found if one.code in ("constant", "out-of-range")}


def _told_already(found: Sequence[Issue]) -> set[str]:
    """Columns that are constant, or (nearly) copies of an earlier one."""
    copied = {name for one in found if one.code == "copy" for name in one.columns[1:]}
    near = {one.columns[0] for one in found if one.code in ("rescaled-copy", "correlated")}
    return copied | near | _without_values(found)


def _validate_values(
    columns: Sequence[Column], values: Floats, exogenous: Sequence[str], may_repeat: set[str]
) -> list[Issue]:
    found, usable = [], {}
    standard = standardise(values)
    for j, column in enumerate(columns):
        spread, scale = standard.spread[j], standard.scale[j]
        problem = checks.no_spread(column, spread=spread, scale=scale)
        if problem:
            found.append(problem)
            continue
        usable[j] = replace(column, numbers=standard.values[:, j])
        if column.name in exogenous:
            continue
        answers = [check(usable[j]) for check in checks.VALUE_CHECKS]
        found += [problem for problem in answers if problem]
    same = repeats.copies([columns[j] for j in usable])
    copied = {name for finding in same for name in finding.columns[1:]}
    distinct = [column for column in usable.values() if column.name not in copied]
    measured = [column for column in distinct if column.name not in exogenous]
    copied_values = [column for column in measured if column.name not in may_repeat]
    return found + same + repeats.correlated(distinct) + repeats.replicated(copied_values)
