"""Partition MCMC (Kuipers & Moffa 2017): unbiased, and the one to take beyond exact sampling."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import ClassVar, Final, Self

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.common.types import Dag
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Continued
from gpnet.samplers.base import check_request, cut_short
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.mcmc import (
    ChainPlan,
    ChainSampler,
    ChainTables,
    steps_to_trade,
)
from gpnet.samplers.temperatures import Betas
from gpnet.samplers.walks import Dags, Pieces
from gpnet.score_table.order_search import annealed_starts, improved
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable
from gpnet.stats.convergence import R_HAT_LIMIT

# Sums over all sets of so many nodes take seconds, and for each node more twice as many.
DRAWN_ORDERS: Final = 24
FEW_TEMPERATURES: Final = (1.0, 1.5, 2.25)
# Steps a node between draws of short chains, and up to which R-hat they go on.
SHORT_THIN: Final = 1
REPLICATE_THIN: Final = 2  # of 4 and 1 probabilities differ by less than of another seed
SHORT_GO_ON: Final = (1.15, 1.06, 1.03)
# The same of longer ones. Measured (breast cancer), effective draws of the slowest edge:
# 202 in 46 CPU seconds at few temperatures, 1 043 in 100 at these, 1 203 in 187 with a ladder.
SOME_TEMPERATURES: Final = (1.0, 1.3, 1.7, 2.25, 3.0, 4.0)
LONG_THIN: Final = 4
LONG_GO_ON: Final = (1.2, 1.1)
WALKS: Final = 2.0  # over DAGs, in as many steps as there are nodes
DRAWN_THIN: Final = 4  # the same beside drawn orders
DRAWN_GO_ON: Final = (inf,) * 3
BYTES_PER_SET: Final = 8


@dataclass(frozen=True)
class PartitionSampler(ChainSampler):
    """Walks over ordered partitions of the nodes, then draws a DAG given the partition.

    A node of the first element has no parents; a node of a later one has all its parents in
    earlier elements, and at least one in the element just before. So every DAG belongs to one
    partition, whose weight is the product over nodes v of A_v(all before) - A_v(all before but
    the last element), A_v(S) the sum of scores over parent sets within S.

    Beside it walk orders at the `temperatures`, and they trade places: with a DAG G drawn from
    the partition, an order s of G from a distribution r(s | G), and a DAG G' drawn from the order
    s', in proportion to r(s' | G') / r(s | G). Orders cross from mode to mode where partitions stay
    for very long; the partition has no bias.

    Unless temperatures are given, up to DRAWN_ORDERS nodes one order is beside the partition, drawn
    anew for each trade from sums over all orders. Beyond, short chains at a few temperatures are
    tried first, then longer ones at some: where all agree they will do, else trial chains tell the
    temperatures of yet longer ones. Each chain begins at a DAG that a search of its own finds.

    Now and then a DAG is drawn from the partition and walks: nodes get new parents given all other
    edges, edges are reversed; then the partition is that of the last DAG. So single edges come and
    go quickly, whatever the partition and the orders do.
    """

    temperatures: tuple[float, ...] | None = None
    with_orders: bool = True  # else the ladder is one of partitions, as is usual
    walk_rate: float | None = None  # share of steps that walk over DAGs; two in n unless given

    moves: ClassVar[tuple[str, ...]] = (
        "swap_neighbours",
        "swap",
        "move_near",
        "move",
        "split",
        "join",
        "walk",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.walk_rate is not None and not 0 <= self.walk_rate < 1:
            raise OptionError(f"walk_rate: from 0 to below 1, found {self.walk_rate:g}")

    @property
    def n_replicas(self) -> int:
        """That of the partition, and those of the orders."""
        return super().n_replicas + self.with_orders

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
        start: Dag | None = None,
        starts: Sequence[Dag] | None = None,
    ) -> DagSample:
        """As that of all chains; short ones first, unless there are better ways or settings."""
        check_request(n_draws, seed)
        context, n = context or RunContext(), table.n_variables
        passes = Continued(context.progress("drawing DAGs"))
        context = replace(context, progress=passes.next_pass)
        draw = partial(super().sample, table, n_draws=n_draws, seed=seed, context=context)
        settled = self.temperatures is not None or self.thin is not None or self.n_chains < 2
        if settled or start is not None or not self.with_orders:
            return draw(start=start, starts=starts)
        begin = annealed_starts(table, self.n_chains, seed, context)
        if self._draws_orders(n):
            return replace(self, thin=DRAWN_THIN * n, go_on=DRAWN_GO_ON).sample(
                table, n_draws=n_draws, seed=seed, context=context, starts=begin
            )
        short = replace(self, temperatures=FEW_TEMPERATURES, thin=SHORT_THIN * n, go_on=SHORT_GO_ON)
        longer = replace(self, temperatures=SOME_TEMPERATURES, thin=LONG_THIN * n, go_on=LONG_GO_ON)
        for chains in (short, longer):
            found = chains.sample(table, n_draws=n_draws, seed=seed, context=context, starts=begin)
            agreed = found.diagnostics.get("max_r_hat", inf) <= R_HAT_LIMIT
            if agreed or cut_short(found.n_draws, n_draws):
                return found
        return draw(starts=begin)

    def quick(self, n_nodes: int) -> Self:
        """Short chains, whether they agree or not."""
        return replace(self, temperatures=FEW_TEMPERATURES, thin=SHORT_THIN * n_nodes)

    def pilot(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int,
        context: RunContext,
        known: Dag | None = None,
    ) -> DagSample:
        """By short chains, each of which begins at a DAG that a search finds."""
        starts = annealed_starts(table, self.n_chains, seed, context, known)
        short = self.quick(table.n_variables)
        return short.sample(table, n_draws=n_draws, seed=seed, context=context, starts=starts)

    def replicate(
        self, table: ScoreTable, *, n_draws: int, seed: int, context: RunContext, known: Dags
    ) -> DagSample:
        """By one chain at few temperatures, from where a search from the best known DAG ends."""
        thin = REPLICATE_THIN * table.n_variables
        chain = replace(self, n_chains=1, temperatures=FEW_TEMPERATURES, thin=thin)
        start = improved(table, known[int(table.log_scores_of(known).argmax())], seed)
        return chain.sample(table, n_draws=n_draws, seed=seed, context=context, starts=[start])

    def alone(self) -> Self:
        """One chain of one partition, without orders beside it."""
        return replace(super().alone(), with_orders=False)

    def memory_needed(self, space: SearchSpace, *, workers: int) -> int:
        """For tables over the subsets of candidates, and over sets of nodes."""
        of_orders = BYTES_PER_SET << space.n_variables
        more = of_orders if self._draws_orders(space.n_variables) else 0
        return super().memory_needed(space, workers=workers) + more

    def n_steps_before(self, n_nodes: int, burn_in: int) -> int:
        """Those of the trial chains, or the sets of nodes to sum over."""
        if self._draws_orders(n_nodes):
            return 1 << n_nodes
        return super().n_steps_before(n_nodes, burn_in)

    def plan_chains(
        self, tables: ChainTables, seeds: Sequence[int], n_steps: int, pieces: Pieces
    ) -> ChainPlan:
        """A partition with orders drawn one by one, or with a ladder of orders, or without any."""
        if self._draws_orders(tables.table.n_variables):
            return self._with_drawn_orders(tables, n_steps, pieces)
        if not self.with_orders:
            return super().plan_chains(tables, seeds, n_steps, pieces)
        betas = (1.0, *self.find_betas(tables, seeds, n_steps, pieces))
        wait, rate = steps_to_trade(tables), self._walk_rate(tables)
        return ChainPlan(
            len(betas),
            lambda starts, seed: _core.partition_order_chain(
                tables.sums, starts, betas, wait, seed, rate
            ),
        )

    def start_ladder(
        self, tables: ChainTables, starts: Dags, betas: Betas, seed: int
    ) -> _core.Chain:
        """Of orders, where they are beside the partition; else of partitions."""
        wait = steps_to_trade(tables)
        if self.with_orders:
            return _core.order_chain(tables.sums, starts, betas, wait, seed)
        rate = self._walk_rate(tables)
        return _core.partition_chain(tables.sums, starts, betas, wait, seed, rate)

    def _walk_rate(self, tables: ChainTables) -> float:
        n = tables.table.n_variables
        return min(WALKS / n, 0.5) if self.walk_rate is None else self.walk_rate

    def _draws_orders(self, n_nodes: int) -> bool:
        return self.with_orders and self.temperatures is None and n_nodes <= DRAWN_ORDERS

    def _with_drawn_orders(self, tables: ChainTables, n_steps: int, pieces: Pieces) -> ChainPlan:
        orders = _core.OrderSums(tables.sums)
        pieces.run([orders.advance], [n_steps])
        pieces.check_deadline()
        wait, rate = tables.table.n_variables, self._walk_rate(tables)
        return ChainPlan(
            2,
            lambda starts, seed: _core.partition_drawn_order_chain(
                orders, starts, wait, seed, rate
            ),
        )
