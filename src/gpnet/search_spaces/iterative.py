"""A space that grows by looking at good DAGs, after Kuipers, Suter & Moffa (2022).

The only loop of the line, and it is closed in here: tabulate with one parent from outside, search
for the best DAGs, make candidates of the parents they took from outside, and again.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Final, Protocol, Self

import numpy as np

from gpnet.common.errors import Notice
from gpnet.common.messages import listing, quote
from gpnet.common.types import Dag, Floats
from gpnet.data.dataset import Dataset
from gpnet.runtime.store import Store
from gpnet.score_table.table import ScoreTable
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, allowed_by, space_of
from gpnet.search_spaces.candidates import Screen
from gpnet.search_spaces.order_search import search_orders
from gpnet.structure_priors import StructurePrior

SEARCH_PARENTS: Final = 4  # of a node while the space grows, so that a round stays short


class Search(Protocol):
    """A way to good DAGs of a table."""

    def __call__(
        self, table: ScoreTable, *, n_iterations: int | None, n_chains: int, seed: int
    ) -> Sequence[Dag]:
        """The best DAGs found by several chains."""


@dataclass(frozen=True, eq=False)
class IterativeSpace(SpaceBuilder):
    """Starts from what screening finds, and grows until the best DAGs take nobody from outside.

    Who stood in a good DAG as parent or as child becomes a candidate. Of a node with more than
    `max_candidates` of the screen, those of greatest merit stay: each good DAG with the edge adds 1
    to it. A warning says so where one that stood in a DAG had to go.
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

    def find(self, data: Dataset, prior: StructurePrior) -> Dag:
        """Each round computes only what no round before it has."""
        with _remembering(self.screen) as screen:
            wanted, merit = screen.look(data)
            wanted &= allowed_by(prior, data.n_variables)
            seen = np.zeros_like(wanted)
            candidates = screen.best(wanted, merit)
            while True:
                joined = self._joined(data, candidates, prior, screen)
                new = (joined > 0) & ~candidates & ~seen  # each edge is new once: this ends
                merit, seen = merit + joined, seen | (joined > 0)
                if not new.any():
                    break
                candidates = screen.best(wanted | seen, merit)
        self._warn(data, seen & ~candidates)
        return candidates

    def _joined(
        self, data: Dataset, candidates: Dag, prior: StructurePrior, screen: Screen
    ) -> Floats:
        """(n, n): in how many of the best DAGs an allowed edge is there, in either direction."""
        required = max(len(prior.required_parents(v)) for v in range(data.n_variables))
        most = max(SEARCH_PARENTS, required)
        most = most if self.max_parents is None else min(most, self.max_parents)
        space = space_of(candidates, prior, most, plus_one=True)
        table = screen.tabulate(data, space, prior)
        dags = self.search(
            table, n_iterations=self.n_iterations, n_chains=self.n_chains, seed=self.seed
        )
        counts = np.sum(np.asarray(dags, dtype=float), axis=0)
        return np.asarray((counts + counts.T) * allowed_by(prior, data.n_variables))

    def _warn(self, data: Dataset, left_out: Dag) -> None:
        edges = [
            f"{quote(data.names[i])} -> {quote(data.names[j])}" for i, j in np.argwhere(left_out)
        ]
        if edges:
            warnings.warn(
                f"search space: no room for {listing(edges)}, which stood in good DAGs; raise "
                f"max_candidates, now {self.screen.max_candidates}",
                Notice,
                stacklevel=4,  # who called build
            )


@contextmanager
def _remembering(screen: Screen) -> Iterator[Screen]:
    """With the user's store, or one for as long as the space grows; a closed form needs none."""
    if screen.store or screen.score.closed_form:
        yield screen
        return
    with TemporaryDirectory(prefix="gpnet-") as folder, Store(Path(folder) / "scores") as store:
        yield replace(screen, store=store)
