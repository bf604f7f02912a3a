"""What a feature is, and how features combine; members of the family import only this and text."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.common.types import Node
from gpnet.posterior.features.text import Cursor, written

Dags: TypeAlias = NDArray[np.bool_]  # (m, n, n), dag[parent, child]
Answers: TypeAlias = NDArray[np.bool_]  # (m,)
Column: TypeAlias = Callable[[str], Node]  # a variable's place by its name


class Feature(ABC):
    """Holds in a DAG or does not; its str is the text that parses to it."""

    def holds(self, dags: Dags, names: Sequence[str]) -> Answers:
        """(m,): in which of the DAGs (m, n, n), whose nodes have these n names."""
        if np.ndim(dags) != 3 or np.shape(dags)[1:] != (len(names), len(names)):
            raise OptionError(
                f"dags: of shape (m, n, n) for n = {len(names)} names, found {np.shape(dags)}"
            )
        place = {name: node for node, name in enumerate(names)}

        def column(name: str) -> Node:
            if name not in place:
                known = suggestion(name, names)
                raise OptionError(
                    f"feature {quote(self)}: no variable is called {quote(name)}: {known}"
                )
            return place[name]

        return self.found(np.asarray(dags, dtype=bool), column)

    @abstractmethod
    def found(self, dags: Dags, column: Column) -> Answers:
        """(m,): in which of the DAGs it holds, all shapes checked."""

    def __and__(self, other: "Feature") -> "AllOf":
        return AllOf((*_parts(self, AllOf), *_parts(other, AllOf)))

    def __or__(self, other: "Feature") -> "AnyOf":
        return AnyOf((*_parts(self, AnyOf), *_parts(other, AnyOf)))

    def __invert__(self) -> "Not":
        return Not(self)

    def __bool__(self) -> NoReturn:
        # Python's own `and` would pass over the first of two features without a word.
        raise OptionError("features: combine them by & | ~, not by Python's and, or, not")


# Combinations


@dataclass(frozen=True)
class AllOf(Feature):
    """Each part holds."""

    parts: tuple[Feature, ...]

    def found(self, dags: Dags, column: Column) -> Answers:
        """The conjunction."""
        return np.asarray(np.logical_and.reduce([p.found(dags, column) for p in self.parts]))

    def __str__(self) -> str:
        return " and ".join(_in_parentheses(part, AnyOf) for part in self.parts)


@dataclass(frozen=True)
class AnyOf(Feature):
    """Some part holds."""

    parts: tuple[Feature, ...]

    def found(self, dags: Dags, column: Column) -> Answers:
        """The disjunction."""
        return np.asarray(np.logical_or.reduce([p.found(dags, column) for p in self.parts]))

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True)
class Not(Feature):
    """The part does not hold."""

    part: Feature

    def found(self, dags: Dags, column: Column) -> Answers:
        """The negation."""
        return ~self.part.found(dags, column)

    def __str__(self) -> str:
        return f"not {_in_parentheses(self.part, AllOf, AnyOf)}"


def _parts(feature: Feature, kind: type[AllOf] | type[AnyOf]) -> tuple[Feature, ...]:
    """What it joins already, so that a & (b & c) is (a & b) & c."""
    if not isinstance(feature, Feature):
        raise OptionError(f"features: combine them with features, found {quote(feature)}")
    return feature.parts if isinstance(feature, kind) else (feature,)


def _in_parentheses(part: Feature, *kinds: type[Feature]) -> str:
    return f"({part})" if isinstance(part, kinds) else str(part)


# Statements about variables


class Statement(Feature):
    """Speaks of variables by their names, each different from the others."""

    @property
    @abstractmethod
    def variables(self) -> tuple[str, ...]:
        """All that it names."""

    def __post_init__(self) -> None:
        for name in self.variables:
            if not isinstance(name, str):
                raise OptionError(f"feature: the names of variables, found {quote(name)}")
        twice = [name for name in self.variables if self.variables.count(name) > 1]
        if twice:
            raise OptionError(
                f"feature {quote(self)}: names {quote(twice[0])} twice; name different ones"
            )


@dataclass(frozen=True)
class PairFeature(Statement):
    """Something between two variables, with a sign of its own in text."""

    first: str
    second: str
    sign: ClassVar[str]

    @classmethod
    def read(cls, first: str, cursor: Cursor) -> Feature:
        """From the text after the first name and the sign."""
        return cls(first, cursor.name())

    @property
    def variables(self) -> tuple[str, ...]:
        """Both."""
        return self.first, self.second

    def found(self, dags: Dags, column: Column) -> Answers:
        """Between their columns."""
        return np.asarray(self.between(dags, column(self.first), column(self.second)))

    @staticmethod
    @abstractmethod
    def between(dags: Dags, first: Node, second: Node) -> Answers:
        """(m,): in which of the DAGs it holds."""

    def __str__(self) -> str:
        return f"{written(self.first)} {self.sign} {written(self.second)}"
