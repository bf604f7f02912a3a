"""Expected SHD and the two edges that were tested, by method and structure prior."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Settings
from experiments.sachs import published
from experiments.table_1.run import OWN, as_published

EDGES = {"erk_akt": ("Erk → Akt", "o", "C0"), "no_erk_pka": ("no Erk → PKA", "s", "C1")}
DRAWN = ["method", "prior", "eshd", *EDGES]


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A line for each row; what was published stands hollow, on a line of its own."""
    lines = _lines(rows)
    figure = Figure(figsize=(9, 1.4 + 0.22 * len(lines)), layout="constrained")
    distance, edges = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    _dots(distance, lines, "eshd", ("expected SHD", "o", "C2"))
    distance.set_xlabel("expected SHD to the consensus DAG (less is better)")
    for column, style in EDGES.items():
        _dots(edges, lines, column, style)
    edges.set(xlim=(-0.05, 1.05), xlabel="posterior probability (more is better)")
    distance.set_yticks(lines["place"], lines["label"], fontsize=8)
    distance.invert_yaxis()
    for axes in (distance, edges):
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return figure


def _lines(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with those published below each method; `place` leaves a gap between methods."""
    theirs = published()
    theirs = theirs[theirs["graph"] == "dag"]
    lines = []
    for gap, (method, mine) in enumerate(rows.groupby("method", sort=False)):
        found = theirs[theirs["method"] == as_published(str(method))]
        found = found.assign(method=method, prior="published")
        both = pd.concat([mine[DRAWN], found[DRAWN]]) if len(found) else mine[DRAWN]
        start = sum(map(len, lines)) + 0.6 * gap
        lines.append(both.assign(place=[start + i for i in range(len(both))]))
    all_lines = pd.concat(lines)
    own = all_lines["prior"] == OWN
    label = (all_lines["method"] + ": " + all_lines["prior"]).where(~own, all_lines["method"])
    return all_lines.assign(label=label)


def _dots(axes: Axes, lines: pd.DataFrame, column: str, style: tuple[str, str, str]) -> None:
    label, marker, colour = style
    hollow = lines["prior"] == "published"
    ours, theirs = lines[~hollow], lines[hollow]
    look = {"linestyle": "", "marker": marker, "color": colour}
    axes.plot(ours[column], ours["place"], label=label, **look)
    if len(theirs):
        label = f"{label}, published"
        axes.plot(theirs[column], theirs["place"], label=label, markerfacecolor="white", **look)
