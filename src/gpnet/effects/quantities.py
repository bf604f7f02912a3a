"""Numbers with their uncertainty: a band, the error of their computation, and where it comes from.

The variance over draws is cut in two: between the means of DAGs (structural), and within DAGs,
where functions and rows differ (functional). More data narrow the second, experiments the first.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats
from gpnet.effects.networks import PER_DAG

TAILS: Final = (0.05, 0.95)  # of the band
N_RESAMPLES: Final = 100  # for errors of computation


@dataclass(frozen=True)
class Quantity:
    """One number: its posterior mean, its 90% band, and the errors of computing these."""

    mean: float
    low: float
    high: float
    mean_error: float
    low_error: float
    high_error: float
    sd: float
    structural_share: float  # of the variance; 0 where there is none

    def __str__(self) -> str:
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True, eq=False)
class Summaries:
    """The same for Q numbers, (Q,) each."""

    mean: Floats
    low: Floats
    high: Floats
    mean_error: Floats
    low_error: Floats
    high_error: Floats
    sd: Floats
    structural_share: Floats

    def at(self, place: int) -> Quantity:
        """One of them."""
        return Quantity(**{name: float(array[place]) for name, array in vars(self).items()})


def summarise(
    draws: Floats, dag: NDArray[np.intp], rng: np.random.Generator, row_error: Floats | float = 0.0
) -> Summaries:
    """Of draws (T, Q), T even, each two of one draw of a DAG; `dag` (T,) numbers them.

    `row_error` is what the choice of rows, where not all were used, adds to errors.
    """
    mean, (low, high) = draws.mean(axis=0), np.quantile(draws, TAILS, axis=0)
    pairs = draws.reshape(len(draws) // PER_DAG, PER_DAG, -1)
    again = rng.integers(len(pairs), size=(N_RESAMPLES, len(pairs)))
    resampled = []
    for one in again:
        drawn = pairs[one].reshape(draws.shape)
        resampled.append([drawn.mean(axis=0), *np.quantile(drawn, TAILS, axis=0)])
    errors = np.hypot(np.std(resampled, axis=0), row_error)
    total = draws.var(axis=0, ddof=1) if len(draws) > 1 else np.zeros_like(mean)
    structural = np.clip(total - _within(draws, dag), 0.0, total)
    # What rounding leaves of numbers that are all the same is no variance.
    real = total > (1e-12 * (1 + np.abs(mean))) ** 2
    share = np.where(real, structural / np.where(real, total, 1.0), 0.0)
    sd = np.where(real, np.sqrt(total), 0.0)
    return Summaries(mean, low, high, errors[0], errors[1], errors[2], sd, share)


def _within(draws: Floats, dag: NDArray[np.intp]) -> Floats:
    """(Q,): the mean over DAGs of the variance within each."""
    n = np.bincount(dag)
    sums = np.zeros((len(n), draws.shape[1]))
    np.add.at(sums, dag, draws)
    centred = draws - (sums / np.maximum(n, 1)[:, None])[dag]
    squares = np.zeros_like(sums)
    np.add.at(squares, dag, centred**2)
    variance = squares / np.maximum(n - 1, 1)[:, None]
    return np.asarray((n[:, None] * variance).sum(axis=0) / len(draws))
