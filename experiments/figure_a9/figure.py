"""Figure A9: seconds, on a scale of powers of ten."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.study.boxes import boxes


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    return boxes(rows, settings, "seconds", "seconds")
