"""Boxes over data sets, ours and the published ones beside each other."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments import reference
from experiments.study.tables import tuned

OURS, PUBLISHED = "#2a6f97", "#b8b8b8"
WIDTH = 0.36


def boxes(rows: pd.DataFrame, nodes: int, column: str, label: str, *, log: bool = False) -> Figure:
    """A panel a lambda; a method's two boxes are of the same data sets."""
    ours, theirs = tuned(rows), tuned(reference.published(nodes))
    lambdas = sorted(ours["lambda"].unique())
    methods = list(dict.fromkeys(ours["method"]))
    figure = Figure(figsize=(2 + 0.42 * len(methods) * len(lambdas), 4.6), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True)[0]
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        mine = ours[ours["lambda"] == nonlinearity]
        same = theirs[theirs["lambda"] == nonlinearity]
        _panel(axes, methods, mine, same, column)
        axes.set_title(f"$\\lambda$ = {nonlinearity:g}")
        if log:
            axes.set_yscale("log")
    panels[0].set_ylabel(label)
    if len(theirs):
        patches = [Patch(color=OURS, label="ours"), Patch(color=PUBLISHED, label="published")]
        figure.legend(handles=patches, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _panel(
    axes: Axes, methods: Sequence[str], mine: pd.DataFrame, theirs: pd.DataFrame, column: str
) -> None:
    for place, method in enumerate(methods):
        own = mine[mine["method"] == method]
        twin = theirs[(theirs["method"] == method) & theirs["run"].isin(own["run"])]
        shift = WIDTH / 1.8 if len(twin) else 0
        _box(axes, own[column], place - shift, OURS)
        _box(axes, twin[column], place + shift, PUBLISHED)
    axes.set_xticks(range(len(methods)), methods, rotation=90)
    axes.set_xlim(-0.7, len(methods) - 0.3)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _box(axes: Axes, values: pd.Series, place: float, colour: str) -> None:
    if not len(values):
        return
    axes.boxplot(
        [values.to_numpy()],
        positions=[place],
        widths=WIDTH,
        patch_artist=True,
        boxprops={"facecolor": colour, "linewidth": 0.6},
        medianprops={"color": "black", "linewidth": 1.4},
        whiskerprops={"linewidth": 0.7},
        capprops={"linewidth": 0.7},
        flierprops={
            "marker": "o",
            "markersize": 2,
            "markerfacecolor": colour,
            "markeredgewidth": 0,
        },
    )
