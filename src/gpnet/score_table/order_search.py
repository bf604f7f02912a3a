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
# Of one that goes on: so many at most, and of many nodes fewer, whose places take longer to try.
MOST_PER_NODE: Final = 40_000
MOST_WORK: Final = 1_200_000_000
NEAR: Final = 1.0  # nats: searches that end so close to each other have found the same
FAR: Final = 10.0  # nats below the best DAG: next to nothing of the posterior is there

Found = tuple[Dag, float]  # and its log score


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
    table: ScoreTable,
    n_chains: int,
    seed: int,
    context: RunContext | None = None,
    known: Dag | None = None,
) -> list[Dag]:
    """A DAG for each chain to begin at, each found by itself from a random order.

    Searches go on until most of them have found the same: strongly dependent columns have modes of
    hundreds of nats (breast cancer: 40 to 110 below the best after 200 iterations a node). A chain
    whose search ended where there is next to no posterior begins at the best DAG found. Where
    several modes count, chains begin in several, and disagree until they cross.

    With a `known` DAG one short search begins there, and no other goes on.
    """
    context = context or RunContext()
    n, executor = table.n_variables, context.executor
    best = fill_tables(_core.BestSets, table, executor)
    found = _found(table, best, STARTS_PER_NODE * n, n_chains, seed, executor)
    if known is not None:
        found.append(best.improve(known, STARTS_PER_NODE * n, seed))
    else:
        found = _while_they_differ(best, found, n, seed, context)
    dag, top = max(found, key=lambda pair: pair[1])
    near = [one for one, score in found if score > top - FAR] or [dag]
    return [near[c % len(near)] for c in range(n_chains)]


def improved(table: ScoreTable, known: Dag, seed: int) -> Dag:
    """The best DAG that one short search finds, which begins at a known one."""
    best = fill_tables(_core.BestSets, table, Workers())
    return best.improve(known, STARTS_PER_NODE * table.n_variables, seed)[0]


def _while_they_differ(
    best: _core.BestSets, found: list[Found], n: int, seed: int, context: RunContext
) -> list[Found]:
    """Searches that go on, each time twice as long, until most of them end near the best."""
    n_iterations, left = 4 * STARTS_PER_NODE * n, min(MOST_PER_NODE * n, MOST_WORK // n**2)
    while left > 0 and _disagree(found) and not context.deadline.passed:
        length, rng = min(n_iterations, left), np.random.SeedSequence([seed, left])
        seeds = rng.generate_state(len(found), np.uint64).tolist()
        parts = [(dag, length, one) for (dag, _), one in zip(found, seeds, strict=True)]
        found = context.executor.map(lambda part: best.improve(*part), parts)
        left -= length
        n_iterations *= 2
    return found


def _disagree(found: list[Found]) -> bool:
    """Whether no more than half of the searches end near the best of them."""
    scores = np.array([score for _, score in found])
    return len(found) > 1 and int((scores > scores.max() - NEAR).sum()) * 2 <= len(found)


def _annealed(
    table: ScoreTable,
    n_iterations: int | None,
    n_chains: int,
    seed: int,
    context: RunContext | None,
) -> list[Found]:
    """What each chain finds, and its log score; without those that find nothing."""
    n_iterations = PER_NODE * table.n_variables if n_iterations is None else n_iterations
    if n_iterations < 0 or n_chains < 1:
        raise OptionError("search_orders: n_iterations from 0 and n_chains from 1")
    executor = context.executor if context else Workers()
    best = fill_tables(_core.BestSets, table, executor)
    return _found(table, best, n_iterations, n_chains, seed, executor)


def _found(
    table: ScoreTable,
    best: _core.BestSets,
    n_iterations: int,
    n_chains: int,
    seed: int,
    executor: Workers,
) -> list[Found]:
    seeds = np.random.SeedSequence(seed).generate_state(n_chains, np.uint64).tolist()
    found = executor.map(lambda one: best.search(n_iterations, one), seeds)
    found = [(dag, score) for dag, score in found if score > -np.inf]
    if not found:
        raise no_dag(table, range(table.n_variables))
    return found
