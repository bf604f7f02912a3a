"""Edges, in a DAG and in all that are equivalent to it."""

from dataclasses import dataclass, field, replace

import numpy as np

from gpnet.common.types import Dag, Node
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior.features.base import Answers, Column, Dags, Feature, PairFeature, Statement
from gpnet.posterior.features.text import Cursor, written


class Edge(PairFeature):
    """An edge leads from the first to the second."""

    sign = "->"

    @classmethod
    def read(cls, first: str, cursor: Cursor) -> Feature:
        """A -> C, or A -> C <- B."""
        second = cursor.name()
        if cursor.take("<-|←"):
            return VStructure(first, second, cursor.name())
        return cls(first, second)

    @classmethod
    def read_backwards(cls, first: str, cursor: Cursor) -> Feature:
        """A <- B is B -> A."""
        return cls(cursor.name(), first)

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """The edge."""
        return dags[:, first, second]


class Adjacent(PairFeature):
    """An edge joins them, in whichever direction."""

    sign = "--"

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """Either edge."""
        return dags[:, first, second] | dags[:, second, first]


@dataclass(frozen=True)
class Compelled(PairFeature):
    """The edge from the first to the second stands in every equivalent DAG."""

    identified: Dag | None = field(default=None, compare=False, repr=False)

    sign = "=>"

    def _where(self, identified: Dag | None) -> Feature:
        """Equivalent are then those that agree on these pairs too."""
        return replace(self, identified=identified)

    def found(self, dags: Dags, column: Column) -> Answers:
        """Directed in the graph of the class."""
        graphs, first, second = cpdag(dags, self.identified), *map(column, self.variables)
        return np.asarray(graphs[:, first, second] & ~graphs[:, second, first])

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """Without experiments: directed in the CPDAG."""
        graphs = cpdag(dags)
        return graphs[:, first, second] & ~graphs[:, second, first]


@dataclass(frozen=True)
class VStructure(Statement):
    """Two parents that are not adjacent, and their child."""

    first: str
    child: str
    second: str

    @property
    def variables(self) -> tuple[str, ...]:
        """All three."""
        return self.first, self.child, self.second

    def found(self, dags: Dags, column: Column) -> Answers:
        """Both edges, and none between the parents."""
        first, child, second = map(column, self.variables)
        adjacent = Adjacent.between(dags, first, second)
        return np.asarray(dags[:, first, child] & dags[:, second, child] & ~adjacent)

    def __str__(self) -> str:
        return f"{written(self.first)} -> {written(self.child)} <- {written(self.second)}"
