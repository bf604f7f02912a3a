"""The reliability plot of calibration, a line for each scale and weight."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.calibration import figure
from experiments.calibration_weak.run import told_apart
from experiments.experiment import Settings


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    return figure.draw(told_apart(rows), settings)
