"""Whole tables of Laplace scores: threads, and the prototype where it was built.

The prototype's compiled core is looked for in the folder that GPNET_PROTOTYPE names.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.race import Race
from gpnet import load_table, simulate
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.priors import Hyperpriors, InverseGamma
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.score_table.table import tabulate
from gpnet.scores import GpScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import UniformPrior


def races() -> Iterator[Race]:
    data = load_table(simulate(nodes=10, rows=100, seed=1).values)
    what = "Laplace, all 2 560 sets of 10 x 100, "
    one, two = (partial(laplace, data, workers) for workers in (1, 2))
    yield Race(what + "2 threads", two, "1 thread", one)
    theirs = prototype(data.standardised())
    if theirs:
        yield Race(what + "1 thread", one, "prototype, 2 starts", theirs)


def laplace(data: Dataset, workers: int) -> object:
    # A slightly different prior each time, so that no model is kept from the last run.
    prior = InverseGamma(2, 2 + 1e-9 * np.random.default_rng().random())
    score = GpScore(
        evidence=EVIDENCE_METHODS["laplace"](), hyperpriors=Hyperpriors(lengthscale=prior)
    )
    space = FullSpace(max_parents=4).build(data)
    with Workers.threads(workers) as executor:
        return tabulate(data, space, score, UniformPrior(), RunContext(executor))


def prototype(values: np.ndarray) -> Callable[[], object] | None:
    folder = os.environ.get("GPNET_PROTOTYPE")
    if not folder:
        return None
    sys.path.insert(0, folder)
    import fast_likelihood  # type: ignore[import-not-found]

    return partial(prototype_laplace, fast_likelihood, values)


def prototype_laplace(module: Any, values: np.ndarray) -> None:
    model, *_ = module.build_model(values, tmin=0.1, L=13, tol=1e-12)
    for k in range(1, 5):
        families = [
            (node, list(parents), [place] * k + [-0.36])
            for node in range(10)
            for parents in combinations([j for j in range(10) if j != node], k)
            for place in (0.0, -1.05)
        ]
        nodes, parents, starts = (list(column) for column in zip(*families, strict=True))
        model.laplace_many(nodes, parents, starts, 1)
