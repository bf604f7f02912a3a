"""Whether rows resemble the rows before them, as those of a time series do.

Rows are taken as independent of each other. Where they are not, N of them tell less than N do, and
all that is said of edges is too sure.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.messages import count, quoted
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue
from gpnet.data.roles import MOST_LEVELS, Assigned
from gpnet.data.transforms import normal_scores

LEAST_ROWS: Final = 30
MOST_ROWS: Final = 10_000  # the first ones tell enough
LEAST: Final = 0.2  # correlation with the row before: with less, rows are worth 92 of 100
MOST_CHANCE: Final = 2e-3  # that a table of independent rows is warned of, all columns together
CLEAR: Final = 3.0  # standard errors from which a column is named; the clearest one always is
FLAT: Final = 4.0  # kurtosis above which a few rows side by side make a correlation by chance
APART: Final = 0.1  # correlation that is left between rows that were kept


def resembling_rows(
    values: Floats,
    columns: Sequence[Column],
    roles: Assigned,
    were_set: NDArray[np.bool_] | None,
) -> list[Issue]:
    """Columns whose rows resemble the rows before them.

    Rows in which something was set are left out, as they often come one after the other; and so is
    what differs between the levels of exogenous columns, as these are accounted for.
    """
    if values.shape[1] != len(columns):
        return []
    rows = np.ones(len(values), dtype=bool) if were_set is None else ~were_set.any(axis=1)
    kept = values[rows][:MOST_ROWS]
    if len(kept) < LEAST_ROWS:
        return []
    names = [column.name for column in columns]
    levels = levels_of(kept, columns, roles)
    scores = {
        name: scores_within(kept[:, j], levels)
        for j, name in enumerate(names)
        if name not in roles.exogenous and not _sorted(kept[:, j])
    }
    told = {name: one for name, one in scores.items() if _tame(one)}
    if not told:
        return []
    z = np.array(list(told.values()))
    r = _with_row_before(z)
    if r.max() < LEAST or _chance(r, z) > MOST_CHANCE:
        return []
    clear = min(max(LEAST, CLEAR / np.sqrt(len(kept))), r.max())
    alike = {name: float(x) for name, x in zip(told, r, strict=True) if x >= clear}
    return [_warning(alike, int(rows.sum()))]


def levels_of(values: Floats, columns: Sequence[Column], roles: Assigned) -> list[Floats]:
    """The exogenous columns of some values, which say which row is from where."""
    given = [
        x for x, column in zip(values.T, columns, strict=True) if column.name in roles.exogenous
    ]
    return [x for x in given if len(np.unique(x)) <= MOST_LEVELS]


def scores_within(x: Floats, levels: Sequence[Floats]) -> Floats:
    """(N,): normal scores less their means in each level, standardised; nan if nothing is left."""
    z = normal_scores(x)
    for level in levels:
        _, place, n = np.unique(level, return_inverse=True, return_counts=True)
        z = z - (np.bincount(place, weights=z) / n)[place]
    z = z - z.mean()
    spread = float(np.sqrt(np.mean(z**2)))
    return z / spread if spread > 1e-9 else np.full(len(z), np.nan)


def _sorted(x: Floats) -> bool:
    """A column that the table was sorted by says nothing of how its rows were drawn."""
    steps = np.diff(x)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _tame(z: Floats) -> bool:
    """Of a column with nearly one value, two odd rows side by side are no series."""
    return bool(np.mean(z**4) < FLAT)  # not so if nan


def _with_row_before(z: Floats) -> Floats:
    """(n,): correlations of rows with the rows before them, of standardised scores (n, N)."""
    return np.asarray((z[:, 1:] * z[:, :-1]).mean(axis=1))


def _chance(r: Floats, z: Floats) -> float:
    """How often independent rows look as much like a series, in one column or in all together.

    In random order each r has mean -1 / N and variance 1 / N, and those of two columns with
    correlation c a covariance of c^2 / N.
    """
    from scipy.special import ndtr  # here: `import gpnet` does not need it

    n_rows = z.shape[1]
    off = (r + 1 / n_rows) * np.sqrt(n_rows)
    together = off.sum() / np.sqrt(((z @ z.T / n_rows) ** 2).sum())
    one, every = len(r) * ndtr(-off.max()), ndtr(-together)
    return float(2 * min(one, every))


def _warning(alike: dict[str, float], n_rows: int) -> Issue:
    names = sorted(alike, key=lambda name: -alike[name])
    usual, most = float(np.median(list(alike.values()))), alike[names[0]]
    # Products of two such series are as precise as those of so many independent rows.
    worth = max(1, round(n_rows * (1 - usual**2) / (1 + usual**2)))
    step = max(2, int(np.ceil(np.log(APART) / np.log(usual))))
    problem = (
        f"rows resemble the rows before them in {count(len(names), 'column')} ({quoted(names)}; "
        f"correlation up to {most:.2f}). gpnet takes rows as independent: of a series in time or "
        f"space, these {count(n_rows, 'row')} tell about as much as {worth:,}, so that its claims "
        "will be too sure"
    )
    remedy = (
        f"if the rows follow each other in time or space, keep every {_ordinal(step)} or so "
        f"(in pandas: table[::{step}]); if they come in groups, name these (condition= or "
        "--condition); a table that was merely sorted can stay as it is"
    )
    return Issue("warning", "autocorrelated", tuple(names), (), problem, remedy)


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third"}.get(n, f"{n}th")
