"""Figure A3: expected SHD of CPDAGs."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame) -> Figure:
    return boxes(rows, 10, "eshd_cpdag", "expected SHD of CPDAGs")
