"""Expected SHD by structure prior."""

import pandas as pd
from matplotlib.figure import Figure

from experiments.experiment import Settings


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A panel for each lambda; boxes over runs, of each score, prior and evidence."""
    lambdas = sorted(rows["lambda"].unique())
    figure = Figure(figsize=(4 * len(lambdas), 4), layout="constrained")
    panels = figure.subplots(1, len(lambdas), squeeze=False, sharey=True)[0]
    for axes, nonlinearity in zip(panels, lambdas, strict=True):
        mine = rows[rows["lambda"] == nonlinearity]
        groups = {
            ", ".join(names): group["eshd"]
            for names, group in mine.groupby(["score", "prior", "evidence"], sort=False)
        }
        axes.boxplot(list(groups.values()))
        axes.set_xticks(range(1, len(groups) + 1), list(groups), rotation=90, fontsize=8)
        axes.set_title(f"lambda {nonlinearity:g}")
    panels[0].set_ylabel("expected SHD")
    return figure
