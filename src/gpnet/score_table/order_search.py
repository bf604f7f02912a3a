"""The best DAGs of a table, by a search over orders."""

from typing import Final

import numpy as np

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.common.types import Dag
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.score_table.subset_tables import fill_tables
from gpnet.score_table.table import ScoreTable, no_dag

PER_NODE: Final = 500  # iterations
STARTS_PER_NODE: Final = 200  # of a search that chains begin with


def search_orders(
    table: ScoreTable,
    *,
    n_iterations: int | None = None,
    n_chains: int = 4,
    seed: int = 0,
    context: RunContext | None = None,
) -> list[Dag]:
    """The best DAG that each chain finds, without repeats, best first.

    Each chain moves one node at a time to a place drawn in proportion to score^beta while beta
    grows, and ends where no node has a better place. One iteration is one node moved; unless
    given, there are 500 for each node: with 50, those of strongly dependent columns (breast cancer)
    ended 20 to 160 nats below the best.
    """
    found = _annealed(table, n_iterations, n_chains, seed, context)
    found.sort(key=lambda pair: -pair[1])
    return list({dag.tobytes(): dag for dag, _ in found}.values())


def annealed_starts(
    table: ScoreTable, n_chains: int, seed: int, context: RunContext | None = None
) -> list[Dag]:
    """A DAG for each chain to begin at, each found by itself from a random order.

    Where the posterior has several modes that are hard to leave, chains begin in several, and
    disagree; where it has one, they need not look for it.
    """
    n_iterations = STARTS_PER_NODE * table.n_variables
    found = _annealed(table, n_iterations, n_chains, seed, context)
    return [found[c % len(found)][0] for c in range(n_chains)]


def _annealed(
    table: ScoreTable,
    n_iterations: int | None,
    n_chains: int,
    seed: int,
    context: RunContext | None,
) -> list[tuple[Dag, float]]:
    """What each chain finds, and its log score; without those that find nothing."""
    n_iterations = PER_NODE * table.n_variables if n_iterations is None else n_iterations
    if n_iterations < 0 or n_chains < 1:
        raise OptionError("search_orders: n_iterations from 0 and n_chains from 1")
    executor = context.executor if context else Workers()
    best = fill_tables(_core.BestSets, table, executor)
    seeds = np.random.SeedSequence(seed).generate_state(n_chains, np.uint64).tolist()
    found = executor.map(lambda one: best.search(n_iterations, one), seeds)
    found = [(dag, score) for dag, score in found if score > -np.inf]
    if not found:
        raise no_dag(table, range(table.n_variables))
    return found
