"""log Z and log Z0 at those values of gamma that matter."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats
from gpnet.structure_priors.learned import LearnedPrior

NEGLIGIBLE_NATS: Final = (
    35.0  # nats below the best value of gamma: less than 1e-15 of the posterior
)


class Sums:
    """Computes both where the posterior over gamma may have mass, and nowhere else.

    They are convex functions of gamma that fall at most by n_edges a unit, n_edges the most that
    a DAG can have. So chords lie above them, and below them beyond their ends: values of gamma
    that these bounds rule out need not be computed.
    """

    def __init__(
        self,
        prior: LearnedPrior,
        log_z: Callable[[float], float],
        log_z0: Callable[[float], float],
        n_edges: int,
    ) -> None:
        self._prior, self._n_edges = prior, n_edges
        self._functions = log_z, log_z0
        self.log_z, self.log_z0 = np.full((2, len(prior.grid)), np.nan)
        for place in {0, len(prior.grid) // 2, len(prior.grid) - 1}:
            self.compute(place)

    @property
    def known(self) -> NDArray[np.bool_]:
        """(n_grid,): what has been computed."""
        return np.asarray(~np.isnan(self.log_z))

    def compute(self, place: int) -> None:
        """Both at one value of gamma."""
        gamma = float(self._prior.grid[place])
        self.log_z[place], self.log_z0[place] = (f(gamma) for f in self._functions)

    def most_promising(self) -> int | None:
        """Where the most mass may be of what is not known yet; None where all is negligible."""
        grid, known = self._prior.grid, self.known
        upper = np.interp(grid, grid[known], self.log_z[known])
        lower = below_convex(grid, grid[known], self.log_z0[known], steepest=-self._n_edges)
        bound = self._prior.log_hyperprior + upper - lower
        best = bound[known].max()
        bound[known] = -np.inf
        place = int(bound.argmax())
        return place if bound[place] > best - NEGLIGIBLE_NATS else None


def below_convex(at: Floats, x: Floats, y: Floats, *, steepest: float) -> Floats:
    """A lower bound, between the ends of x, of a convex function through (x, y) that falls.

    Between two points it lies above the chords of both intervals beside, prolonged.
    """
    slopes = np.concatenate([[steepest], np.diff(y) / np.diff(x), [0.0]])
    left = np.searchsorted(x, at, side="right") - 1
    right = np.minimum(left + 1, len(x) - 1)
    from_left = y[left] + slopes[left] * (at - x[left])
    from_right = y[right] + slopes[right + 1] * (at - x[right])
    return np.asarray(np.maximum(from_left, from_right))
