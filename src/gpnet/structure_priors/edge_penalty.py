"""Every edge costs the same."""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, Self

from gpnet.common.errors import OptionError
from gpnet.common.types import Node, Parents
from gpnet.structure_priors.base import PriorSettings, StructurePrior


@dataclass(frozen=True)
class EdgePenalty(StructurePrior):
    """p(dag) proportional to exp(-gamma x number of edges); a negative gamma favours edges."""

    takes_gamma: ClassVar[bool] = True

    gamma: float

    def __post_init__(self) -> None:
        if not isfinite(self.gamma):
            raise OptionError(f"gamma: a finite number, found {self.gamma}")

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """Takes gamma."""
        if settings.gamma is None:
            raise OptionError("gamma: the edge penalty needs a number, 2 for instance; found none")
        return cls(settings.gamma)

    def log_prob(self, node: Node, parents: Parents) -> float:
        """-gamma for each parent."""
        return -self.gamma * len(parents)
