"""One picture: what claims are worth, and what the other half of the rows says."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.real_tables import measures
from experiments.real_tables.measures import Ordered
from experiments.real_tables.report import LEVELS
from gpnet.common.types import Floats
from gpnet.plots.palette import CHAINS, GREY

BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the claimed direction
MARKERS = "osD^vP"


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """On the left directions as claimed and as they are, on the right halves."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    candidates = list(dict.fromkeys(rows["candidate"]))
    whole = rows[rows["view"] == "whole"]
    shown = [(one, level) for one in candidates[:2] for level in LEVELS]
    for number, (candidate, level) in enumerate(shown):
        pairs = Ordered.of(whole[whole["candidate"] == candidate], LEVELS[level])
        _calibration(left, pairs.directions[0], f"{candidate}, {level}", number)
    left.plot([0.5, 1], [0.5, 1], color=GREY, linewidth=0.8)
    left.set(xlabel="claimed for the likelier direction", ylabel="share that is right")
    left.set(xlim=(0.48, 1.02), ylim=(-0.02, 1.02))
    left.legend(frameon=False, fontsize=7, loc="lower right")
    _halves(right, rows, candidates)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _calibration(axes: Axes, along: Floats, label: str, number: int) -> None:
    claimed, right = np.maximum(along, 1 - along), along > 0.5
    place = np.digitize(claimed, BINS[1:-1])
    filled = [b for b in range(len(BINS) - 1) if (place == b).any()]
    x = [claimed[place == b].mean() for b in filled]
    y = [right[place == b].mean() for b in filled]
    size = [8 + 1.5 * (place == b).sum() for b in filled]
    look = {"color": CHAINS[number % 6], "marker": MARKERS[number % 6]}
    axes.plot(x, y, color=CHAINS[number % 6], linewidth=0.7, alpha=0.6)
    axes.scatter(x, y, s=size, label=label, alpha=0.85, **look)


def _halves(axes: Axes, rows: pd.DataFrame, candidates: list[str]) -> None:
    """Shares of what is strong in one half of the rows."""
    names = ("adjacency found again", "adjacency gone", "arrow the same", "arrow reversed")
    for number, candidate in enumerate(candidates):
        found = measures.again(rows[rows["candidate"] == candidate])
        if not found.adjacencies:
            continue
        shares = np.array([found.found, found.gone]) / found.adjacencies
        arrows = np.array([found.same, found.reversed]) / max(1, found.arrows)
        place = np.arange(4) + (number - (len(candidates) - 1) / 2) * 0.8 / len(candidates)
        values = np.concatenate([shares, arrows])
        axes.barh(place, values, 0.8 / len(candidates), color=CHAINS[number % 6], label=candidate)
    axes.set_yticks(range(4), names, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share, in the other half of the rows")
    axes.legend(frameon=False, fontsize=7, loc="lower right")
