"""Figure A3: expected SHD of CPDAGs."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    return boxes(rows, settings, "eshd_cpdag", "expected SHD of CPDAGs")
