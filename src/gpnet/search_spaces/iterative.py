"""A space that grows by looking at good DAGs, after Kuipers, Suter & Moffa (2022).

The only loop of the line, and it is closed in here: tabulate with one parent from outside, search
for the best DAGs, make candidates of the parents they took from outside, and again.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import ClassVar, Final, Protocol, Self

import numpy as np

from gpnet.common.messages import listing, quote
from gpnet.common.types import Dag, Floats
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.score_table.order_search import search_orders
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, allowed_by, space_of
from gpnet.search_spaces.candidates import Screen
from gpnet.search_spaces.outside import WIDE, Outside
from gpnet.structure_priors import StructurePrior

WIDE_PER_NODE: Final = 100  # iterations of the search on wide tables, where each takes longer
SEARCH_PARENTS: Final = 4  # of a node while the space grows, so that a round stays short


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
    n_iterations: int | None = None  # of the search: its own number unless given
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
            candidates = self.screen.best(wanted, merit)
            allowed = allowed_by(prior, data.n_variables)
            outside = Outside(data, self.screen.score, prior, allowed)
            while True:
                adjacent = self._adjacent(data, candidates, prior, remembering, outside)
                new = (adjacent > 0) & ~candidates & ~seen  # each edge is new once: this ends
                merit, seen = merit + adjacent, seen | (adjacent > 0)
                if not new.any():
                    break
                candidates = self.screen.best(wanted | seen, merit)
        self._note(data, seen & ~candidates, context)
        return candidates

    def _adjacent(
        self,
        data: Dataset,
        candidates: Dag,
        prior: StructurePrior,
        context: RunContext,
        outside: Outside,
    ) -> Floats:
        """(n, n): in how many of the best DAGs an allowed edge is there, in either direction.

        Of wide tables, also whether it would add to them.
        """
        required = max(len(prior.required_parents(v)) for v in range(data.n_variables))
        most = max(SEARCH_PARENTS, required)
        most = most if self.max_parents is None else min(most, self.max_parents)
        wide = data.n_variables > WIDE
        space = space_of(candidates, prior, most, plus_one=not wide)
        table = tabulate(data, space, self.screen.score, prior, context)
        n_iterations = self.n_iterations
        if wide and n_iterations is None:
            n_iterations = WIDE_PER_NODE * data.n_variables
        dags = self.search(
            table,
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
