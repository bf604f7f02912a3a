"""Figure A7: expected SHD of DAGs."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame) -> Figure:
    return boxes(rows, 15, "eshd", "expected SHD")
