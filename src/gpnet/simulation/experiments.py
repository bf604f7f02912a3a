"""What an experimenter does to a simulated table: variables set, conditions, covariates."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node

SET_SD: Final = 1.5  # of values that are set, in standard deviations of those that are not
SHIFTS: Final = (0.7, 2.0)  # of what an exogenous column does, in the same units
DRIVEN: Final = 0.35  # probability that it drives a variable
N_LEVELS: Final = 3  # of a covariate that is not a number


@dataclass(frozen=True, eq=False)
class Experiment:
    """Of N rows and n variables."""

    were_set: NDArray[np.bool_]  # (N, n)
    settings: Floats  # (N, n): where variables are set to, standardised
    shifts: Floats  # (N, n): what exogenous columns add, standardised
    drives: NDArray[np.bool_]  # (k, n): which exogenous column drives which variable
    exogenous: pd.DataFrame | None  # k columns

    def done_to(self, node: Node, column: Floats) -> Floats:
        """A variable's column as it comes out under the experiment."""
        if not (self.were_set[:, node].any() or self.drives[:, node].any()):
            return column
        spread, centre = column.std(), column.mean()
        found = column + spread * self.shifts[:, node]
        rows = self.were_set[:, node]
        found[rows] = centre + spread * SET_SD * self.settings[rows, node]
        return np.asarray(found)


def draw_experiment(
    n: int,
    n_plain: int,
    n_targets: int,
    rows_each: int,
    *,
    conditions: int,
    covariates: int,
    rng: np.random.Generator,
) -> Experiment:
    """Rows in which nothing is set come first, then those of one target after the other."""
    n_rows = n_plain + n_targets * rows_each
    were_set = np.zeros((n_rows, n), dtype=bool)
    for k, target in enumerate(rng.permutation(n)[:n_targets]):
        start = n_plain + k * rows_each
        were_set[start : start + rows_each, target] = True
    settings = rng.standard_normal((n_rows, n))
    columns: dict[str, NDArray[np.object_] | Floats] = {}
    effects: list[Floats] = []  # (N, n) of each column
    if conditions:
        level = rng.permutation(np.arange(n_rows) % conditions)
        columns["condition"] = np.array([f"c{i + 1}" for i in level], dtype=object)
        effects.append(_of_levels(level, conditions, n, rng))
    for k in range(covariates):
        name = f"covariate{k + 1}"
        if k % 2:
            numbers = rng.standard_normal(n_rows)
            columns[name] = numbers
            effects.append(np.outer(numbers, _sizes(n, rng)))
        else:
            level = rng.permutation(np.arange(n_rows) % N_LEVELS)
            columns[name] = np.array([f"l{i + 1}" for i in level], dtype=object)
            effects.append(_of_levels(level, N_LEVELS, n, rng))
    return Experiment(
        were_set,
        settings,
        sum(effects, np.zeros((n_rows, n))),
        np.array([effect.any(axis=0) for effect in effects]).reshape(len(effects), n),
        pd.DataFrame(columns) if columns else None,
    )


def _sizes(n: int, rng: np.random.Generator) -> Floats:
    """(n,): of either sign, and none for most variables."""
    size = rng.uniform(*SHIFTS, n) * rng.choice([-1, 1], n)
    return np.where(rng.random(n) < DRIVEN, size, 0.0)


def _of_levels(level: NDArray[np.int_], n_levels: int, n: int, rng: np.random.Generator) -> Floats:
    """(N, n): the first level is what all others differ from, in the same variables."""
    driven = rng.random(n) < DRIVEN
    each = rng.uniform(*SHIFTS, (n_levels, n)) * rng.choice([-1, 1], (n_levels, n)) * driven
    each[0] = 0
    return np.asarray(each[level])
