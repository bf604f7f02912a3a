"""What a claim is worth, by kind of data."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import beta

from experiments.experiment import Settings
from experiments.foreign_networks.tables import worth
from gpnet.plots.palette import CHAINS, FAINT, GREY

SHOWN = "90"  # claims above 0.9
MARKERS = "osD^vP"
COVERED = 0.9


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A row a kind, a mark a candidate: the share of its sure claims that is true."""
    kinds, candidates = (list(dict.fromkeys(rows[name])) for name in ("kind", "candidate"))
    height = 1.6 + len(kinds) * (0.16 + 0.14 * len(candidates))
    figure = Figure(figsize=(8.5, height), layout="constrained")
    axes = figure.subplots()
    for number, candidate in enumerate(candidates):
        shift = (number - (len(candidates) - 1) / 2) * 0.8 / len(candidates)
        mine = rows[rows["candidate"] == candidate]
        _marks(axes, mine, kinds, shift, (candidate, CHAINS[number % 6], MARKERS[number % 6]))
    _frame(axes, kinds)
    figure.legend(loc="outside upper center", ncols=len(candidates) + 1, frameon=False, fontsize=9)
    return figure


def _marks(
    axes: Axes, rows: pd.DataFrame, kinds: list[str], shift: float, look: tuple[str, str, str]
) -> None:
    """A bar is Jeffreys' interval of the true share, a stroke what is claimed on average."""
    label, colour, marker = look
    for place, kind in enumerate(kinds):
        mine = rows[rows["kind"] == kind]
        n, (claimed, true) = mine[f"claims_{SHOWN}"].sum(), worth(mine, SHOWN)
        y = place + shift
        if not n:
            axes.text(0.01, y, "no claims", color=colour, fontsize=7, va="center")
            continue
        low, high = beta.interval(COVERED, true * n + 0.5, (1 - true) * n + 0.5)
        axes.plot([min(low, true), max(high, true)], [y, y], color=colour, linewidth=1.2)
        axes.plot(claimed, y, "|", color=GREY, markersize=9, markeredgewidth=1.6)
        axes.plot(true, y, marker, color=colour, markersize=5)
        axes.text(1.02, y, f"{n}", color=colour, fontsize=7, va="center")
    axes.plot(np.nan, np.nan, marker, color=colour, markersize=5, label=label)


def _frame(axes: Axes, kinds: list[str]) -> None:
    axes.plot(np.nan, np.nan, "|", color=GREY, markersize=9, markeredgewidth=1.6, label="claimed")
    axes.set_yticks(range(len(kinds)), kinds, fontsize=9)
    axes.set(xlim=(-0.02, 1.08), ylim=(len(kinds) - 0.5, -0.5))
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.set_xlabel("share of claims above 0.9 that is true (right: how many claims)")
    axes.set_title("What a claim is worth, by kind of data", fontsize=11)
    for line in np.arange(len(kinds) - 1) + 0.5:
        axes.axhline(line, color=FAINT, linewidth=0.6)
    axes.axvspan(0.9, 1, color=FAINT, alpha=0.35, linewidth=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
