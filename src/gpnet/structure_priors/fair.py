"""Every number of parents alike."""

from dataclasses import dataclass
from math import comb, log
from typing import Self

from gpnet.common.errors import OptionError
from gpnet.common.types import Node, Parents
from gpnet.structure_priors.base import PriorSettings, StructurePrior


@dataclass(frozen=True)
class FairPrior(StructurePrior):
    """k parents of n - 1 others have the weight 1 / C(n - 1, k): all k have the same in sum."""

    n_variables: int

    def __post_init__(self) -> None:
        if self.n_variables < 1:
            raise OptionError(f"n_variables: 1 or more, found {self.n_variables}")

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """Takes the number of variables."""
        return cls(settings.n_variables)

    def log_prob(self, node: Node, parents: Parents) -> float:
        """-log C(n - 1, k)."""
        return -log(comb(self.n_variables - 1, len(parents)))
