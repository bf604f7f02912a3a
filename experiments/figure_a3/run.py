"""Expected SHD of CPDAGs, from the rows of figure 1."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments.experiment import Settings
from experiments.study.rows import KEY
from experiments.study.tables import side_by_side


def select(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[[*KEY, "eshd_cpdag", "etp_cpdag", "efp_cpdag"]]


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    yield from side_by_side(rows, settings, "eshd_cpdag", "expected SHD of CPDAGs")
