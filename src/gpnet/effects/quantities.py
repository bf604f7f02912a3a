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
N_BLOCKS: Final = 20  # of draws, each left out once: the error of a share


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
    structural_share_error: float  # of computing it

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
    structural_share_error: Floats

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
    total = _variance(draws)
    # What rounding leaves of numbers that are all the same is no variance.
    real = total > (1e-12 * (1 + np.abs(mean))) ** 2
    share, share_error = (np.where(real, one, 0.0) for one in _structural_share(draws, dag))
    sd = np.where(real, np.sqrt(total), 0.0)
    share = np.clip(share, 0.0, 1.0)
    return Summaries(mean, low, high, errors[0], errors[1], errors[2], sd, share, share_error)


def _variance(draws: Floats) -> Floats:
    return draws.var(axis=0, ddof=1) if len(draws) > 1 else np.zeros(draws.shape[1])


def _structural_share(draws: Floats, dag: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(Q,) each: 1 - variance within DAGs / variance, and its error by the jackknife.

    Of few draws it may come out below 0. Draws of one DAG are left out in pairs, as they were made,
    with every twentieth pair at once.
    """
    order = np.argsort(dag, kind="stable")
    draws, dag = draws[order], dag[order]
    share = _share(draws, dag)
    n_pairs = len(draws) // PER_DAG
    n_blocks = min(N_BLOCKS, n_pairs)
    if n_blocks < 2:
        return share, np.zeros_like(share)
    block = np.repeat(np.arange(n_pairs) % n_blocks, PER_DAG)
    without = np.array([_share(draws[block != b], dag[block != b]) for b in range(n_blocks)])
    return share, np.sqrt((n_blocks - 1) * without.var(axis=0))


def _share(draws: Floats, dag: NDArray[np.intp]) -> Floats:
    """(Q,), of draws in the order of their DAGs."""
    total = _variance(draws)
    return 1 - _within(draws, dag) / np.where(total > 0, total, 1.0)


def _within(draws: Floats, dag: NDArray[np.intp]) -> Floats:
    """(Q,): the mean over DAGs of the variance within each."""
    starts = np.flatnonzero(np.diff(dag, prepend=-1))
    n = np.diff(starts, append=len(dag))[:, None]
    means = np.add.reduceat(draws, starts, axis=0) / n
    squares = np.add.reduceat((draws - np.repeat(means, n[:, 0], axis=0)) ** 2, starts, axis=0)
    return np.asarray((n * squares / np.maximum(n - 1, 1)).sum(axis=0) / len(draws))
