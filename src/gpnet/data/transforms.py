"""Transforms of columns; to add one, write a function of a column and name it in `TRANSFORMS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri

from gpnet.common.types import Floats


@dataclass(frozen=True)
class Transform:
    """A function of a column, and the bound that its values must exceed."""

    apply: Callable[[Floats], Floats]
    above: float = -np.inf


def relative_ranks(x: Floats) -> Floats:
    """(rank - 1/2) / N, ties sharing their average rank."""
    _, place, n_ties = np.unique(x, return_inverse=True, return_counts=True)
    rank = n_ties.cumsum() - (n_ties - 1) / 2
    return np.asarray((rank[place] - 0.5) / len(x))


def normal_scores(x: Floats) -> Floats:
    """Normal quantiles of the relative ranks."""
    return np.asarray(ndtri(relative_ranks(x)))


TRANSFORMS: Final = {
    "auto": Transform(lambda x: x),  # `learn` may take columns by ranks
    "none": Transform(lambda x: x),
    "log": Transform(np.log, above=0.0),
    "log2": Transform(lambda x: np.log2(x + 0.5), above=-0.5),
    "rank-normal": Transform(normal_scores),
}
