"""Figure A2: curves over the tuning parameter, ours whole and the published ones broken."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments import reference
from experiments.experiment import Settings
from experiments.figure_a2.run import select

# As in the paper, without partition MCMC; the rows have it too.
COLOURS = {
    "GP, order": "#c1121f",
    "Laplace, order": "#2a6f97",
    "BGe, order": "#588157",
    "kPC-HSIC": "#8338ec",
    "kPC-DC": "#e09f3e",
    "DiBS+": "#d81b60",
    "gpnet": "black",
}


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    means = select(rows)
    lambdas = sorted(means["lambda"].unique())
    figure = Figure(figsize=(3.6 * len(lambdas), 4.2), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True, sharex=True)[0]
    shown = [method for method in COLOURS if method in set(means["method"])]
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        for method in shown:
            mine = means[(means["lambda"] == nonlinearity) & (means["method"] == method)]
            mine = mine.sort_values("parameter")
            look = {"color": COLOURS[method], "marker": "o", "markersize": 4, "linewidth": 1.2}
            axes.plot(mine["fprp"], mine["tpr"], **look)
            axes.plot(mine["fprp_published"], mine["tpr_published"], **look | {"linestyle": ":"})
        axes.set(title=f"$\\lambda$ = {nonlinearity:g}", xlabel="FPRp", ylim=(0, 1))
        axes.grid(color="#e5e5e5", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("TPR")
    panels[0].autoscale(axis="x")
    panels[0].set_xlim(left=0)
    handles = [Line2D([], [], color=COLOURS[m], marker="o", markersize=4, label=m) for m in shown]
    if reference.present():
        handles.append(Line2D([], [], color="#808080", linestyle=":", label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure
