"""Figure 1: expected SHD of DAGs."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame) -> Figure:
    return boxes(rows, 10, "eshd", "expected SHD")
