"""What a sampler must offer."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag
from gpnet.runtime.context import RunContext
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.walks import Dags
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable


@dataclass(frozen=True)
class SamplerSettings:
    """All that a user may set of a sampler; each takes what concerns it."""

    n_chains: int = 4
    thin: int | None = None


class Sampler(ABC):
    """A way from a table to draws of DAGs; sees nothing but the table.

    Settings of its own (chains, thinning, temperatures) are fields of the member.
    """

    max_nodes: ClassVar[int | None] = None  # the most variables that it takes

    @classmethod
    def from_settings(cls, settings: SamplerSettings) -> Self:
        """The sampler with these settings; one that takes none needs no other."""
        return cls()

    def memory_needed(self, space: SearchSpace, *, workers: int) -> int:
        """Bytes beside the table and the draws, where they are many."""
        return 0

    @classmethod
    def check_space(cls, space: SearchSpace) -> None:
        """Refuse a space that is too large for it, before anything is scored."""
        return

    @abstractmethod
    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
    ) -> DagSample:
        """So many draws in all; the same for the same seed, whatever the number of workers.

        Fewer where the deadline of the context passes, with a warning that says so.
        """

    def quick(self, n_nodes: int) -> Self:
        """The same at a lower price, for who has no time; itself if there is none."""
        return self

    def pilot(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int,
        context: RunContext,
        known: Dag | None = None,
    ) -> DagSample:
        """Draws that show where the posterior lies, not how much is where: they may be quick.

        `known` is a good DAG of earlier ones, for samplers that have to look for one.
        """
        return self.sample(table, n_draws=n_draws, seed=seed, context=context)

    def replicate(
        self, table: ScoreTable, *, n_draws: int, seed: int, context: RunContext, known: Dags
    ) -> DagSample:
        """Draws from a table much like one that was drawn from before.

        `known` are DAGs drawn then, for samplers that have to look for a good one.
        """
        return self.sample(table, n_draws=n_draws, seed=seed, context=context)


def check_request(n_draws: int, seed: int, *, fewest: int = 1) -> None:
    """What every sampler refuses, in the same words."""
    least = {"n_draws": (n_draws, fewest), "seed": (seed, 0)}
    for name, (value, bound) in least.items():
        if value < bound:
            raise OptionError(f"{name}: {bound} or more, found {value}")


def cut_short(n_drawn: int, n_draws: int) -> tuple[str, ...]:
    """What to say where the deadline ended the drawing."""
    if n_drawn == n_draws:
        return ()
    return (f"the time budget ended after {n_drawn:,} of {n_draws:,} draws",)
