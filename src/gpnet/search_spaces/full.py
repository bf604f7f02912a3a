"""Every other variable may be a parent."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gpnet.dataset import Dataset
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, space_of
from gpnet.space import SearchSpace
from gpnet.structure_priors import StructurePrior


@dataclass(frozen=True)
class FullSpace(SpaceBuilder):
    """All DAGs with at most `max_parents` parents of a node."""

    max_parents: int | None = None  # all others unless given

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes max_parents."""
        return cls(settings.max_parents)

    def find(self, data: Dataset, prior: StructurePrior) -> SearchSpace:
        """Asks the data only how many variables there are."""
        everyone = ~np.eye(data.n_variables, dtype=bool)
        return space_of(everyone, self.max_parents, plus_one=False)
