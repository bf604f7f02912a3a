"""Log loss of the finalists, family by family."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.defaults.run import CANDIDATE
from experiments.experiment import Settings


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A row of dots for each family: the mean over its data sets."""
    finals = rows[rows["evidence"] == "qmc"]
    by = finals.groupby([*CANDIDATE, "family"], sort=False)["log_loss"].mean().unstack("family")
    figure = Figure(figsize=(8, 1 + 0.45 * len(by.columns)), layout="constrained")
    axes = figure.subplots()
    for candidate, losses in by.iterrows():
        label = ", ".join(map(str, candidate))
        axes.plot(losses, range(len(losses)), "o", alpha=0.7, label=label)
    axes.set_yticks(range(len(by.columns)), list(by.columns))
    axes.invert_yaxis()
    axes.set_xlabel("log loss of edges (less is better)")
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    return figure
