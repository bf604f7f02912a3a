"""Expected true and false edges by what is told of the conditions."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    figure = Figure(figsize=(8, 1 + 0.32 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    axes.barh(places, rows["etp"], color="C2", label="true edges, expected")
    axes.barh(places, -rows["efp"], color="C3", label="false edges, expected")
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.axvline(17, color="0.6", linewidth=0.8, linestyle="--")
    axes.set_yticks(places, rows["score"] + ", " + rows["view"])
    axes.invert_yaxis()
    axes.set_xlabel("edges (dashed: all 17 of the consensus network)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
