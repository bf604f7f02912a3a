"""Figure A5: numbers of scores, on a scale of powers of ten."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.figure_a5.run import METHODS, select

COLOURS = {"GP, order": "#588157", "GP, partition": "#9c6644"}


def draw(rows: pd.DataFrame) -> Figure:
    """A panel a lambda; boxes over data sets, by sampler and penalty of an edge."""
    mine = select(rows)
    lambdas, parameters = sorted(mine["lambda"].unique()), sorted(mine["parameter"].unique())
    figure = Figure(figsize=(3.4 * len(lambdas), 3.8), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True)[0]
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        here = mine[mine["lambda"] == nonlinearity]
        for shift, method in zip((-0.2, 0.2), METHODS, strict=True):
            groups = [
                here[(here["method"] == method) & (here["parameter"] == parameter)]
                for parameter in parameters
            ]
            axes.boxplot(
                [group["sets_scored_again"] for group in groups],
                positions=[place + shift for place in range(len(parameters))],
                widths=0.34,
                patch_artist=True,
                boxprops={"facecolor": COLOURS[method], "linewidth": 0.6},
                medianprops={"color": "black"},
                flierprops={"markersize": 2},
            )
            axes.plot([], [], color=COLOURS[method], linewidth=6, label=f"accurately, {method}")
        axes.axhline(here["sets_in_table"].iloc[0], color="#2a6f97", label="by Laplace")
        axes.set_xticks(range(len(parameters)), [f"{p:g}" for p in parameters])
        axes.set(title=f"$\\lambda$ = {nonlinearity:g}", xlabel="exp(penalty of an edge)")
        axes.set_yscale("log")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("scores evaluated")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure
