"""A space that grows by looking at good DAGs, after Kuipers, Suter & Moffa (2022).

The only loop of the line, and it is closed in here: tabulate with one parent from outside, search
for the best DAGs, make candidates of the parents they took from outside, and again.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Protocol, Self

import numpy as np

from gpnet.common.messages import listing, quote
from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.score_table.order_search import search_orders
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import NodeScores, ScoreTable, tabulate
from gpnet.scores import Score
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, allowed_by, space_of
from gpnet.search_spaces.candidates import Screen
from gpnet.search_spaces.outside import WIDE, Outside
from gpnet.structure_priors import StructurePrior

SEARCH_PARENTS: Final = 4  # of a node while the space grows, so that a round stays short
SEARCH_STEPS: Final = 100  # of a node: its candidates are looked for, not the best DAG of all


class Search(Protocol):
    """A way to good DAGs of a table."""

    def __call__(
        self,
        table: ScoreTable,
        *,
        n_iterations: int | None,
        n_chains: int,
        seed: int,
        context: RunContext | None,
    ) -> Sequence[Dag]:
        """The best DAGs found by several chains."""


@dataclass(frozen=True, eq=False)
class IterativeSpace(SpaceBuilder):
    """Starts from what screening finds, and grows until the best DAGs take nobody from outside.

    Who stood in a good DAG as parent or as child becomes a candidate. Of a node with more than
    `max_candidates` of the screen, those of greatest merit stay: each good DAG with the edge adds 1
    to it. A note says so where one that stood in a DAG had to go.
    """

    searches: ClassVar[bool] = True

    screen: Screen = field(default_factory=Screen)
    search: Search = search_orders
    max_parents: int | None = None  # of the final space: all candidates unless given
    plus_one: bool = True  # of the final space
    n_iterations: int | None = None  # of the search: a hundred a node unless given
    n_chains: int = 4
    seed: int = 0

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes the screen's, max_parents, plus_one and the seed."""
        return cls(
            Screen.from_settings(settings),
            max_parents=settings.max_parents,
            plus_one=settings.plus_one,
            seed=settings.seed,
        )

    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """Each round computes only what no round before it has."""
        # What a closed form computes is there sooner than what a store has.
        closed_form = self.screen.score.closed_form
        with nullcontext(context) if closed_form else context.with_store() as remembering:
            wanted, merit = self.screen.look(data, remembering)
            wanted &= allowed_by(prior, data.n_variables)
            seen = np.zeros_like(wanted)
            allowed = allowed_by(prior, data.n_variables)
            outside = Outside(data, self.screen.score, prior, allowed)
            candidates, growing = self.screen.best(wanted, merit), _GrowingTable(data, prior)
            while True:
                adjacent = self._adjacent(growing, candidates, remembering, outside)
                new = (adjacent > 0) & ~candidates & ~seen  # each edge is new once: this ends
                merit, seen = merit + adjacent, seen | (adjacent > 0)
                if not new.any():
                    break
                candidates = self.screen.best(wanted | seen, merit)
        self._note(data, seen & ~candidates, context)
        return candidates

    def _adjacent(
        self, growing: "_GrowingTable", candidates: Dag, context: RunContext, outside: Outside
    ) -> Floats:
        """(n, n): in how many of the best DAGs an allowed edge is there, in either direction.

        Of wide tables, also whether it would add to them.
        """
        prior, n = growing.prior, len(candidates)
        required = max(len(prior.required_parents(v)) for v in range(n))
        most = max(SEARCH_PARENTS, required)
        most = most if self.max_parents is None else min(most, self.max_parents)
        wide = n > WIDE
        space = space_of(candidates, prior, most, plus_one=not wide)
        n_iterations = SEARCH_STEPS * n if self.n_iterations is None else self.n_iterations
        dags = self.search(
            growing.of(space, self.screen.score, context),
            n_iterations=n_iterations,
            n_chains=self.n_chains,
            seed=self.seed,
            context=context,
        )
        counts = np.sum(np.asarray(dags, dtype=float), axis=0)
        if wide:
            counts += outside.gaining(dags)
        return np.asarray((counts + counts.T) * outside.allowed)

    def _note(self, data: Dataset, left_out: Dag, context: RunContext) -> None:
        edges = [
            f"{quote(data.names[i])} -> {quote(data.names[j])}" for i, j in np.argwhere(left_out)
        ]
        if edges:
            context.notes.add(
                f"search space: no room for {listing(edges)}, which stood in good DAGs; raise "
                f"max_candidates, now {self.screen.max_candidates}"
            )


@dataclass(frozen=True)
class _GrowingTable:
    """The table of a space that grows: of nodes whose candidates stay, nothing is scored again."""

    data: Dataset
    prior: StructurePrior
    known: dict[Node, tuple[Parents, NodeScores]] = field(default_factory=dict)

    def of(self, space: SearchSpace, score: Score, context: RunContext) -> ScoreTable:
        """The table of this space."""
        changed = [v for v in range(space.n_variables) if self._changed(v, space)]
        caps = [space.max_parents if v in changed else 0 for v in range(space.n_variables)]
        part = replace(space, caps=tuple(caps))
        table = tabulate(self.data, part, score, self.prior, context)
        self.known.update({v: (space.candidates[v], table.nodes[v]) for v in changed})
        nodes = [self.known[v][1] for v in range(space.n_variables)]
        log_marginals = [node.log_marginals for node in nodes]
        log_priors = [node.log_priors for node in nodes]
        return ScoreTable.assemble(self.data.names, space, log_marginals, log_priors)

    def _changed(self, node: Node, space: SearchSpace) -> bool:
        """Whether it has other candidates, or a prior that does not let it go without parents."""
        known = self.known.get(node)
        return (
            known is None
            or known[0] != space.candidates[node]
            or bool(self.prior.required_parents(node))
        )
