"""Probabilities of edges and the truth as cells of a CSV file, and measures of both."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.types import Floats
from gpnet.posterior import metrics

SURE = 0.8  # a claim above it counts as sure


def write(matrix: NDArray[np.generic]) -> str:
    """(n, n) as one cell: row by row, with blanks between, six digits."""
    return " ".join(f"{value:.6g}" for value in np.asarray(matrix, dtype=float).ravel())


def read(cells: pd.Series) -> Floats:
    """(rows, n, n), what `write` wrote."""
    values = np.array([np.array(cell.split(), dtype=float) for cell in cells])
    n = round(values.shape[1] ** 0.5)
    return values.reshape(-1, n, n)


def sure(probabilities: Floats, truth: NDArray[np.bool_]) -> tuple[float, float, int]:
    """Of the claims above SURE: their mean, the share that is true, and how many there are."""
    claims = probabilities > SURE
    n_claims = int(claims.sum())
    if not n_claims:
        return float("nan"), float("nan"), 0
    return float(probabilities[claims].mean()), float(truth[claims].mean()), n_claims


def judged(rows: pd.DataFrame) -> pd.Series:
    """Of all edges in these rows together: log loss, calibration error, the sure claims."""
    probabilities, truth = read(rows["probabilities"]), read(rows["truth"]) > 0
    claimed, true, n_sure = sure(probabilities, truth)
    return pd.Series(
        {
            "log_loss": metrics.log_loss(probabilities, truth),
            "ece": metrics.expected_calibration_error(probabilities, truth),
            "sure_claimed": claimed,
            "sure_true": true,
            "n_sure": n_sure,
        }
    )
