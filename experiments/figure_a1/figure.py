"""Differences in log score between a chain and its reverse, by nonlinearity."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.figure_a1.run import summary


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """Medians, in a band from the 10% to the 90% quantile."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for score, mine in summary(rows).groupby("score", sort=False):
        mine = mine.sort_values("lambda")
        (line,) = axes.plot(mine["lambda"], mine["median"], "o-", markersize=4, label=score)
        colour = line.get_color()
        band = {"facecolor": (colour, 0.15), "edgecolor": (colour, 0.5)}
        axes.fill_between(mine["lambda"], mine["low"], mine["high"], **band)
    axes.axhline(0, color="0.4", linewidth=0.8, zorder=0)
    axes.set(xlabel="lambda (0: straight lines)", ylabel="log score, chain less its reverse")
    axes.set_title("medians, and the runs between 10% and 90%", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    return figure
