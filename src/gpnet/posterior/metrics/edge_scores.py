"""How good probabilities of edges are: ranking, log loss, calibration."""

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Floats
from gpnet.posterior.metrics.checks import ordered_pairs

# An edge that was never drawn is rare, not impossible: it may not make the loss infinite.
RAREST: Final = 1e-6


def auroc(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """The area under the ROC curve of the edges, over all ordered pairs of nodes.

    That is, how often an edge has a higher probability than a pair without one; ties count half.

    Parameters
    ----------
    probabilities : array, shape (..., n, n)
        Of edges, [parent, child]; one matrix or several.
    truth : array of bool, shape (..., n, n)
        The true DAG of each matrix.

    Returns
    -------
    float
        From 0 to 1; nan where all pairs are edges, or none is.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.auroc(np.array([[0, 0.75], [0.25, 0]]), truth)
    1.0
    """
    p, is_edge = ordered_pairs(probabilities, truth)
    n_edges, n_others = int(is_edge.sum()), int((~is_edge).sum())
    if not n_edges or not n_others:
        return float("nan")
    from scipy.stats import rankdata  # takes as long to import as all else together

    wins = rankdata(p)[is_edge].sum() - n_edges * (n_edges + 1) / 2
    return float(wins / (n_edges * n_others))


def average_precision(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean over edges of the precision at their probability.

    The precision is the share of edges among all ordered pairs of at least this probability.

    Parameters
    ----------
    probabilities : array, shape (..., n, n)
        Of edges, [parent, child]; one matrix or several.
    truth : array of bool, shape (..., n, n)
        The true DAG of each matrix.

    Returns
    -------
    float
        From 0 to 1; nan where there are no edges.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.average_precision(np.array([[0, 0.25], [0.75, 0]]), truth)
    0.5
    """
    p, is_edge = ordered_pairs(probabilities, truth)
    if not is_edge.any():
        return float("nan")
    everyone, edges = np.sort(p), np.sort(p[is_edge])
    n_pairs = len(everyone) - np.searchsorted(everyone, edges)
    n_edges = len(edges) - np.searchsorted(edges, edges)
    return float(np.mean(n_edges / n_pairs))


def log_loss(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean over ordered pairs of -log of the probability given to what is true.

    Probabilities are kept 1e-6 away from 0 and 1.

    Parameters
    ----------
    probabilities : array, shape (..., n, n)
        Of edges, [parent, child]; one matrix or several.
    truth : array of bool, shape (..., n, n)
        The true DAG of each matrix.

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> round(metrics.log_loss(np.array([[0, 0.5], [0.5, 0]]), truth), 3)
    0.693
    """
    p, is_edge = ordered_pairs(probabilities, truth)
    right = np.where(is_edge, p, 1 - p)
    return float(-np.log(np.clip(right, RAREST, 1 - RAREST)).mean()) if len(p) else float("nan")


def calibration(probabilities: Floats, truth: NDArray[np.bool_], bins: int = 10) -> pd.DataFrame:
    """Claimed probabilities beside the share of true edges, in equal bins of [0, 1].

    Parameters
    ----------
    probabilities : array, shape (..., n, n)
        Of edges, [parent, child]; one matrix or several.
    truth : array of bool, shape (..., n, n)
        The true DAG of each matrix.
    bins : int
        1 or more.

    Returns
    -------
    DataFrame
        A row for each bin that is not empty: `low` and `high`, its limits; `claimed`, the mean
        probability; `true`, the share of edges; `count`, the number of ordered pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.calibration(np.array([[0, 0.75], [0.25, 0]]), truth, bins=2)
       low  high  claimed  true  count
    0  0.0   0.5     0.25   0.0      1
    1  0.5   1.0     0.75   1.0      1
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise OptionError(f"bins: a whole number of 1 or more, found {quote(bins)}")
    p, is_edge = ordered_pairs(probabilities, truth)
    place = np.minimum((p * bins).astype(int), bins - 1)
    count = np.bincount(place, minlength=bins)
    filled = np.flatnonzero(count)
    columns = {
        "low": filled / bins,
        "high": (filled + 1) / bins,
        "claimed": np.bincount(place, weights=p, minlength=bins)[filled] / count[filled],
        "true": np.bincount(place, weights=is_edge, minlength=bins)[filled] / count[filled],
        "count": count[filled],
    }
    return pd.DataFrame(columns)


def expected_calibration_error(
    probabilities: Floats, truth: NDArray[np.bool_], bins: int = 10
) -> float:
    """The mean over ordered pairs of |claimed - true| of their bin, as `calibration` has them.

    Parameters
    ----------
    probabilities : array, shape (..., n, n)
        Of edges, [parent, child]; one matrix or several.
    truth : array of bool, shape (..., n, n)
        The true DAG of each matrix.
    bins : int
        1 or more.

    Returns
    -------
    float
        0 where the claims are calibrated.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.expected_calibration_error(np.array([[0, 0.75], [0.25, 0]]), truth, bins=2)
    0.25
    """
    frame = calibration(probabilities, truth, bins)
    return float(np.average(np.abs(frame["claimed"] - frame["true"]), weights=frame["count"]))
