"""Candidates that gain something on their own, and those of the dual PC algorithm."""

from dataclasses import dataclass, field
from typing import ClassVar, Self

from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, allowed_by
from gpnet.search_spaces.candidates import Screen
from gpnet.structure_priors import StructurePrior


@dataclass(frozen=True, eq=False)
class ScreenedSpace(SpaceBuilder):
    """All that the screen lets through; of a node with too many, those of greatest merit."""

    searches: ClassVar[bool] = True

    screen: Screen = field(default_factory=Screen)
    max_parents: int | None = None  # all candidates unless given
    plus_one: bool = True

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes the screen's, max_parents and plus_one."""
        return cls(Screen.from_settings(settings), settings.max_parents, settings.plus_one)

    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """A score for each pair of variables."""
        wanted, merit = self.screen.look(data, context)
        return self.screen.best(wanted & allowed_by(prior, data.n_variables), merit)
