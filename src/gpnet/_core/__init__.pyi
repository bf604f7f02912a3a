"""The loops that must be fast, in C++: the build that fits this processor."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats

def squared_exponential_gram(z: Floats, theta: float, order: int) -> Floats:
    """Gram matrix and derivatives in log theta, shape (order + 1, n, n)."""

def choose_pivots(
    z: Floats,
    lengthscales: Floats,
    constant: float,
    main: float,
    pair: float,
    tolerance: float,
    most: int,
) -> tuple[NDArray[np.int64], Floats, float]:
    """Rows that stand for all (M,), a root of the covariance (N, M), the trace that it leaves out.

    Of constant + main sum_i k_i + pair sum_{i<j} k_i k_j, k_i squared exponential.
    """

class PivotRows:
    """Rows that stand for all, with a noise of their own."""

    def __init__(
        self, z: Floats, noise: Floats, target: Floats, n_left: float, rest: float
    ) -> None: ...
    def log_likelihood(
        self, lengthscales: Floats, constant: float, main: float, pair: float, variance: float
    ) -> float:
        """Of all rows, less a constant; minus infinity where it cannot be computed."""

class ExactDags:
    """Sums over all DAGs of a table, up to 20 nodes."""

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

class NoiseShapes:
    """Smooth densities of standardised residuals."""

    def __init__(self, families: Sequence[tuple[str, float, float, float, Floats]]) -> None: ...
    def log_ratios(self, residuals: Floats, widths: Floats, counts: Floats | None = None) -> Floats:
        """For each family, log p(residuals) less that under N(0, 1)."""
    def log_ratios_of_rows(self, residuals: Floats, widths: Floats) -> tuple[Floats, Floats]:
        """The same, and what each residual (row) adds to it under each family (column)."""

def varying_scale(
    residuals: Floats, design: Floats, counts: Floats | None = None
) -> tuple[float, Floats]:
    """log p(residuals) with a varying scale less that under N(0, 1), and the log scale."""

def matern_log_likelihood(
    x: Floats,
    gaps: Floats,
    lengthscale: float,
    log_sigma: float,
    counts: Floats | None = None,
    within: float = 0.0,
) -> float:
    """Of a Matern process of order 3/2 with noise, at places with these gaps between them.

    Where rows are merged, x has their means, with their counts, and the sum of squares within.
    """

def matern_best_noise(
    x: Floats,
    gaps: Floats,
    lengthscale: float,
    noise: tuple[float, float],
    counts: Floats | None = None,
    within: float = 0.0,
) -> tuple[float, float]:
    """The largest log likelihood plus log prior over the noise, and its log sigma."""

class PanelRows:
    """Rows of a variable in the coordinates of its panels."""

    n_rows: int
    n_kept: int
    width: int

    def __init__(
        self,
        z: Floats,
        panel: NDArray[np.int32],
        starts: NDArray[np.int32],
        nodes: Floats,
        weights: Floats,
        kept: NDArray[np.intp],
        values: Floats,
    ) -> None: ...
    def some(self, rows: NDArray[np.intp]) -> Floats:
        """Rows of these numbers, (k, p)."""

    def starts(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The first coordinates of these rows' panels."""

    def add_products(self, first: int, columns: Floats, sums: Floats) -> None:
        """Add the products of rows from `first` on with columns (k, c) to sums (M + p, c)."""

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
        slope_variance: float,
        target_sums: Floats,
        target_squares: Floats,
    ) -> None: ...
    def set_variable(
        self,
        index: int,
        rows: PanelRows,
        coordinates: Floats,
        bands: Sequence[tuple[int, Floats, Floats]],
        line: Floats,
        ones: Floats,
        targets: Floats,
    ) -> None: ...
    def evaluate(
        self, node: int, parents: Sequence[int], u: Floats, order: int, lines: Sequence[int] = ()
    ) -> tuple[float, Floats, Floats, int, bool]:
        """Value, gradient, Hessian, rank, and whether a lengthscale was clamped."""

    def factor(self, variable: int, u: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
        """F with S = F F', and D, D2 with S' = F D F', S'' = F D2 F'."""

    def values(
        self, node: int, parents: Sequence[int], points: Floats, lines: Sequence[int] = ()
    ) -> Floats:
        """The value at each row of points."""

    def find_modes(
        self, node: int, parents: Sequence[int], seeds: Floats, lines: Sequence[int] = ()
    ) -> tuple[list[tuple[Floats, float, Floats, float, bool, bool]], int]:
        """Modes as (u, value, Hessian, Laplace, converged, clamped), and the evaluations spent."""

    def climb(
        self, node: int, parents: Sequence[int], start: Floats, fixed: int
    ) -> tuple[tuple[Floats, float, Floats, float, bool, bool], int]:
        """The mode above a start, and the evaluations spent."""

    def noise_profile(self, node: int, parents: Sequence[int], u: Floats, places: Floats) -> Floats:
        """The value with each log sigma."""

    def leave_one_out(
        self,
        node: int,
        parents: Sequence[int],
        u: Floats,
        x: Floats,
        lines: Sequence[int] = (),
    ) -> tuple[Floats, Floats]:
        """Of each row given all others: the standardised residual, and its sd."""

    def profile(
        self, node: int, parents: Sequence[int], u: Floats, parent: int, places: Floats
    ) -> Floats:
        """The value with one parent's log lengthscale at each place."""

class Cover:
    """A mixture of split-t distributions over one node's target."""

    n_parts: int
    n_evaluations: int

    def __init__(
        self,
        statistics: Statistics,
        node: int,
        parents: Sequence[int],
        modes: Sequence[tuple[Floats, float, Floats]],
        grids: Sequence[Sequence[float]],
        lines: Sequence[int] = (),
    ) -> None: ...
    def log_weights(self, net: NDArray[np.int64], shifts: NDArray[np.int64], n_bits: int) -> Floats:
        """Log importance weights (R, m) of a digital net (m, d + 1) under shifts (R, d + 1)."""

class ParentSums:
    """Sums of scores over the parent sets that fit to where the nodes stand."""

    def __init__(self, n_nodes: int, plus_one: bool) -> None: ...
    def set_node(
        self,
        node: int,
        candidates: Sequence[int],
        masks: NDArray[np.uint64],
        plus_one: NDArray[np.int32],
        log_scores: Floats,
    ) -> None: ...
    def quick(
        self, node: int, at: Sequence[float], level: float, previous: float
    ) -> tuple[float, bool]:
        """By differences of tables: (value, exact); an upper bound where not exact."""

    def log_sum(self, node: int, at: Sequence[float], level: float, previous: float) -> float:
        """The same, and always exact."""

    def one_by_one(self, node: int, at: Sequence[float], level: float, previous: float) -> float:
        """The same, set by set."""

    def random_start(self, seed: int) -> tuple[NDArray[np.bool_], list[int]]:
        """A DAG in the support, and the nodes that cannot be placed."""

class BestSets:
    """The best parent sets that fit to where the nodes stand."""

    def __init__(self, n_nodes: int, plus_one: bool) -> None: ...
    def set_node(
        self,
        node: int,
        candidates: Sequence[int],
        masks: NDArray[np.uint64],
        plus_one: NDArray[np.int32],
        log_scores: Floats,
    ) -> None: ...
    def search(self, n_iterations: int, seed: int) -> tuple[NDArray[np.bool_], float]:
        """The best DAG found, and its log score; -inf where the support is empty."""

    def improve(
        self, start: NDArray[np.bool_], n_iterations: int, seed: int
    ) -> tuple[NDArray[np.bool_], float]:
        """The best DAG found from an order of `start`, and its log score."""

class SetScores:
    """The score of any parent set."""

    def __init__(self, n_nodes: int, max_parents: int) -> None: ...
    def set_node(
        self,
        node: int,
        candidates: Sequence[int],
        plus_one_parents: Sequence[int],
        log_scores: Floats,
    ) -> None: ...
    def log_score(self, node: int, dag: NDArray[np.bool_]) -> float:
        """-inf outside the space."""

class Chain:
    """Replicas at several temperatures; only the first, at temperature 1, is drawn from."""

    tried: list[int]
    accepted: list[int]
    exchanges_tried: list[int]
    exchanges_accepted: list[int]
    n_nodes: int
    n_terms: int
    log_target: float
    def advance(self, n_steps: int) -> None: ...
    def run(self, n_steps: int, thin: int) -> tuple[NDArray[np.bool_], Floats]:
        """DAGs and their log scores, one after every `thin` steps."""

def partition_chain(
    sums: ParentSums,
    starts: NDArray[np.bool_],
    betas: Sequence[float],
    swap_every: int,
    seed: int,
    walk_rate: float,
) -> Chain: ...
def partition_order_chain(
    sums: ParentSums,
    starts: NDArray[np.bool_],
    betas: Sequence[float],
    swap_every: int,
    seed: int,
    walk_rate: float,
) -> Chain:
    """A partition first, then orders."""

class OrderSums:
    """Sums over all orders of up to 30 nodes, to draw them independently."""

    def __init__(self, sums: ParentSums) -> None: ...
    n_sets: int
    log_total: float
    def advance(self, n_sets: int) -> int:
        """Goes on; the sets done of all n_sets."""

def partition_drawn_order_chain(
    orders: OrderSums,
    starts: NDArray[np.bool_],
    swap_every: int,
    seed: int,
    walk_rate: float,
) -> Chain:
    """A partition first, then an order that is drawn anew for every trade."""

def log_probability_of_order(dag: NDArray[np.bool_], order: Sequence[int]) -> float:
    """With which chains of a partition and orders draw an order of a DAG."""

def order_chain(
    sums: ParentSums,
    starts: NDArray[np.bool_],
    betas: Sequence[float],
    swap_every: int,
    seed: int,
) -> Chain: ...
def structure_chain(
    sums: ParentSums,
    scores: SetScores,
    starts: NDArray[np.bool_],
    betas: Sequence[float],
    swap_every: int,
    seed: int,
    reversal_rate: float,
) -> Chain: ...
def log_linear_extensions(dags: NDArray[np.bool_], max_nodes: int) -> Floats:
    """Log of the number of orders that each DAG fits to; nan where it is too large."""
