"""An edge penalty that is itself unknown.

No sum over nodes, hence no `StructurePrior`: the normaliser Z0(gamma) belongs to whole DAGs.
`samplers/learned/` draws under it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, log_expit

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats

LEAST_DENSITY = 1e-10  # density, against the highest, below which the grid ends


@dataclass(frozen=True, eq=False)
class LearnedPrior:
    """p(dag) = sum over gamma of hyperprior(gamma) exp(-gamma #edges) / Z0(gamma).

    Z0(gamma) is the sum of exp(-gamma #edges) over all DAGs that are possible, so that each gamma
    is a proper distribution over DAGs.
    """

    grid: Floats  # (n_grid,): values of gamma, increasing
    log_hyperprior: Floats  # (n_grid,): log density times quadrature weight; its exp sums to one

    def __post_init__(self) -> None:
        grid, log_hyperprior = np.asarray(self.grid, float), np.asarray(self.log_hyperprior, float)
        if grid.ndim != 1 or grid.shape != log_hyperprior.shape or not len(grid):
            raise OptionError(
                "learned prior: expected as many values of gamma as of the hyperprior, found "
                f"{grid.shape} and {log_hyperprior.shape}"
            )
        if not np.isfinite(grid).all() or (np.diff(grid) <= 0).any():
            raise OptionError("learned prior: the values of gamma must be finite and increase")
        if not abs(np.exp(log_hyperprior).sum() - 1.0) < 1e-9:
            raise OptionError(
                "learned prior: the hyperprior must sum to one, found "
                f"{np.exp(log_hyperprior).sum():g}"
            )

    @classmethod
    def beta(cls, a: float = 1.0, b: float = 1.0, *, step: float = 0.125) -> "LearnedPrior":
        """p ~ Beta(a, b) for an edge probability p, with odds p / (1 - p) = exp(-gamma).

        The density of gamma is p^a (1 - p)^b / B(a, b). The trapezoidal rule over the whole line
        converges exponentially; the step resolves a posterior over gamma down to a standard
        deviation of some 0.1.
        """
        if not min(a, b, step) > 0:
            raise OptionError(
                f"learned prior: a, b and step must be positive, found {a}, {b}, {step}"
            )
        mode, reach = np.log(b / a), -np.log(LEAST_DENSITY)
        # The tails fall as exp(b gamma) and exp(-a gamma), from zero or the mode on.
        n_below = (reach / b + max(mode, 0.0) + 4.0) / step
        n_above = (reach / a - min(mode, 0.0) + 4.0) / step
        grid = mode + step * np.arange(-np.ceil(n_below), np.ceil(n_above) + 1)
        log_density = a * log_expit(-grid) + b * log_expit(grid) - betaln(a, b)
        kept = log_density > log_density.max() - reach
        grid, log_density = grid[kept], log_density[kept]
        log_weights = log_density + np.log(step)
        # The tails beyond the grid go to all alike.
        return cls(grid, log_weights - np.log(np.exp(log_weights).sum()))

    def log_joint(self, n_edges: NDArray[np.integer], log_z0: Floats) -> Floats:
        """(n_dags, n_grid): log of hyperprior(gamma) exp(-gamma #edges) / Z0(gamma)."""
        penalties = np.multiply.outer(np.asarray(n_edges, float), self.grid)
        return np.asarray(self.log_hyperprior - log_z0 - penalties)
