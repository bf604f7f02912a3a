"""Figure A5: numbers of scores, on a scale of powers of ten."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.figure_a5.run import METHODS, select
from experiments.study.boxes import box

COLOURS = {"GP, order": "#588157", "GP, partition": "#9c6644"}


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A panel a lambda; boxes over data sets, by sampler and penalty of an edge."""
    mine = select(rows)
    lambdas = sorted(mine["lambda"].unique())
    figure = Figure(figsize=(3.4 * len(lambdas), 3.8), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True)[0]
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        _panel(axes, mine[mine["lambda"] == nonlinearity])
        axes.set(title=f"$\\lambda$ = {nonlinearity:g}", xlabel="exp(penalty of an edge)")
        axes.set_yscale("log")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("scores evaluated")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    parameters = sorted(rows["parameter"].unique())
    for shift, method in zip((-0.2, 0.2), METHODS, strict=True):
        counts = rows[rows["method"] == method].groupby("parameter")["sets_scored_again"]
        for parameter, values in counts:
            box(axes, values, parameters.index(parameter) + shift, COLOURS[method])
        axes.plot([], [], color=COLOURS[method], linewidth=6, label=f"accurately, {method}")
    axes.axhline(rows["sets_in_table"].iloc[0], color="#2a6f97", label="by Laplace")
    axes.set_xticks(range(len(parameters)), [f"{p:g}" for p in parameters])
