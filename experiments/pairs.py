"""Differences between two methods on the same data sets."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

N_RESAMPLES = 2000


@dataclass(frozen=True)
class Difference:
    """The mean of differences, with a 95% bootstrap interval over data sets."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        if not self.n:
            return ""
        return f"{self.mean:+.2f} ({self.low:+.2f} to {self.high:+.2f})"


def difference(mine: pd.Series, theirs: pd.Series) -> Difference:
    """Mine minus theirs, where both have a number; the index says which data set it is of."""
    differences = (mine - theirs).dropna().to_numpy()
    if not len(differences):
        return Difference(np.nan, np.nan, np.nan, 0)
    rng = np.random.default_rng(0)
    again = rng.choice(differences, (N_RESAMPLES, len(differences))).mean(axis=1)
    low, high = np.quantile(again, [0.025, 0.975])
    return Difference(float(differences.mean()), float(low), float(high), len(differences))
