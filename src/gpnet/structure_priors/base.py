"""What a structure prior must offer."""

from abc import ABC, abstractmethod

from gpnet.types import Node, Parents


class StructurePrior(ABC):
    """log p(dag) = sum over nodes of log_prob(node, its parents), up to a constant."""

    @abstractmethod
    def log_prob(self, node: Node, parents: Parents) -> float:
        """Any sorted parents without the node itself; -inf where they are forbidden."""
