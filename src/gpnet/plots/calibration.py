"""Calibration: what came true against what was claimed."""

import os
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats import beta

from gpnet.common.errors import OptionError
from gpnet.common.messages import quoted
from gpnet.common.types import Floats
from gpnet.graphs.dag_csv import read_dag
from gpnet.plots import palette
from gpnet.plots.base import TINY, diagonal, headline, one_axes, tidy
from gpnet.posterior import metrics

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (3.9, 3.9)
BINS: Final = 10
COVERED: Final = 0.95


def posterior_calibration(
    posterior: "Posterior",
    truth: pd.DataFrame | NDArray[Any] | str | os.PathLike[str],
    ax: Axes | None = None,
) -> Axes:
    """Of one posterior: the truth is (n, n), or a frame or file with the names, row = parent."""
    if isinstance(truth, str | os.PathLike):
        truth = read_dag(truth, posterior.names)
    if isinstance(truth, pd.DataFrame):
        truth = _by_names(truth, posterior.names)
    return calibration(posterior.edge_probabilities().to_numpy(), truth, ax)


def calibration(probabilities: Floats, truths: NDArray[Any], ax: Axes | None = None) -> Axes:
    """Of edge probabilities (n, n) or (..., n, n) of several, and as many true DAGs.

    Claims lie in ten bins; a bar is Jeffreys' 95% interval of the share that is true, a number the
    count of ordered pairs in the bin.
    """
    bins = metrics.calibration(probabilities, truths, BINS)
    if bins.empty:
        raise OptionError("probabilities: of one variable alone, which has no edges; give more")
    error = metrics.expected_calibration_error(probabilities, truths, BINS)
    ax = one_axes(ax, SIZE)
    diagonal(ax)
    _draw_bins(ax, bins)
    ax.set(xlabel="claimed probability of an edge", ylabel="share that is true")
    headline(ax, f"calibration error {error:.3f}")
    tidy(ax)
    return ax


def _draw_bins(ax: Axes, bins: pd.DataFrame) -> None:
    claimed, share, n_pairs = (bins[name].to_numpy() for name in ("claimed", "true", "count"))
    low, high = beta.interval(COVERED, share * n_pairs + 0.5, (1 - share) * n_pairs + 0.5)
    bars = np.maximum([share - low, high - share], 0)  # at 0 and 1 the interval begins inside
    ax.errorbar(
        claimed,
        share,
        bars,
        color=palette.ACCENT,
        marker="o",
        markersize=5,
        capsize=0,
        linestyle="",
        elinewidth=1.4,
        clip_on=False,
    )
    for x, y, n in zip(claimed, share, n_pairs, strict=True):
        _write_count(ax, x, y, n)


def _write_count(ax: Axes, x: float, y: float, n: int) -> None:
    """Beside the mark, on the side where there is room."""
    side = -1 if x > 0.5 else 1
    ax.annotate(
        f"{n:,}",
        (x, y),
        (6 * side, 0),
        textcoords="offset points",
        ha="left" if side > 0 else "right",
        va="center",
        fontsize=TINY,
        color=palette.GREY,
    )


def _by_names(truth: pd.DataFrame, names: tuple[str, ...]) -> NDArray[Any]:
    """As an array, in the order of the posterior; without row names, rows go as the columns do."""
    if set(truth.columns) != set(names) or truth.shape != (len(names), len(names)):
        raise OptionError(
            f"truth: expected a row and a column for each of {quoted(names)}, found the columns "
            f"{quoted(truth.columns)}"
        )
    rows = truth if set(truth.index) == set(names) else truth.set_axis(truth.columns, axis=0)
    return np.asarray(rows.loc[list(names), list(names)].to_numpy())
