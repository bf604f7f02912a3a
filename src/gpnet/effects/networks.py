"""Networks drawn from the posterior: DAGs by their weight, and functions of their nodes.

Each chosen DAG gets two draws of functions, or more where it is chosen more often: so that the
variance between DAGs and that within them can be told apart. Each family, a node with its parents,
is fitted once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.effects.learnt_model import LearntModel
from gpnet.gp.functions import DrawnFunctions, shares_to_counts
from gpnet.graphs.dag import topological_order
from gpnet.graphs.distinct import distinct_rows
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Countdown
from gpnet.scores import FunctionRequest

PER_DAG: Final = 2  # draws of functions for each draw of a DAG, at least
MOST_AT_ONCE: Final = 16  # draws of functions that rows are pushed through together

Needed = Callable[[Dag], set[Node]]  # nodes whose functions are asked for, given the DAG


class Chosen(NamedTuple):
    """A DAG that stands for a part of the posterior."""

    table: int  # the completed table that it is about
    dag: Dag
    n: int  # draws of its functions


@dataclass(frozen=True, eq=False)
class Network:
    """A DAG, and K draws of the functions of its nodes."""

    number: int  # of its DAG, among those chosen
    data: Dataset  # the completed table that it is about
    dag: Dag
    order: tuple[Node, ...]  # parents before children
    functions: Mapping[Node, DrawnFunctions]  # of nodes that have parents, as far as needed
    n: int  # K

    def parents(self, node: Node) -> Parents:
        """In order."""
        return tuple(np.flatnonzero(self.dag[:, node]).tolist())


def choose_dags(
    model: LearntModel, n_draws: int, rng: np.random.Generator, only: Node | None = None
) -> list[Chosen]:
    """Spread evenly over the weights, so that chance adds as little as it can.

    With `only`, DAGs that differ in the parents of other nodes count as one.
    """
    dags, table = model.dags(), model.table_of()
    if only is not None:
        dags = dags & (np.arange(dags.shape[1]) == only)
    kinds = table[:, None] == np.arange(len(model.completed))
    first, place = distinct_rows(np.hstack([dags.reshape(len(dags), -1), kinds]))
    share = np.bincount(place, weights=model.posterior.weights).astype(np.float64)
    counts = shares_to_counts(share, -(-n_draws // PER_DAG), rng)
    return [
        Chosen(int(table[draw]), dags[draw], PER_DAG * int(k))
        for draw, k in zip(first.tolist(), counts.tolist(), strict=True)
        if k
    ]


def draw_networks(
    model: LearntModel,
    chosen: Sequence[Chosen],
    seed: int,
    needed: Needed,
    context: RunContext | None = None,
) -> Iterator[Network]:
    """In the order given, a few draws of functions at a time; as long as the context has time."""
    wanted = [_families(one, needed) for one in chosen]
    totals: dict[tuple[int, Node, Parents], int] = {}
    for one, families in zip(chosen, wanted, strict=True):
        for family in families:
            totals[family] = totals.get(family, 0) + one.n
    pieces = sum(-(-one.n // MOST_AT_ONCE) for one in chosen)
    step = _teller(context or RunContext(), len(totals) + pieces)
    drawn = {}
    with threadpool_limits(1):  # the same bits on every machine, and faster on small matrices
        for family in sorted(totals):
            step()
            drawn[family] = _drawn(model, family, totals[family], seed)
    used = dict.fromkeys(totals, 0)
    for number, (one, families) in enumerate(zip(chosen, wanted, strict=True)):
        order = topological_order(one.dag)
        assert order is not None  # noqa: S101, as these are DAGs
        for start in range(0, one.n, MOST_AT_ONCE):
            n = min(MOST_AT_ONCE, one.n - start)
            functions = {}
            for family in families:
                functions[family[1]] = drawn[family].some(used[family] + np.arange(n))
                used[family] += n
            data = model.completed[one.table]
            step()
            yield Network(number, data, one.dag, tuple(order.tolist()), functions, n)


def _teller(context: RunContext, total: int) -> Callable[[], None]:
    """Called before each of so many steps: tells how far it is, and ends where time is over."""
    countdown = Countdown([total], context.progress("computing effects"))

    def step() -> None:
        context.check_deadline(f"{countdown.done} of {total} steps of the effects")
        countdown.advance(0, 1, computed=True)

    return step


def _families(one: Chosen, needed: Needed) -> list[tuple[int, Node, Parents]]:
    sets = [(node, tuple(np.flatnonzero(one.dag[:, node]).tolist())) for node in needed(one.dag)]
    return [(one.table, node, parents) for node, parents in sorted(sets) if parents]


def _drawn(
    model: LearntModel, family: tuple[int, Node, Parents], n: int, seed: int
) -> DrawnFunctions:
    table, node, parents = family
    data = model.completed[table]
    hints = model.known(node, parents)
    asked = FunctionRequest(data, node, parents, n, (seed, table), hints=hints)
    found = model.score.sample_functions(asked)
    if found is None:
        raise OptionError(
            f"score: {type(model.score).__name__} draws no functions, which effects need; learn "
            "with another, as 'adaptive'"
        )
    return found


def with_parents(dag: Dag) -> set[Node]:
    """All nodes that have any."""
    return set(np.flatnonzero(dag.any(axis=0)).tolist())
