"""Every DAG alike."""

from dataclasses import dataclass

from gpnet.common.types import Node, Parents
from gpnet.structure_priors.base import StructurePrior


@dataclass(frozen=True)
class UniformPrior(StructurePrior):
    """The uniform distribution over the DAGs of the search space."""

    def log_prob(self, node: Node, parents: Parents) -> float:
        """No edge costs anything."""
        return 0.0
