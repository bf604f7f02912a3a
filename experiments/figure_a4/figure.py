"""Figure A4: divergence by seconds."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings

COLOURS = {
    "BGe": "#588157",
    "Algorithm 1": "#e09f3e",
    "weighted": "#c1121f",
    "DiBS+": "#d81b60",
}


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A point a seed, and a line through the means of each size."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for method, mine in rows.groupby("method", sort=False):
        means = mine.groupby("size")[["seconds", "kl"]].mean()
        axes.plot(mine["seconds"], mine["kl"], ".", color=COLOURS[str(method)], alpha=0.4)
        axes.plot(means["seconds"], means["kl"], "o-", color=COLOURS[str(method)], label=method)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="seconds",
        ylabel="reverse K-L divergence to the exact posterior",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure
