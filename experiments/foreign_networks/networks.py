"""Networks that are not of gpnet's model: other roots, noises, mechanisms and columns.

Data sets of one number have the same DAG, and mechanisms of the same weights, whatever their kind,
so that the Gaussian kinds are controls of the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from gpnet.common.types import Dag, Floats
from gpnet.graphs.dag import topological_order

Rng = np.random.Generator
LOG_SD = 0.75  # of lognormal roots: a skewness of 3


@dataclass(frozen=True)
class Kind:
    """How the columns of a network come about; unless told, curves and Gaussian noise."""

    roots: Sequence[str] = ("normal",)  # each root has one of these distributions
    noise: str = "normal"
    linear: bool = False
    varying: bool = False  # whether the size of the noise depends on the parents
    products: bool = False  # whether two parents act together
    hidden: bool = False  # whether a column that causes two others is left out
    columns: str = "as drawn"  # what becomes of them in the end


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table (N, n) and the DAG among its columns."""

    values: Floats
    dag: Dag


def draw(kind: Kind, nodes: int, rows: int, entropy: Sequence[int]) -> Drawn:
    """Parents before children."""
    dag_rng, mechanism_rng, noise_rng, column_rng = np.random.default_rng(entropy).spawn(4)
    dag = random_dag(nodes, dag_rng)
    if kind.hidden:
        dag = with_hidden_cause(dag, dag_rng)
    mechanism_rngs, noise_rngs = mechanism_rng.spawn(len(dag)), noise_rng.spawn(len(dag))
    values = np.empty((rows, len(dag)))
    for node in topological_order(dag):
        parents = values[:, dag[:, node]]
        values[:, node] = column(kind, parents, mechanism_rngs[node], noise_rngs[node])
    seen = COLUMNS[kind.columns](values[:, :nodes], column_rng)
    return Drawn(seen, dag[:nodes, :nodes])


# Structure


def random_dag(nodes: int, rng: Rng) -> Dag:
    """An edge a node on average, in random order; of two nodes, one causes the other."""
    probability = 1.0 if nodes == 2 else 2 / (nodes - 1)
    upper = np.triu(rng.random((nodes, nodes)) < probability, k=1)
    order = rng.permutation(nodes)
    return upper[np.ix_(order, order)]


def with_hidden_cause(dag: Dag, rng: Rng) -> Dag:
    """A further node, the last, that causes two others, which have no edge between them."""
    nodes = len(dag)
    effects = rng.choice(nodes, 2, replace=False)
    whole = np.zeros((nodes + 1, nodes + 1), dtype=bool)
    whole[:nodes, :nodes] = dag
    whole[np.ix_(effects, effects)] = False
    whole[nodes, effects] = True
    return whole


# One column


def column(kind: Kind, parents: Floats, mechanism_rng: Rng, noise_rng: Rng) -> Floats:
    """Given those of its parents, (N, k); standardised."""
    rows, n_parents = parents.shape
    if not n_parents:
        root = str(mechanism_rng.choice(list(kind.roots)))
        return standard(SHAPES[root](rows, noise_rng))
    mean = mechanism(kind, parents, mechanism_rng)
    size = mechanism_rng.uniform(0.5, 1.5) * np.ones(rows)
    if kind.varying:
        size *= np.exp(1.2 * np.tanh(parents @ mechanism_rng.choice([-1, 1], n_parents)))
    return standard(mean + size * SHAPES[kind.noise](rows, noise_rng))


def mechanism(kind: Kind, parents: Floats, rng: Rng) -> Floats:
    """The mean of a child (N,), standardised: a sum over parents, and perhaps a product."""
    strengths = rng.uniform(0.7, 1.3, parents.shape[1]) * rng.choice([-1, 1], parents.shape[1])
    bent = [one if kind.linear else curve(one, rng) for one in parents.T]
    mean = standard(np.column_stack(bent) @ strengths)
    if kind.products and len(bent) > 1:
        mean = standard(0.5 * mean + bent[0] * bent[1])
    return mean


def curve(x: Floats, rng: Rng) -> Floats:
    """A mixture of all CURVES with random weights, slopes and shifts, standardised.

    One of them often prevails, and may be nearly straight: were all edges far from monotone, any
    model would see their direction.
    """
    weights = rng.dirichlet(np.full(len(CURVES), 0.3)) * rng.choice([-1, 1], len(CURVES))
    slopes, shifts = rng.uniform(0.5, 2.0, len(CURVES)), rng.normal(0, 0.5, len(CURVES))
    parts = [bend(a * x + b) for bend, a, b in zip(CURVES, slopes, shifts, strict=True)]
    return standard(weights @ np.array(parts))


def standard(x: Floats) -> Floats:
    return (x - x.mean()) / x.std()


CURVES: tuple[Callable[[Floats], Floats], ...] = (np.tanh, np.square, np.sin, expit)


# Distributions of mean 0 and variance 1


def lognormal(rows: int, rng: Rng) -> Floats:
    variance = np.exp(LOG_SD**2)
    drawn = rng.lognormal(0, LOG_SD, rows) - np.sqrt(variance)
    return drawn / np.sqrt(variance * (variance - 1))


SHAPES: dict[str, Callable[[int, Rng], Floats]] = {
    "normal": lambda rows, rng: rng.standard_normal(rows),
    "t3": lambda rows, rng: rng.standard_t(3, rows) / np.sqrt(3),
    "Laplace": lambda rows, rng: rng.laplace(size=rows) / np.sqrt(2),
    "uniform": lambda rows, rng: rng.uniform(-np.sqrt(3), np.sqrt(3), rows),
    "exponential": lambda rows, rng: rng.standard_exponential(rows) - 1,
    "lognormal": lognormal,
}


# What becomes of columns (N, n), all of them standardised


def warped(values: Floats, rng: Rng) -> Floats:
    """Each by exp or by the cube: the post-non-linear model."""
    by_exp = rng.random(values.shape[1]) < 0.5
    return np.where(by_exp, np.exp(values), values**3)


def rounded(values: Floats, rng: Rng) -> Floats:
    """To half a standard deviation."""
    return np.round(2 * values) / 2


def five_levels(values: Floats, rng: Rng) -> Floats:
    """Whole standard deviations, from -2 to 2."""
    return np.clip(np.round(values), -2, 2)


def with_outliers(values: Floats, rng: Rng) -> Floats:
    """One cell in 50 is six times as far from the mean."""
    return np.where(rng.random(values.shape) < 0.02, 6 * values, values)


COLUMNS: dict[str, Callable[[Floats, Rng], Floats]] = {
    "as drawn": lambda values, rng: values,
    "warped": warped,
    "rounded": rounded,
    "five levels": five_levels,
    "with outliers": with_outliers,
}

KINDS = {
    "Gaussian, curved": Kind(),
    "Gaussian, linear": Kind(linear=True),
    "t3 noise": Kind(noise="t3"),
    "t3 noise, linear": Kind(noise="t3", linear=True),
    "Laplace noise": Kind(noise="Laplace"),
    "Laplace noise, linear": Kind(noise="Laplace", linear=True),
    "uniform noise": Kind(noise="uniform"),
    "uniform noise, linear": Kind(noise="uniform", linear=True),
    "exponential noise": Kind(noise="exponential"),
    "exponential noise, linear": Kind(noise="exponential", linear=True),
    "skewed roots": Kind(roots=("exponential", "lognormal")),
    "t3 roots": Kind(roots=("t3",)),
    "varying noise": Kind(varying=True),
    "products": Kind(products=True),
    "warped": Kind(columns="warped"),
    "rounded": Kind(columns="rounded"),
    "five levels": Kind(columns="five levels"),
    "outliers": Kind(columns="with outliers"),
    "hidden cause": Kind(hidden=True),
}
