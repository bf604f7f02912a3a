"""How often the best mode is missed: against 50 random starts on 200 random sets of parents.

Run as ``python -m benchmarks.modes``; takes some minutes.
"""

import sys
from functools import cache

import numpy as np

from benchmarks.reference import random_families
from gpnet.data.dataset import Dataset
from gpnet.gp.fast import FastModel
from gpnet.gp.kernels import Additive
from gpnet.gp.mode_search import search
from gpnet.gp.priors import Hyperpriors

N_STARTS = 50


@cache
def model(data: Dataset) -> FastModel:
    return FastModel(data.standardised(), Additive(), Hyperpriors())


def best_of_many(fast: FastModel, node: int, parents: tuple[int, ...], seed: int) -> np.ndarray:
    """The best value and the best log marginal likelihood by Laplace of all starts."""
    rng = np.random.default_rng(seed)
    best = np.full(2, -np.inf)
    for _ in range(N_STARTS):
        u = rng.uniform(np.log(0.15), np.log(8), len(parents))
        start = np.append(u, rng.uniform(-2, 0.2))
        (_, value, _, laplace, converged, _), _ = fast._core.climb(node, parents, start, -1)
        if converged:
            best = np.maximum(best, [value, laplace])
    return best


def main(n_families: int, seed: int) -> None:
    missed = []
    for k, (data, node, parents) in enumerate(random_families(n_families, range(1, 6), seed)):
        fast = model(data)
        _, modes = search(fast, node, parents, {})
        found = max(m.value for m in modes), max(m.log_laplace for m in modes)
        short = best_of_many(fast, node, parents, k) - found
        missed.append(short)
        if short.max() > 0.1:
            print(f"{len(parents)} parents, {data.n_rows} rows: {short[0]:.2f} {short[1]:.2f}")
    share = (np.array(missed) > 0.1).mean(axis=0)
    print(f"missed by more than 0.1 nats: {share[0]:.1%} in value, {share[1]:.1%} in Laplace")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:] or ("200", "0")))
