"""Boxes over data sets, ours and the published ones beside each other."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.experiment import Settings
from experiments.study.tables import against, twins, twins_in_time

OURS, PUBLISHED = "#2a6f97", "#b8b8b8"
WIDTH = 0.36


def boxes(rows: pd.DataFrame, settings: Settings, column: str, label: str) -> Figure:
    """A panel a lambda; a method's two boxes are of the same data sets."""
    lambdas = sorted(rows["lambda"].unique())
    n_methods = rows["method"].nunique()
    figure = Figure(figsize=(2 + 0.42 * n_methods * len(lambdas), 4.6), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True)[0]
    published = False
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        published |= _panel(axes, rows[rows["lambda"] == nonlinearity], settings, column)
        axes.set_title(f"$\\lambda$ = {nonlinearity:g}")
        if column == "seconds":
            axes.set_yscale("log")
    panels[0].set_ylabel(label)
    if published:
        patches = [Patch(color=OURS, label="ours"), Patch(color=PUBLISHED, label="published")]
        figure.legend(handles=patches, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, settings: Settings, column: str) -> bool:
    """Whether anything published was drawn: once, at the method of that name or the first such."""
    methods = list(dict.fromkeys(rows["method"]))
    drawn = set()
    pairs = twins_in_time if column == "seconds" else twins
    for place, (method, ours, theirs) in enumerate(pairs(rows, settings)):
        twin = against(settings, method)
        beside = len(theirs) and (twin == method or twin not in {*methods, *drawn})
        shift = WIDTH / 1.8 if beside else 0
        box(axes, ours[column], place - shift, OURS)
        if beside:
            drawn.add(twin)
            box(axes, theirs[column], place + shift, PUBLISHED)
    _dress(axes, methods)
    return bool(drawn)


def _dress(axes: Axes, methods: Sequence[str]) -> None:
    axes.set_xticks(range(len(methods)), methods, rotation=90)
    axes.set_xlim(-0.7, len(methods) - 0.3)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def box(axes: Axes, values: pd.Series, place: float, colour: str) -> None:
    """One box over data sets."""
    axes.boxplot(
        [values.to_numpy()],
        positions=[place],
        widths=WIDTH,
        patch_artist=True,
        boxprops={"facecolor": colour, "linewidth": 0.6},
        medianprops={"color": "black", "linewidth": 1.4},
        whiskerprops={"linewidth": 0.7},
        capprops={"linewidth": 0.7},
        flierprops={"marker": ".", "markersize": 3},
    )
