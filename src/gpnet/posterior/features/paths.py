"""Directed paths, and the order they bring."""

import numpy as np

from gpnet.common.types import Node
from gpnet.graphs.reachability import ancestors, generations
from gpnet.posterior.features.base import Answers, Dags, Feature, PairFeature
from gpnet.posterior.features.text import Cursor


class Path(PairFeature):
    """A directed path of one edge or more leads from the first to the second."""

    sign = "~>"

    @classmethod
    def read_ancestor(cls, cursor: Cursor) -> Feature:
        """ancestor(A, B) is A ~> B."""
        cursor.expect("(")
        first = cursor.name()
        cursor.expect(",")
        second = cursor.name()
        cursor.expect(")")
        return cls(first, second)

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """Ancestor and descendant."""
        return ancestors(dags)[:, first, second]


class Precedes(PairFeature):
    """The longest path that leads to the first is shorter than the longest to the second."""

    sign = "<"

    @staticmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """By generations."""
        generation = generations(dags)
        return np.asarray(generation[:, first] < generation[:, second])
