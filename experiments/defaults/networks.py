"""Data sets of all kinds, each with the DAG that it came from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gpnet
from experiments.reference import Known, study
from gpnet.common.types import Dag, Floats, Node
from gpnet.graphs.dag import random_dag
from gpnet.simulation.networks import FourierNetwork, fourier_network

EDGES_PER_NODE = 1.0  # on average


def known(family: dict[str, Any], dataset: int) -> Known:
    """A data set of a family: from the simulation study, or of a network of ours."""
    if "study" in family:
        return study(family["study"], family["lambda"], dataset)
    structure_rng, data_rng = np.random.default_rng([20, dataset]).spawn(2)
    dag = random_dag(family["nodes"], 2 * EDGES_PER_NODE / (family["nodes"] - 1), structure_rng)
    values = NETWORKS[family["network"]](dag, family["rows"], data_rng)
    return Known(gpnet.Dataset(values, [f"V{i + 1}" for i in range(len(dag))]), dag)


@dataclass(frozen=True)
class MixedNetwork(FourierNetwork):
    """Straight lines and curves; its noise, (N,) for a mean (N,), may have any distribution."""

    noise: Callable[[Floats, np.random.Generator], Floats]

    def draw_node(self, node: Node, values: Floats, rng: np.random.Generator) -> Floats:
        mean = self.mean(node, values)
        return mean + self.noise(mean, rng)


def mixed(dag: Dag, rows: int, rng: np.random.Generator, noise: Callable[..., Floats]) -> Floats:
    """Each edge a line or a curve of the study's most curved kind, with equal probability."""
    bent = fourier_network(dag, 1.0, rng)
    line = rng.random(dag.shape) < 0.5
    cosines, sines = bent.cosines.copy(), bent.sines.copy()
    cosines[line], sines[line] = np.eye(7)[0], 0.0
    return MixedNetwork(dag, bent.beta, cosines, sines, noise).draw(rows, rng)


def normal(mean: Floats, rng: np.random.Generator) -> Floats:
    return rng.standard_normal(len(mean))


def heavy(mean: Floats, rng: np.random.Generator) -> Floats:
    """Student's t with 3 degrees of freedom, of variance 1."""
    return rng.standard_t(3, len(mean)) / np.sqrt(3)


def varying(mean: Floats, rng: np.random.Generator) -> Floats:
    """Not additive: where the mean is high, its standard deviation is up to 2.7 times as large."""
    return np.exp(0.5 * np.tanh(mean)) * rng.standard_normal(len(mean))


def own(dag: Dag, rows: int, rng: np.random.Generator) -> Floats:
    """From the prior of the paper's model itself."""
    seed = int(rng.integers(2**32))
    return gpnet.simulate(model="gp", dag=dag, rows=rows, seed=seed).values


NETWORKS: dict[str, Callable[[Dag, int, np.random.Generator], Floats]] = {
    "mixed": lambda dag, rows, rng: mixed(dag, rows, rng, normal),
    "heavy": lambda dag, rows, rng: mixed(dag, rows, rng, heavy),
    "varying": lambda dag, rows, rng: mixed(dag, rows, rng, varying),
    "own": own,
}
