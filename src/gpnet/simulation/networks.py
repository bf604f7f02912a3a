"""Data with a known truth: the paper's Fourier network, and the GP model's own prior."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.messages import meant
from gpnet.common.types import Dag, Floats, Node
from gpnet.gp.kernels import KERNELS, Kernel
from gpnet.gp.priors import Hyperpriors
from gpnet.graphs.dag import random_dag, topological_order
from gpnet.simulation.experiments import Experiment, draw_experiment
from gpnet.simulation.simulation import Simulation

N_FOURIER = 6  # components of the paper's network
NEARLY_STANDARD = 0.1  # how far the log of a standard deviation may be from 0
MOST_TRIES = 1000  # mostly some ten are enough
FEWEST_ROWS = 10  # of fewer, the standard deviation tells little
MOST_CELLS = 10**9  # of a table: more is a slip of the keyboard


class Network(ABC):
    """A DAG with a distribution for each node given its parents."""

    dag: Dag

    @abstractmethod
    def draw_node(self, node: Node, values: Floats, rng: np.random.Generator) -> Floats:
        """The node's column (N,), given values (N, n) in which its parents are filled in."""

    def draw(
        self, n_rows: int, rng: np.random.Generator, experiment: Experiment | None = None
    ) -> Floats:
        """A table (N, n), parents before children."""
        values = np.zeros((n_rows, len(self.dag)))
        order = topological_order(self.dag)
        if order is None:
            raise OptionError("dag: the graph has a cycle; give a directed acyclic graph")
        for node in order:
            values[:, node] = self.draw_node(int(node), values, rng)
            if experiment is not None:
                values[:, node] = experiment.done_to(int(node), values[:, node])
        return values


@dataclass(frozen=True)
class FourierNetwork(Network):
    """Six Fourier components a parent (paper.tex, label Fourier), weights of its own for each edge.

    x_i = sum_j beta_ij {w_ij0 x_j + sum_k [v_ijk sin(k x_j) + w_ijk cos(k x_j)]} + N(0, 1)
    """

    dag: Dag
    beta: Floats  # (n, n), [parent, child]; zero where there is no edge
    cosines: Floats  # w: (n, n, 7); the first is the weight of the straight line
    sines: Floats  # v: (n, n, 7); the first has no part

    def mean(self, node: Node, values: Floats) -> Floats:
        """The node without its noise."""
        total = np.zeros(len(values))
        for parent in np.flatnonzero(self.dag[:, node]):
            z, w, v = values[:, parent], self.cosines[parent, node], self.sines[parent, node]
            curve = w[0] * z
            for k in range(1, N_FOURIER + 1):
                curve = curve + v[k] * np.sin(k * z) + w[k] * np.cos(k * z)
            total += self.beta[parent, node] * curve
        return total

    def draw_node(self, node: Node, values: Floats, rng: np.random.Generator) -> Floats:
        """The mean and standard normal noise."""
        return self.mean(node, values) + rng.standard_normal(len(values))


@dataclass(frozen=True)
class GpNetwork(Network):
    """The model's own prior: hyperparameters and functions drawn anew for each node.

    The distribution whose integral the GP score is. The score standardises its data, so that the
    priors are those of standardised columns: with `standard`, a column is centred, and drawn anew
    until standardising would hardly change it. Without, columns have whatever scale came out.
    """

    dag: Dag
    kernel: Kernel
    hyperpriors: Hyperpriors
    standard: bool = False

    def draw_node(self, node: Node, values: Floats, rng: np.random.Generator) -> Floats:
        """One column, or the most standard of many."""
        column = self.draw_column(node, values, rng)
        if not self.standard or len(column) < FEWEST_ROWS:
            return column
        best, off = column, np.inf
        for _ in range(MOST_TRIES):
            if abs(np.log(column.std(ddof=1))) < off:
                best, off = column - column.mean(), abs(np.log(column.std(ddof=1)))
            if off < NEARLY_STANDARD:
                break
            column = self.draw_column(node, values, rng)
        return best

    def draw_column(self, node: Node, values: Floats, rng: np.random.Generator) -> Floats:
        """x ~ N(mu, K + sigma^2 I) with mu, sigma and the kernel's parameters from their priors."""
        parents = values[:, self.dag[:, node]]
        n_rows, n_parents = parents.shape
        priors = self.hyperpriors
        sigma = priors.noise.draw(rng, 1)[0]
        mean = rng.normal(priors.mean.mean, priors.mean.sd)
        noise = rng.standard_normal(n_rows)
        if n_parents == 0:
            return np.asarray(mean + sigma * noise)
        each = self.kernel.priors(n_parents, priors)
        u = np.log([prior.draw(rng, 1)[0] for prior in each])
        covariance = self.kernel.covariance(parents, u, 0).value + sigma**2 * np.eye(n_rows)
        return np.asarray(mean + np.linalg.cholesky(covariance) @ noise)


def fourier_network(dag: Dag, nonlinearity: float, rng: np.random.Generator) -> FourierNetwork:
    """Random strengths and weights; nonlinearity is the paper's lambda, 0 exactly linear."""
    n = len(dag)
    beta = rng.uniform(0.5, 2, (n, n)) * rng.choice([-1, 1], (n, n)) * dag
    cosines = _fourier_weights(n, nonlinearity, rng)
    sines = _fourier_weights(n, nonlinearity, rng)
    return FourierNetwork(dag, beta, cosines, sines)


