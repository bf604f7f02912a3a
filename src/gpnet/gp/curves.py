"""What each parent does to its node: distributions of curves, whatever the score; arrays only.

All is standardised. A node is level + sum_i f_i(z_i) + noise, where f_i is the part of parent i. A
constant may be moved from one part to another, or to the level, without any change: so each part is
centred, to a mean of 0 over the rows of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from gpnet.common.types import Floats

TAILS: Final = (0.05, 0.95)  # of the band
N_HALVINGS: Final = 20  # to a millionth of where a quantile may be
ROUNDING: Final = 1e-9  # of a mean that is 0
LEAST_SD: Final = 1e-12  # where a curve is certain, as a line is at the centre


@dataclass(frozen=True, eq=False)
class Places:
    """Where curves are asked for."""

    grid: Floats  # (p, G): values of each parent
    rows: NDArray[np.intp]  # (P,): of the table


@dataclass(frozen=True, eq=False)
class Curves:
    """The parts of p parents, at each value on the grid a mixture of K normals."""

    weights: Floats  # (K,), summing to 1
    mean: Floats  # (K, p, G)
    sd: Floats  # (K, p, G)
    parts: Floats  # (p, P): posterior means of the parts in the rows asked for
    level: float  # posterior mean

    def expected(self) -> Floats:
        """(p, G): the posterior mean of each part."""
        return np.tensordot(self.weights, self.mean, 1)

    def band(self) -> tuple[Floats, Floats]:
        """(p, G) each: between them a part lies with 90% at each value.

        Quantiles by halving: each lies between the smallest and the largest of the K.
        """
        tails = np.array(TAILS)[:, None, None]
        sd = np.maximum(self.sd, LEAST_SD)
        each = self.mean + ndtri(tails)[:, None] * sd
        low, high = each.min(axis=1), each.max(axis=1)  # (2, p, G)
        for _ in range(N_HALVINGS):
            middle = (low + high) / 2
            share = np.einsum(
                "k,kt...->t...", self.weights, ndtr((middle - self.mean[:, None]) / sd[:, None])
            )
            low, high = np.where(share < tails, middle, low), np.where(share < tails, high, middle)
        return low[0], high[1]


def mixed(curves: Sequence[Curves], shares: Sequence[float]) -> Curves:
    """One of several, each with its probability."""
    pairs = list(zip(curves, shares, strict=True))
    return Curves(
        weights=np.concatenate([share * one.weights for one, share in pairs]),
        mean=np.concatenate([one.mean for one in curves]),
        sd=np.concatenate([one.sd for one in curves]),
        parts=sum((share * one.parts for one, share in pairs), np.zeros_like(curves[0].parts)),
        level=sum(share * one.level for one, share in pairs),
    )


def is_centred(table: Floats) -> bool:
    """Whether standardised columns have means of 0; not where some rows do not count."""
    return bool((np.abs(table.mean(axis=0)) < ROUNDING).all())


@dataclass(frozen=True, eq=False)
class Slopes:
    """The distribution of the slopes of p straight lines: K normals, as noise takes K values."""

    weights: Floats  # (K,)
    mean: Floats  # (K, p)
    sd: Floats  # (K, p)
    level: float

    def curves(self, parents: Floats, places: Places) -> Curves:
        """The lines; of standardised parents (N, p), b z is centred by itself."""
        expected = self.weights @ self.mean
        grid, shown, level = places.grid, parents[places.rows].T, self.level
        if not is_centred(parents):
            centre = parents.mean(axis=0)
            grid, shown = grid - centre[:, None], shown - centre[:, None]
            level += float(expected @ centre)
        return Curves(
            weights=self.weights,
            mean=self.mean[:, :, None] * grid,
            sd=self.sd[:, :, None] * np.abs(grid),
            parts=expected[:, None] * shown,
            level=level,
        )
