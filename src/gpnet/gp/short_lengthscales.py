"""Whether a relation changes over distances below the shortest lengthscale of the tables.

The prior all but excludes such lengthscales, but many rows can outweigh it: copies of rows, which
only a function through each of them explains, or fast oscillations. Tables down there are large,
so a Matern process, whose likelihood takes one pass over the sorted rows, is tried first.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

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


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a parent in order."""

    z: Floats  # (N,)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Of the rows."""
        return np.argsort(self.z, kind="stable")

    @cached_property
    def gaps(self) -> Floats:
        """(N - 1,): between one value and the next."""
        return np.diff(self.z[self.order])

    @cached_property
    def levels(self) -> NDArray[np.intp]:
        """Of each row: the number of its value among the different ones."""
        return np.unique(self.z, return_inverse=True)[1]

    @cached_property
    def smallest_gap(self) -> float:
        """Between values that are not the same."""
        return float(self.gaps[self.gaps > 0].min(initial=np.inf))

    def best_below(
        self, x: Floats, shortest: float, hyperpriors: Hyperpriors
    ) -> tuple[float, float, float]:
        """The largest log density of x (N,), about its prior mean; its lengthscale and log sigma.

        Over lengthscales below `shortest` and the noise; roughly that of the squared exponential.
        """
        # The mean is not integrated over but set to that of the data, at the price of its prior.
        price = 0.5 * np.log1p(len(x) * hyperpriors.mean.sd**2)
        ordered = (x - x.mean())[self.order]
        noise = hyperpriors.noise.shape, hyperpriors.noise.scale
        best = -np.inf, shortest, 0.0
        lengthscale = shortest / np.sqrt(STEP)
        while lengthscale > max(NO_CLOSER * self.smallest_gap, SHORTEST_TRIED):
            scale = MATERN_TO_SQUARED_EXPONENTIAL * lengthscale
            value, log_sigma = _core.matern_best_noise(ordered, self.gaps, scale, noise)
            value += float(hyperpriors.lengthscale.log_density(np.log(lengthscale))[0]) - price
            best = max(best, (value, lengthscale, log_sigma))
            lengthscale /= STEP
        return best
