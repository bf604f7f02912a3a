"""Figure 3: divergence by number of draws, and the probabilities of DAGs."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Settings

COLOURS = {
    "BGe": "#588157",
    "Laplace": "#2a6f97",
    "Algorithm 1": "#e09f3e",
    "weighted": "#c1121f",
    "weighted, exact sampler": "#8338ec",
}
N_DAGS = 60  # most probable ones, which hold nearly all of the posterior


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    _divergences(left, rows)
    _probabilities(right, rows.dropna(subset=["probabilities"]))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _divergences(axes: Axes, rows: pd.DataFrame) -> None:
    """The mean over seeds, and the range of all of them, of each method."""
    for method, mine in rows.groupby("method", sort=False):
        by_draws = mine.groupby("draws")["kl"].agg(["mean", "min", "max"])
        colour = COLOURS[str(method)]
        axes.plot(by_draws.index, by_draws["mean"], color=colour, marker="o", ms=3, label=method)
        axes.fill_between(
            by_draws.index, by_draws["min"], by_draws["max"], color=colour, alpha=0.2, linewidth=0
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="number of draws M",
        ylabel="reverse K-L divergence to the exact posterior",
    )
    axes.legend(frameon=False, fontsize=8)


def _probabilities(axes: Axes, rows: pd.DataFrame) -> None:
    """Of the DAGs that are most probable: the exact posterior as bars, the methods as dots."""
    if rows.empty:
        return
    exact = np.array(rows["exact"].iloc[0].split(), dtype=float)
    best = np.argsort(-exact)[:N_DAGS]
    axes.bar(range(len(best)), exact[best], color="#d0d0d0", width=1, label="exact")
    for row in rows.to_dict("records"):
        found = np.array(row["probabilities"].split(), dtype=float)[best]
        axes.plot(found, ".", color=COLOURS[row["method"]], ms=5, label=row["method"])
    share = f"{exact[best].sum():.0%} of the posterior"
    axes.set(
        xlabel=f"the {len(best)} most probable of {len(exact)} DAGs: {share}",
        ylabel=f"probability, M = {rows['draws'].iloc[0]:,}",
    )
    axes.legend(frameon=False, fontsize=8)
