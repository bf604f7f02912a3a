"""Expected SHD under three priors of lengthscales, beside the published one of IG(2, 2)."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments.experiment import Settings
from experiments.study.rows import keys, measure
from experiments.study.tables import side_by_side

__all__ = ["keys", "measure", "report"]


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    yield from side_by_side(rows, settings, "eshd", "expected SHD of DAGs")
