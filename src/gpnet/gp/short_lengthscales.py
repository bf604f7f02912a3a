"""Whether a relation changes over distances below the shortest lengthscale of the tables.

The prior all but excludes such lengthscales, but many rows can outweigh it: copies of rows, which
only a function through each of them explains, or fast oscillations. Tables down there are large,
so a Matern process, whose likelihood takes one pass over the sorted rows, is tried first.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.gp.priors import Hyperpriors

STEP: Final = 1.6  # from one lengthscale that is tried to the next
# A Matern process with a lengthscale longer by this factor is about as rough near its points.
MATERN_TO_SQUARED_EXPONENTIAL: Final = 1.4
NO_CLOSER: Final = 0.5  # of the smallest gap: at shorter lengthscales nothing changes
SHORTEST_TRIED: Final = 5e-4
# Of so many rows, those in a cell of the line, some CELL of a lengthscale wide, are taken as one.
MANY_ROWS: Final = 2**14
CELL: Final = 0.02


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a parent in order."""

    z: Floats  # (N,)

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """Of the rows; kept for each variable, so in as few bytes as will do."""
        return np.argsort(self.z, kind="stable").astype(np.int32)

    @property
    def gaps(self) -> Floats:
        """(N - 1,): between one value and the next."""
        return np.diff(self.z[self.order])

    @cached_property
    def n_repeats(self) -> int:
        """Rows beyond the first of each value."""
        return int((self.gaps == 0).sum())

    @cached_property
    def levels(self) -> NDArray[np.intp]:
        """Of each row: the number of its value among the different ones."""
        return np.unique(self.z, return_inverse=True)[1]

    @cached_property
    def smallest_gap(self) -> float:
        """Between values that are not the same."""
        gaps = self.gaps
        return float(gaps[gaps > 0].min(initial=np.inf))

    def best_below(
        self, x: Floats, shortest: float, hyperpriors: Hyperpriors
    ) -> tuple[float, float, float]:
        """The largest log density of x (N,), about its prior mean; its lengthscale and log sigma.

        Over lengthscales below `shortest` and the noise; roughly that of the squared exponential.
        """
        # The mean is not integrated over but set to that of the data, at the price of its prior.
        price = 0.5 * np.log1p(len(x) * hyperpriors.mean.sd**2)
        z, ordered = self.z[self.order], (x - x.mean())[self.order]
        noise = hyperpriors.noise.shape, hyperpriors.noise.scale
        best = -np.inf, shortest, 0.0
        lengthscale = shortest / np.sqrt(STEP)
        while lengthscale > max(NO_CLOSER * self.smallest_gap, SHORTEST_TRIED):
            scale = MATERN_TO_SQUARED_EXPONENTIAL * lengthscale
            cell = CELL * scale if len(x) > MANY_ROWS else 0.0
            merged = _merge(z, ordered, cell)
            value, log_sigma = _core.matern_best_noise(
                merged.x, np.diff(merged.z), scale, noise, merged.counts, merged.within
            )
            value += float(hyperpriors.lengthscale.log_density(np.log(lengthscale))[0]) - price
            best = max(best, (value, lengthscale, log_sigma))
            lengthscale /= STEP
        return best


class _Merged(NamedTuple):
    """Places on the line, in order."""

    z: Floats  # mean of the rows at each
    x: Floats
    counts: Floats
    within: float  # sum of squares of x about these means


def _merge(z: Floats, x: Floats, cell: float) -> _Merged:
    """Rows in order of z, those of each cell as one; each by itself where cells have no width."""
    if not cell:
        return _Merged(z, x, np.ones(len(z)), 0.0)
    place = np.floor((z - z[0]) / cell)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(place)) + 1])
    counts = np.diff(np.append(starts, len(z))).astype(float)
    means = np.add.reduceat(x, starts) / counts
    within = max(float(x @ x - counts @ means**2), 0.0)
    return _Merged(np.add.reduceat(z, starts) / counts, means, counts, within)
