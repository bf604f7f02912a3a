"""Another prior, for which edges from exogenous columns do not count."""

from dataclasses import dataclass
from typing import ClassVar, Self

from gpnet.common.errors import OptionError
from gpnet.common.types import Node, Parents
from gpnet.structure_priors.base import PriorSettings, StructurePrior


@dataclass(frozen=True, eq=False)
class UncountedExogenous(StructurePrior):
    """Nobody asks whether batch or sex has an effect, but everybody must account for it.

    A penalty would leave out weak effects, and what two variables owe to a common one would look
    like an edge between them.
    """

    by_name: ClassVar[bool] = False

    prior: StructurePrior
    exogenous: frozenset[Node]

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """Not by settings alone: it needs another prior."""
        raise OptionError("exogenous: is wrapped around another prior")

    def log_prob(self, node: Node, parents: Parents) -> float:
        """The other prior's, of the parents that are modelled."""
        return self.prior.log_prob(node, tuple(v for v in parents if v not in self.exogenous))

    def required_parents(self, node: Node) -> frozenset[Node]:
        """Those of the other prior."""
        return self.prior.required_parents(node)

    def forbidden_parents(self, node: Node) -> frozenset[Node]:
        """Those of the other prior."""
        return self.prior.forbidden_parents(node)
