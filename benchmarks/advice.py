"""Whether advice on the next experiment is worth following: `python -m benchmarks.advice 20`.

Linear networks of five nodes with normal noise, made here and not by gpnet's simulator: from 100
rows in which nothing is set, many directions cannot be told. Then one variable is set in 50 rows:
the one that gpnet advises, or each of the others (chance picks any). The network is learnt from all
rows, and its expected structural Hamming distance to the truth compared, network by network.
"""

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

import gpnet
from gpnet import metrics

N_NODES, N_ROWS, N_SET = 5, 100, 50
EDGE_PROBABILITY = 0.5
SETTINGS = {"score": "bge", "draws": 2000, "doubt": "off", "bag": "off", "curves": False}


@dataclass(frozen=True)
class LinearNetwork:
    """Nodes in a random order; x_v = slopes' x + noise."""

    slopes: np.ndarray  # (n, n), [parent, child]
    order: np.ndarray

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "LinearNetwork":
        order = rng.permutation(N_NODES)
        slopes = np.zeros((N_NODES, N_NODES))
        for place, child in enumerate(order):
            for parent in order[:place]:
                if rng.random() < EDGE_PROBABILITY:
                    slopes[parent, child] = rng.choice([-1, 1]) * rng.uniform(0.4, 1.0)
        return cls(slopes, order)

    def rows(self, n: int, rng: np.random.Generator, target: int | None = None) -> np.ndarray:
        """A table (n, nodes); the target is set to normal values if there is one."""
        values = np.zeros((n, N_NODES))
        for v in self.order:
            values[:, v] = rng.normal(size=n)
            if v != target:
                values[:, v] += values @ self.slopes[:, v]
        return values


def distances(seed: int) -> tuple[float, float, float, float]:
    """Of one network: expected distance before, as advised, by chance, and with hindsight."""
    rng = np.random.default_rng(seed)
    truth = LinearNetwork.drawn(rng)
    names = [f"V{v + 1}" for v in range(N_NODES)]
    plain = pd.DataFrame(truth.rows(N_ROWS, rng), columns=names)
    before = gpnet.learn(plain, **SETTINGS)
    advised = names.index(before.advise(rows=N_SET, dags=100).names[0])
    after = [distance(tried(truth, plain, v, rng), truth) for v in range(N_NODES)]
    return distance(before, truth), after[advised], float(np.mean(after)), min(after)


def tried(truth: LinearNetwork, plain: pd.DataFrame, target: int, rng: np.random.Generator):
    rows = pd.DataFrame(truth.rows(N_SET, rng, target), columns=plain.columns)
    names = [""] * len(plain) + [plain.columns[target]] * N_SET
    table = pd.concat([plain, rows], ignore_index=True).assign(target=names)
    return gpnet.learn(table, interventions="target", **SETTINGS)


def distance(posterior, truth: LinearNetwork) -> float:
    return metrics.compare(posterior.dags, posterior.weights, truth.slopes != 0)["eshd"]


def main(n_networks: int) -> None:
    found = np.array([distances(seed) for seed in range(n_networks)])
    rows = Table("", "expected distance", "95% interval")
    for name, values in {
        "before any experiment": found[:, 0],
        "as advised": found[:, 1],
        "any variable": found[:, 2],
        "the best, with hindsight": found[:, 3],
        "advised less any": found[:, 1] - found[:, 2],
    }.items():
        half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
        rows.add_row(
            name,
            f"{values.mean():.2f}",
            f"{values.mean() - half:.2f} to {values.mean() + half:.2f}",
        )
    Console(width=100).print(rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)
