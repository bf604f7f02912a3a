"""Every other variable may be a parent."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import check_n_candidates
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings, space_of
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

    def foreseen(self, n_variables: int, prior: StructurePrior) -> SearchSpace:
        """Always known; one that no table can hold is refused before it is made."""
        nodes = range(n_variables)
        forbidden = [len(prior.forbidden_parents(node)) for node in nodes]
        check_n_candidates(n_variables - 1 - min(forbidden, default=0))
        return space_of(_everyone(n_variables), prior, self.max_parents, plus_one=False)

    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """Asks the data only how many variables there are."""
        return _everyone(data.n_variables)


def _everyone(n_variables: int) -> Dag:
    return ~np.eye(n_variables, dtype=bool)
