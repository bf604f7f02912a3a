"""Transforms of columns; to add one, write a function of a column and name it in `TRANSFORMS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri

from gpnet.common.types import Floats


@dataclass(frozen=True)
class Transform:
    """A function of a column, the bound that its values must exceed, and the way back."""

    apply: Callable[[Floats], Floats]
    above: float = -np.inf
    undo: Callable[[Floats], Floats] | None = None  # None where only the column itself tells it
    log_slope: Callable[[Floats], Floats] | None = None  # log of its derivative; None for ranks


def relative_ranks(x: Floats) -> Floats:
    """(rank - 1/2) / N, ties sharing their average rank."""
    _, place, n_ties = np.unique(x, return_inverse=True, return_counts=True)
    rank = n_ties.cumsum() - (n_ties - 1) / 2
    return np.asarray((rank[place] - 0.5) / len(x))


def normal_scores(x: Floats) -> Floats:
    """Normal quantiles of the relative ranks."""
    return np.asarray(ndtri(relative_ranks(x)))


TRANSFORMS: Final = {
    # `learn` may take columns by ranks
    "auto": Transform(lambda x: x, undo=lambda x: x, log_slope=np.zeros_like),
    "none": Transform(lambda x: x, undo=lambda x: x, log_slope=np.zeros_like),
    "log": Transform(np.log, 0.0, np.exp, lambda x: -np.log(x)),
    "log2": Transform(
        lambda x: np.log2(x + 0.5),
        -0.5,
        lambda x: np.exp2(x) - 0.5,
        lambda x: -np.log((x + 0.5) * np.log(2)),
    ),
    "rank-normal": Transform(normal_scores),
}
