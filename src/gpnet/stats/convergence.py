"""Whether chains agree, and their effective sample size; arrays only.

A series is (n_chains, n_draws, ...): one number, or many at once, for each draw.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from gpnet.common.types import Floats

R_HAT_LIMIT: Final = 1.01
FEW_DRAWS: Final = 400.0  # effective, of an edge, below which its error bar is wide


def draws_by_chain(chain: NDArray[np.int32]) -> NDArray[np.intp]:
    """(n_chains, length of the shortest): which of the draws (M,) are whose, in order."""
    _, lengths = np.unique(chain, return_counts=True)
    parts = np.split(np.argsort(chain, kind="stable"), lengths.cumsum()[:-1])
    return np.stack([part[: lengths.min()] for part in parts])


def split_r_hat(series: Floats | NDArray[np.bool_]) -> Floats:
    """Rank-normalised split R-hat (Vehtari et al. 2021), as ArviZ computes it.

    The larger of two: of the normal scores of the ranks, which sees chains of different location,
    and of those of the distances from the median, which sees different scale. Of booleans both are
    the plain one, as their ranks are but another pair of numbers. One where nothing varies at all,
    infinite where only the means do, nan with fewer than four draws.
    """
    half = series.shape[1] // 2
    if half < 2:
        return np.full(series.shape[2:], np.nan)
    halves = np.concatenate([series[:, :half], series[:, -half:]])
    if halves.dtype == np.bool_:
        return _r_hat(halves.astype(float))
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.maximum(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded)))


def _normal_scores(halves: Floats) -> Floats:
    """Normal quantiles of (rank - 3/8) / (n + 1/4) among all draws of all chains (Blom 1958)."""
    from scipy.stats import rankdata  # takes as long to import as all else together

    flat = halves.reshape(halves.shape[0] * halves.shape[1], *halves.shape[2:])
    ranks = rankdata(flat, axis=0).reshape(halves.shape)
    return np.asarray(ndtri((ranks - 3 / 8) / (len(flat) + 1 / 4)))


def _r_hat(halves: Floats) -> Floats:
    """R-hat^2 = (h - 1) / h + (B / h) / W, of chains of h draws (Gelman et al. 2013).

    W is the mean variance within chains, B / h the variance between their means.
    """
    half = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        r_hat = np.sqrt((half - 1) / half + between / within)
    return np.where(within > 0, r_hat, np.where(between > 0, np.inf, 1.0))


def effective_draws(series: Floats) -> Floats:
    """How many independent draws know the mean as well, from all chains together.

    Autocovariances as the mean over chains, around the mean of all; summed by Geyer's (1992)
    initial positive sequence, made to descend. At most the number of draws; nan where nothing
    varies.
    """
    series = np.asarray(series, dtype=float)
    n_chains, n = series.shape[:2]
    flat = series.reshape(n_chains, n, -1)
    found = np.array([_effective(flat[:, :, k]) for k in range(flat.shape[2])])
    return found.reshape(series.shape[2:])


def _effective(series: Floats) -> float:
    n_chains, n = series.shape
    centred = series - series.mean()
    n_padded = 2 * 2 ** int(np.ceil(np.log2(max(n, 2))))  # so that the ends do not meet
    spectrum = np.abs(np.fft.rfft(centred, n_padded, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum.mean(axis=0), n_padded)[:n] / n
    if not covariance[0] > 0:
        return float("nan")
    rho = covariance / covariance[0]
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    positive = pairs[: int(np.argmax(pairs <= 0)) if np.any(pairs <= 0) else len(pairs)]
    time = max(2 * float(np.minimum.accumulate(positive).sum()) - 1, 1.0) if len(positive) else 1.0
    return float(n_chains * n / time)


def r_hat_warnings(diagnostics: Mapping[str, float]) -> tuple[str, ...]:
    """What to say where R-hat is too large."""
    r_hat = diagnostics.get("max_r_hat", float("nan"))
    if not r_hat > R_HAT_LIMIT:
        return ()
    return (
        f"the chains do not quite agree: R-hat of an edge is {r_hat:.3f}, more than "
        f"{R_HAT_LIMIT}; take more draws, or more steps between them (thin)",
    )
