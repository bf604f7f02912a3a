"""Sets that belong to a node: its parents, its Markov blanket."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Node
from gpnet.graphs.blanket import markov_blanket
from gpnet.posterior.features.base import Answers, Column, Dags, Feature, PairFeature, Statement
from gpnet.posterior.features.text import Cursor, listed, written


@dataclass(frozen=True)
class NodeSet(Statement):
    """A node's set consists of exactly these members."""

    node: str
    members: frozenset[str]
    word: ClassVar[str]

    @classmethod
    def read(cls, cursor: Cursor) -> Feature:
        """word(B) = {A, C}, from the text after the word."""
        cursor.expect("(")
        node = cursor.name()
        cursor.expect(")")
        cursor.expect("=")
        cursor.expect("{")
        return cls(node, cursor.names_until("}"))

    @property
    def variables(self) -> tuple[str, ...]:
        """The node and the members."""
        return self.node, *self.members

    @staticmethod
    @abstractmethod
    def of(dags: Dags, node: Node) -> NDArray[np.bool_]:
        """(m, n): who is in the node's set."""

    def found(self, dags: Dags, column: Column) -> Answers:
        """These members and no others."""
        node, *members = map(column, self.variables)
        wanted = np.zeros(dags.shape[-1], dtype=bool)
        wanted[members] = True
        return np.asarray((self.of(dags, node) == wanted).all(axis=1))

    def __str__(self) -> str:
        return f"{self.word}({written(self.node)}) = {{{listed(self.members)}}}"


class ParentSet(NodeSet):
    """The node's parents."""

    word = "parents"

    @staticmethod
    def of(dags: Dags, node: Node) -> NDArray[np.bool_]:
        """Its column of the matrix."""
        return dags[:, :, node]


class BlanketSet(NodeSet):
    """The node's parents, its children and the other parents of its children."""

    word = "blanket"

    @staticmethod
    def of(dags: Dags, node: Node) -> NDArray[np.bool_]:
        """Its Markov blanket."""
        return markov_blanket(dags, node)


class InBlanket(PairFeature):
    """The first is one of the Markov blanket of the second, whoever else may be in it."""

    sign = "in blanket"

    @classmethod
    def read(cls, first: str, cursor: Cursor) -> Feature:
        """A in blanket(B)."""
        cursor.expect("(")
        second = cursor.name()
        cursor.expect(")")
        return cls(first, second)

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """By the Markov blanket."""
        return markov_blanket(dags, second)[:, first]

    def __str__(self) -> str:
        return f"{written(self.first)} {self.sign}({written(self.second)})"


def set_of_names(field: str, names: Iterable[str]) -> frozenset[str]:
    """What a user gave for a list."""
    if isinstance(names, str):  # whose letters would be taken for names
        raise OptionError(f"{field}: a list of names, found the text {quote(names)}")
    return frozenset(names)