def _fourier_weights(n: int, nonlinearity: float, rng: np.random.Generator) -> Floats:
    """Dirichlet with concentrations proportional to e^{-k / lambda}, k = 0..6, for each edge."""
    weights = np.zeros((n, n, N_FOURIER + 1))
    if nonlinearity == 0:
        weights[..., 0] = 1
        return weights
    with np.errstate(over="ignore"):
        decay = np.exp(-np.arange(N_FOURIER + 1) / nonlinearity)
    concentration = decay / decay.sum()
    positive = concentration > 0  # those of a small lambda underflow
    weights[..., positive] = rng.dirichlet(concentration[positive], size=(n, n))
    return weights


def simulate(
    *,
    nodes: int = 10,
    rows: int = 100,
    model: str = "fourier",
    nonlinearity: float = 1.0,
    edge_probability: float = 0.2,
    dag: Dag | None = None,
    interventions: int = 0,
    rows_each: int = 50,
    conditions: int = 0,
    covariates: int = 0,
    seed: int = 0,
) -> Simulation:
    """Draw a table from a random network with a known DAG.

    Parameters
    ----------
    nodes, rows : int
        Variables and observations.
    model : str
        "fourier", the paper's simulation study; "gp" or "gp2", drawn from the prior of the model
        that gpnet fits, as far as it is about columns that are standardised already.
    nonlinearity : float
        For "fourier": the paper's lambda, 0 exactly linear.
    edge_probability : float
        Of each pair of variables.
    dag : array, shape (n, n), optional
        One of your own, dag[parent, child], in the place of the random one.
    interventions, rows_each : int
        So many variables are set, one at a time, each in so many rows beside the `rows` in which
        nothing is.
    conditions : int
        Levels of a column "condition", each but the first of which moves some variables.
    covariates : int
        Columns "covariate1", ..., levels and numbers by turns, that drive some variables.
    seed : int
        Same seed, same table.

    Returns
    -------
    Simulation
        With `values`, `names`, `dag`, `frame()` and `write(folder)`.

    Examples
    --------
    >>> import gpnet
    >>> made = gpnet.simulate(nodes=3, rows=50, seed=1)
    >>> made.frame().shape, made.dag.shape
    ((50, 3), (3, 3))
    """
    _check(nodes, rows, model, nonlinearity, edge_probability, seed)
    for option, value in {"interventions": interventions, "covariates": covariates}.items():
        _check_whole(option, value, least=0)
    _check_whole("rows_each", rows_each, least=1)
    if conditions == 1:
        raise OptionError("conditions: 2 or more levels, or 0 for none; found 1")
    _check_whole("conditions", conditions, least=0)
    structure_rng, network_rng, data_rng, rng = np.random.default_rng(seed).spawn(4)
    if dag is None:
        dag = random_dag(nodes, edge_probability, structure_rng)
    dag = _check_dag(dag)
    network = MODELS[model](dag, nonlinearity, network_rng)
    names = tuple(f"V{i + 1}" for i in range(len(dag)))
    if interventions > len(names):
        raise OptionError(
            f"interventions: at most one for each of {len(names)} variables, found {interventions}"
        )
    experiment = draw_experiment(
        len(names),
        rows,
        interventions,
        rows_each,
        conditions=conditions,
        covariates=covariates,
        rng=rng,
    )
    with np.errstate(over="ignore", invalid="ignore"):
        values = network.draw(len(experiment.were_set), data_rng, experiment)
    if not np.isfinite(values).all():
        raise OptionError("nodes, edge_probability: so many edges made infinite values; give fewer")
    n, k = len(names), len(experiment.drives)
    whole = np.zeros((n + k, n + k), dtype=bool)
    whole[:n, :n], whole[n:, :n] = dag, experiment.drives
    were_set = experiment.were_set if interventions else None
    return Simulation(values, names, whole, were_set, experiment.exogenous)


MODELS: dict[str, Callable[[Dag, float, np.random.Generator], Network]] = {
    "fourier": fourier_network,
    "gp": lambda dag, _, __: GpNetwork(dag, KERNELS["additive"](), Hyperpriors(), standard=True),
    "gp2": lambda dag, _, __: GpNetwork(
        dag, KERNELS["interaction"](), Hyperpriors(), standard=True
    ),
}


def _check(
    nodes: int, rows: int, model: str, nonlinearity: float, edge_probability: float, seed: int
) -> None:
    """Every option is named with what was expected and found."""
    _check_whole("nodes", nodes, least=1)
    _check_whole("rows", rows, least=1)
    _check_whole("seed", seed, least=0)
    if int(nodes) * max(int(nodes), int(rows)) > MOST_CELLS:
        raise OptionError(f"nodes, rows: {nodes} and {rows} are more than memory holds")
    if not isinstance(model, str) or model not in MODELS:
        raise OptionError(
            f"model: one of {', '.join(MODELS)}; found {model!r}{meant(model, MODELS)}"
        )
    if not isinstance(nonlinearity, Real) or not 0 <= nonlinearity < np.inf:
        raise OptionError(f"nonlinearity: a number, 0 or more, found {nonlinearity!r}")
    if not isinstance(edge_probability, Real) or not 0 <= edge_probability <= 1:
        raise OptionError(f"edge_probability: between 0 and 1, found {edge_probability!r}")


def _check_whole(option: str, value: int, *, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise OptionError(f"{option}: a whole number, at least {least}; found {value!r}")


def _check_dag(dag: Any) -> Dag:
    expected = "dag: a square matrix of 0 and 1"
    try:
        matrix = np.asarray(dag)
    except ValueError:
        raise OptionError(f"{expected}, found rows of several lengths") from None
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
    if not square or not np.isin(matrix, (0, 1)).all():
        raise OptionError(f"{expected}, found shape {matrix.shape}")
    return matrix.astype(bool)
