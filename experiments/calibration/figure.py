"""The reliability plot: the share of true edges against the claimed probability."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import beta

from experiments import edges
from experiments.experiment import Settings
from gpnet.posterior import metrics

BINS = 10
COVERED = 0.95


def draw(rows: pd.DataFrame, settings: Settings) -> Figure:
    """A panel for each structure prior, a line for each scale."""
    priors = rows["prior"].unique()
    figure = Figure(figsize=(4 * len(priors), 4), layout="constrained")
    panels = figure.subplots(1, len(priors), squeeze=False)[0]
    for axes, prior in zip(panels, priors, strict=True):
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
        for scale, mine in rows[rows["prior"] == prior].groupby("scale", sort=False):
            _reliability(axes, mine, str(scale))
        axes.set(title=prior, xlabel="claimed probability of an edge", aspect="equal")
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    panels[0].set_ylabel("share of true edges")
    return figure


def _reliability(axes: Axes, rows: pd.DataFrame, scale: str) -> None:
    """Bars: Jeffreys' interval of a binomial share."""
    probabilities, truth = edges.read(rows["probabilities"]), edges.read(rows["truth"]) > 0
    bins = metrics.calibration(probabilities, truth, BINS)
    share, count = bins["true"].to_numpy(), bins["count"].to_numpy()
    low, high = beta.interval(COVERED, share * count + 0.5, (1 - share) * count + 0.5)
    bars = np.maximum([share - low, high - share], 0)  # at 0 and 1 the interval begins inside
    error = metrics.expected_calibration_error(probabilities, truth, BINS)
    label = f"{scale} scale, ECE {error:.3f}"
    axes.errorbar(bins["claimed"], share, bars, marker="o", ms=3, capsize=2, label=label)
