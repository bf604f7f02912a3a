"""The user says which edges may be."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings
from gpnet.structure_priors import StructurePrior


@dataclass(frozen=True, eq=False)
class GivenSpace(SpaceBuilder):
    """The candidates of a node are the ones in its column; the diagonal is not looked at."""

    by_name: ClassVar[bool] = False

    allowed: Dag  # (n, n), [parent, child]
    max_parents: int | None = None  # all candidates unless given
    plus_one: bool = False

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes the matrix of allowed edges, max_parents and plus_one."""
        if settings.allowed is None:
            raise OptionError("allowed: a matrix of 0 and 1 is needed, [parent, child]; found none")
        return cls(settings.allowed, settings.max_parents, settings.plus_one)

    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """Asks the data only how many variables there are."""
        n, allowed = data.n_variables, np.asarray(self.allowed)
        if allowed.shape != (n, n) or not np.isin(allowed, (0, 1)).all():
            raise OptionError(
                f"allowed: a matrix of 0 and 1, {n} by {n} as the data have {n} variables; found "
                f"shape {allowed.shape}"
            )
        return np.asarray(allowed.astype(bool) & ~np.eye(n, dtype=bool))
