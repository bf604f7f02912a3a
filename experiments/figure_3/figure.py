"""The left panel of figure 3."""

import pandas as pd
from matplotlib.figure import Figure


def draw(rows: pd.DataFrame) -> Figure:
    """The mean over seeds, and the range of all of them, of each method."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for method, mine in rows.groupby("method", sort=False):
        by_draws = mine.groupby("draws")["kl"].agg(["mean", "min", "max"])
        (line,) = axes.plot(by_draws.index, by_draws["mean"], marker="o", ms=3, label=method)
        axes.fill_between(
            by_draws.index, by_draws["min"], by_draws["max"], color=line.get_color(), alpha=0.2
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="number of draws M",
        ylabel="reverse K-L divergence to the exact posterior",
    )
    axes.legend(frameon=False, fontsize=8)
    return figure
