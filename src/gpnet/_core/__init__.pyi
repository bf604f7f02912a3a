"""The loops that must be fast, in C++: the build that fits this processor."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpnet.types import Floats

def squared_exponential_gram(z: Floats, theta: float, order: int) -> Floats:
    """Gram matrix and derivatives in log theta, shape (order + 1, n, n)."""

class ExactDags:
    """The law over all DAGs of a table, up to 20 nodes."""

    def __init__(self, n_nodes: int) -> None: ...
    def add_node(
        self, universe: int, sets: NDArray[np.uint32], log_weights: Floats, keep_sets: bool
    ) -> None:
        """The next node: all members, its parent sets and their weights."""

    def forward(self, n_steps: int) -> int:
        """Goes on with Z; the steps done of all 3^n."""

    def backward(self, n_steps: int) -> int:
        """Goes on with the probabilities; the steps done of all 3^n."""

    def prepare_draws(self) -> None: ...
    def draw(self, seed: int, first: int, n_draws: int) -> tuple[NDArray[np.uint32], float, int]:
        """Parents as masks (n_draws, n), the noise summed over draws, the restarts."""

    @property
    def log_normaliser(self) -> float: ...
    @property
    def log_backward_normaliser(self) -> float: ...
    @property
    def forward_error(self) -> float: ...
    @property
    def edges(self) -> Floats: ...
    @property
    def descendants(self) -> Floats: ...
    @property
    def mass_error(self) -> float: ...

class Statistics:
    """Sufficient statistics of a table under one kernel."""

    def __init__(
        self,
        n_rows: int,
        log_shortest: float,
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
        tables: Sequence[Floats],
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
