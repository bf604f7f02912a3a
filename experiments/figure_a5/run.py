"""How many scores Algorithm 1 evaluates, by Laplace's approximation and then accurately.

From the rows of figure 1. The space is not searched for here: all sets of up to four parents are
scored by Laplace's approximation, which is the same number for all data sets.
"""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments.experiment import Settings
from experiments.study.rows import KEY

METHODS = ["GP, order", "GP, partition"]


def select(rows: pd.DataFrame) -> pd.DataFrame:
    mine = rows[rows["method"].isin(METHODS)]
    return mine[[*KEY, "sets_in_table", "sets_scored_again"]]


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    table = Table(
        *("", "parameter", "lambda", "data sets", "by Laplace", "accurately", "of 100 by Laplace"),
        title="median number of scores evaluated",
    )
    for (method, parameter, nonlinearity), mine in select(rows).groupby(
        ["method", "parameter", "lambda"]
    ):
        first, again = mine["sets_in_table"].median(), mine["sets_scored_again"].median()
        numbers = [str(len(mine)), f"{first:.0f}", f"{again:.0f}", f"{100 * again / first:.1f}"]
        table.add_row(method, f"{parameter:g}", f"{nonlinearity:g}", *numbers)
    yield table
