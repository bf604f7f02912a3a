"""What a structure prior must offer."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from gpnet.common.types import Floats, Node, Parents


@dataclass(frozen=True, eq=False)
class PriorSettings:
    """All that a user may set of a structure prior; each prior takes what concerns it."""

    n_variables: int
    gamma: float | None = None
    edge_probabilities: Floats | None = None  # (n, n), [parent, child]


class StructurePrior(ABC):
    """log p(dag) = sum over nodes of log_prob(node, its parents), up to a constant."""

    by_name: ClassVar[bool] = True  # whether its name, and perhaps gamma, says all about it
    takes_gamma: ClassVar[bool] = False

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """The prior with these settings; one that has none of its own needs no other."""
        return cls()

    @abstractmethod
    def log_prob(self, node: Node, parents: Parents) -> float:
        """Any sorted parents without the node itself; -inf where they are forbidden."""

    def required_parents(self, node: Node) -> frozenset[Node]:
        """Sets without one of these have log prior -inf; a search space must offer them all."""
        return frozenset()

    def forbidden_parents(self, node: Node) -> frozenset[Node]:
        """Sets with any of these have log prior -inf; a search space need not offer them."""
        return frozenset()
