"""Figure A6: expected SHD by the prior of lengthscales."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame) -> Figure:
    return boxes(rows, 10, "eshd", "expected SHD")
