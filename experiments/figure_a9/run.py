"""Run-times with 15 nodes, published and our own; theirs are of another machine."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments.experiment import Settings
from experiments.study.rows import keys
from experiments.study.rows import measure_alone as measure
from experiments.study.tables import times_side_by_side

__all__ = ["keys", "measure", "report"]


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    yield from times_side_by_side(rows, settings)
