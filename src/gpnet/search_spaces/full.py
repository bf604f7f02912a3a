"""Every other variable may be a parent."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings
from gpnet.structure_priors import StructurePrior


@dataclass(frozen=True)
class FullSpace(SpaceBuilder):
    """All DAGs with at most `max_parents` parents of a node."""

    max_parents: int | None = None  # all others unless given
    plus_one: bool = field(default=False, init=False)  # nobody is outside

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes max_parents."""
        return cls(settings.max_parents)

    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """Asks the data only how many variables there are."""
        return ~np.eye(data.n_variables, dtype=bool)
