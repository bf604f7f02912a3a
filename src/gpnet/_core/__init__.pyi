"""The loops that must be fast, in C++: the build that fits this processor."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpnet.types import Floats

def squared_exponential_gram(z: Floats, theta: float, order: int) -> Floats:
    """Gram matrix and derivatives in log theta, shape (order + 1, n, n)."""

class Statistics:
    """Sufficient statistics of a table under one kernel."""

    def __init__(
        self,
        n_rows: int,
        log_shortest: float,
        band_width: float,
        mean_sd: float,
        amplitude: bool,
        line: float,
        line_parameter: bool,
        priors: Sequence[tuple[float, float]],
        noise: tuple[float, float],
        target_sums: Floats,
        target_squares: Floats,
    ) -> None: ...
    def set_variable(
        self,
        index: int,
        rows: Floats,
        panel: NDArray[np.int32],
        coordinates: Floats,
        bands: Sequence[tuple[int, Floats, Floats]],
        line: Floats,
        ones: Floats,
        targets: Floats,
    ) -> None: ...
    def evaluate(
        self, node: int, parents: Sequence[int], u: Floats, order: int
    ) -> tuple[float, Floats, Floats, int, bool]:
        """Value, gradient, Hessian, rank, and whether a lengthscale was clamped."""

    def factor(self, variable: int, u: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
        """F with S = F F', and D, D2 with S' = F D F', S'' = F D2 F'."""

    def values(self, node: int, parents: Sequence[int], points: Floats) -> Floats:
        """The value at each row of points."""

    def find_modes(
        self, node: int, parents: Sequence[int], seeds: Floats
    ) -> tuple[list[tuple[Floats, float, Floats, float, bool, bool]], int]:
        """Modes as (u, value, Hessian, Laplace, converged, clamped), and the evaluations spent."""

    def climb(
        self, node: int, parents: Sequence[int], start: Floats, fixed: int
    ) -> tuple[tuple[Floats, float, Floats, float, bool, bool], int]:
        """The mode above a start, and the evaluations spent."""

    def profile(
        self, node: int, parents: Sequence[int], u: Floats, parent: int, places: Floats
    ) -> Floats:
        """The value with one parent's log lengthscale at each place."""

class Cover:
    """A mixture of split-t laws over one node's target."""

    n_parts: int
    n_evaluations: int

    def __init__(
        self,
        statistics: Statistics,
        node: int,
        parents: Sequence[int],
        modes: Sequence[tuple[Floats, float, Floats]],
        grids: Sequence[Sequence[float]],
    ) -> None: ...
    def log_weights(self, net: NDArray[np.int64], shifts: NDArray[np.int64], n_bits: int) -> Floats:
        """Log importance weights (R, m) of a digital net (m, d + 1) under shifts (R, d + 1)."""
