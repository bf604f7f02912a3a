"""Predicted against measured shifts of the mean, where a protein was set to its measured level."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Settings

WAY = "level"


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    rows = rows[rows["set"] == WAY]
    methods = rows["method"].unique()
    figure = Figure(figsize=(3.2 * len(methods), 3.9), layout="constrained")
    panels = figure.subplots(1, len(methods), sharex=True, sharey=True, squeeze=False)[0]
    treatments = {name: f"C{i}" for i, name in enumerate(rows["treatment"].unique())}
    for axes, method in zip(panels, methods, strict=True):
        _panel(axes, rows[rows["method"] == method], treatments)
        axes.set_title(method, fontsize="medium")
    panels[0].set_ylabel("measured shift (sd of untreated cells)")
    figure.supxlabel("predicted shift, with its 90% band", fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, treatments: dict[str, str]) -> None:
    axes.axhline(0, color="0.8", linewidth=0.8)
    axes.axvline(0, color="0.8", linewidth=0.8)
    axes.axline((0, 0), slope=1, color="0.5", linewidth=0.8, linestyle="--")
    for name, colour in treatments.items():
        group = rows[rows["treatment"] == name]
        x, sd = group["predicted"] / group["sd"], group["sd"]
        # A mean may lie outside the band: where a path is improbable, yet much would follow of it.
        reach = [(x - group["low"] / sd).clip(lower=0), (group["high"] / sd - x).clip(lower=0)]
        look = {"fmt": "o", "markersize": 3, "linewidth": 0.8, "color": colour}
        label = f"{name} ({group['target'].iloc[0]})"
        axes.errorbar(x, group["measured"] / sd, xerr=reach, label=label, **look)
    axes.spines[["top", "right"]].set_visible(False)
