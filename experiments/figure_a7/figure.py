"""Figure A7: expected SHD of DAGs."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    return boxes(rows, settings, "eshd", "expected SHD")
