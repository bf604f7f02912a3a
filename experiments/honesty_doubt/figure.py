"""The log loss of directions by how much they are doubted."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.honesty_doubt.run import CONSTANTS, WAYS, losses_of
from gpnet.plots.palette import CHAINS, GREY

SHOWN = "coarsened, e as fitted"


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A curve a kind: coarsening by one misfit for all; dashed, the default on the same pairs."""
    coarsened, default = (
        next(way for way in WAYS if way.name == name) for name in (SHOWN, "default")
    )
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.subplots()
    for number, (kind, mine) in enumerate(rows.groupby("kind", sort=False)):
        colour = CHAINS[number]
        axes.plot(CONSTANTS, losses_of(coarsened, mine).mean(axis=1), color=colour, label=kind)
        axes.axhline(losses_of(default, mine).mean(), color=colour, linestyle="--", linewidth=1)
    axes.axhline(np.log(2), color=GREY, linewidth=0.8, label="a coin")
    axes.set(xscale="log", ylim=(0, 2), ylabel="log loss of the direction")
    axes.set_xlabel("misfit e, nats a row (dashed: the default)")
    axes.legend(frameon=False)
    return figure
