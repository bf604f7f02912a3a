"""Figure 2: seconds, on a scale of powers of ten."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame) -> Figure:
    return boxes(rows, 10, "seconds", "seconds", log=True)
