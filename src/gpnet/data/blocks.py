"""Whether a table pools several samples: blocks of rows that differ in distribution.

Rows are taken as independent draws of one network. Where files of several conditions were put one
after the other, all columns change their level at the same rows, which looks like dependence of
all on all.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from gpnet.common.messages import count, quoted
from gpnet.common.types import Floats
from gpnet.data.issues import Column, Issue
from gpnet.data.roles import Assigned
from gpnet.data.row_order import levels_of, scores_within

N_BLOCKS: Final = 8  # equal stretches of the table that are compared
LEAST_ROWS: Final = 80
LEAST_SHARE: Final = 0.05  # of a column's variance (by ranks) that lies between the blocks
MOST_CHANCE: Final = 1e-6  # that a column without blocks would look so, after all tests
TOLD: Final = 2  # columns that have to change: one may have a trend of its own


def changing_blocks(values: Floats, columns: Sequence[Column], roles: Assigned) -> list[Issue]:
    """Columns whose level changes along the table, where no column says why.

    What differs between the levels of exogenous columns is accounted for.
    """
    n_rows = len(values)
    if n_rows < LEAST_ROWS or values.shape[1] != len(columns):
        return []
    if any(name in roles.levels for name in roles.exogenous):  # batches are accounted for
        return []
    levels = levels_of(values, columns, roles)
    shares = np.array([_share_between(scores_within(x, levels)) for x in values.T])
    by_chance = np.array([_tail(share, n_rows) for share in shares]) * len(columns)
    changing = [
        column.name
        for column, share, p in zip(columns, shares, by_chance, strict=True)
        if share > LEAST_SHARE and p < MOST_CHANCE and column.name not in roles.exogenous
    ]
    if len(changing) < TOLD:
        return []
    problem = (
        f"{count(len(changing), 'column')} change their level from one stretch of rows to another "
        f"({quoted(changing)}): the table seems to pool several samples, or to follow time, and "
        "what differs between these looks like arrows"
    )
    remedy = (
        "add a column that says which row is from where (condition= or --condition), say what was "
        "set (interventions= or --interventions), or learn from one sample alone"
    )
    return [Issue("warning", "pooled", tuple(changing), (), problem, remedy)]


def _share_between(scores: Floats) -> float:
    """Of their variance, how much lies between the blocks; none where nothing varies."""
    if np.isnan(scores).any():
        return 0.0
    block = np.arange(len(scores)) * N_BLOCKS // len(scores)
    sizes = np.bincount(block, minlength=N_BLOCKS)
    means = np.bincount(block, weights=scores, minlength=N_BLOCKS) / sizes
    total = float(((scores - scores.mean()) ** 2).sum())
    return float((sizes * (means - scores.mean()) ** 2).sum()) / total if total > 0 else 0.0


def _tail(share: float, n_rows: int) -> float:
    """How often rows in random order have as much between the blocks: an analysis of variance."""
    from scipy.special import fdtrc  # here: `import gpnet` does not need it

    if share >= 1:
        return 0.0
    between, within = N_BLOCKS - 1, n_rows - N_BLOCKS
    return float(fdtrc(between, within, share / between / ((1 - share) / within)))
