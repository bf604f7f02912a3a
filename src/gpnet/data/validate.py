"""All checks of a table together: cells, then transformed values, then columns side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import meant, one_of, quote
from gpnet.common.types import Floats
from gpnet.data import checks, repeats
from gpnet.data.issues import Column, Issue, column_name
from gpnet.data.standardise import standardise
from gpnet.data.transforms import TRANSFORMS, UNCHANGED, transform_of


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
    """A DataError that lists all errors, one a line."""
    errors = [issue.sentence for issue in found if issue.level == "error"]
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
    tamers = _outlier_transforms([c for c in sound if c.name not in exogenous], transform)
    found += _validate_values(transformed, values, tamers, exogenous)
    if len(sound) == len(columns):  # else rows may differ in what is not known yet
        found += repeats.copied_rows(values)
    return values, found


def _transformed(column: Column, transform: str, exogenous: Sequence[str]) -> Floats:
    """Adding 0 makes one value of -0 and 0."""
    name = "none" if column.name in exogenous else transform_of(transform, column.name)
    return TRANSFORMS[name].apply(column.numbers) + 0.0


def _outlier_transforms(columns: Sequence[Column], transform: str) -> list[str]:
    """Transforms that would draw outliers in and that every column admits."""
    if any(transform_of(transform, column.name) not in UNCHANGED for column in columns):
        return ["rank-normal"]
    lowest = min((column.numbers.min() for column in columns), default=np.inf)
    return [name for name in ("log2", "rank-normal") if lowest > TRANSFORMS[name].above]


def _validate_values(
    columns: Sequence[Column], values: Floats, tamers: Sequence[str], exogenous: Sequence[str]
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
        answers.append(checks.outliers(usable[j], tamers))
        found += [problem for problem in answers if problem]
    same = repeats.copies([columns[j] for j in usable])
    copied = {name for finding in same for name in finding.columns[1:]}
    distinct = [column for column in usable.values() if column.name not in copied]
    measured = [column for column in distinct if column.name not in exogenous]
    return found + same + repeats.correlated(distinct) + repeats.replicated(measured)
