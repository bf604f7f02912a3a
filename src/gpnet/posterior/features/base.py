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
    """What holds in a DAG or does not; its str is the text that parses to it.

    Examples
    --------
    >>> from gpnet import features
    >>> feature = features.edge("A", "B") & ~features.path("B", "C")
    >>> isinstance(feature, features.Feature), str(feature)
    (True, 'A -> B and not B ~> C')
    """

    def holds(self, dags: Dags, names: Sequence[str]) -> Answers:
        """In which of the DAGs it holds.

        Parameters
        ----------
        dags : array of bool, shape (m, n, n)
            dag[parent, child].
        names : sequence of str
            Of the n nodes.

        Returns
        -------
        array of bool, shape (m,)
            One answer for each DAG.

        Examples
        --------
        >>> import numpy as np
        >>> from gpnet import features
        >>> dag = np.array([[0, 1], [0, 0]], dtype=bool)
        >>> features.edge("A", "B").holds(np.array([dag, dag.T]), ["A", "B"]).tolist()
        [True, False]
        """
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
        """What a member of the family has to define: `holds`, of arguments that are checked.

        Parameters
        ----------
        dags : array of bool, shape (m, n, n)
            dag[parent, child].
        column : function
            From the name of a variable to its column.

        Returns
        -------
        array of bool, shape (m,)
            One answer for each DAG.

        Examples
        --------
        >>> import numpy as np
        >>> from gpnet import features
        >>> dag = np.array([[0, 1], [0, 0]], dtype=bool)
        >>> feature = features.edge("A", "B")
        >>> feature.found(np.array([dag, dag.T]), ["A", "B"].index).tolist()
        [True, False]
        """

    def _where(self, identified: NDArray[np.bool_] | None) -> "Feature":
        """The same question where experiments or knowledge tell directions of some pairs (n, n).

        Itself, unless it asks what equivalent DAGs have in common.
        """
        return self

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
    """All parts hold; made by &.

    Parameters
    ----------
    parts : tuple of Feature
        Two or more.

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.edge("A", "B") & features.edge("B", "C"))
    A -> B and B -> C
    """

    parts: tuple[Feature, ...]

    def found(self, dags: Dags, column: Column) -> Answers:
        """In which of the DAGs all parts hold.

        Parameters
        ----------
        dags : array of bool, shape (m, n, n)
            dag[parent, child].
        column : function
            From the name of a variable to its column.

        Returns
        -------
        array of bool, shape (m,)
            One answer for each DAG.

        Examples
        --------
        >>> import numpy as np
        >>> from gpnet import features
        >>> dag = np.array([[0, 1], [0, 0]], dtype=bool)
        >>> feature = features.edge("A", "B") & features.adjacent("A", "B")
        >>> feature.found(np.array([dag, dag.T]), ["A", "B"].index).tolist()
        [True, False]
        """
        return np.asarray(np.logical_and.reduce([p.found(dags, column) for p in self.parts]))

    def _where(self, identified: NDArray[np.bool_] | None) -> "Feature":
        """Part by part."""
        return AllOf(tuple(part._where(identified) for part in self.parts))

    def __str__(self) -> str:
        return " and ".join(_in_parentheses(part, AnyOf) for part in self.parts)


@dataclass(frozen=True)
class AnyOf(Feature):
    """Some part holds; made by |.

    Parameters
    ----------
    parts : tuple of Feature
        Two or more.

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.edge("A", "B") | features.edge("B", "A"))
    A -> B or B -> A
    """

    parts: tuple[Feature, ...]

    def found(self, dags: Dags, column: Column) -> Answers:
        """In which of the DAGs some part holds.

        Parameters
        ----------
        dags : array of bool, shape (m, n, n)
            dag[parent, child].
        column : function
            From the name of a variable to its column.

        Returns
        -------
        array of bool, shape (m,)
            One answer for each DAG.

        Examples
        --------
        >>> import numpy as np
        >>> from gpnet import features
        >>> dag = np.array([[0, 1], [0, 0]], dtype=bool)
        >>> feature = features.edge("A", "B") | features.edge("B", "A")
        >>> feature.found(np.array([dag, dag.T]), ["A", "B"].index).tolist()
        [True, True]
        """
        return np.asarray(np.logical_or.reduce([p.found(dags, column) for p in self.parts]))

    def _where(self, identified: NDArray[np.bool_] | None) -> "Feature":
        """Part by part."""
        return AnyOf(tuple(part._where(identified) for part in self.parts))

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True)
class Not(Feature):
    """The part does not hold; made by ~.

    Parameters
    ----------
    part : Feature
        What does not hold.

    Examples
    --------
    >>> from gpnet import features
    >>> print(~features.edge("A", "B"))
    not A -> B
    """

    part: Feature

    def found(self, dags: Dags, column: Column) -> Answers:
        """In which of the DAGs the part does not hold.

        Parameters
        ----------
        dags : array of bool, shape (m, n, n)
            dag[parent, child].
        column : function
            From the name of a variable to its column.

        Returns
        -------
        array of bool, shape (m,)
            One answer for each DAG.

        Examples
        --------
        >>> import numpy as np
        >>> from gpnet import features
        >>> dag = np.array([[0, 1], [0, 0]], dtype=bool)
        >>> feature = ~features.edge("A", "B")
        >>> feature.found(np.array([dag, dag.T]), ["A", "B"].index).tolist()
        [False, True]
        """
        return ~self.part.found(dags, column)

    def _where(self, identified: NDArray[np.bool_] | None) -> "Feature":
        """Of its part."""
        return Not(self.part._where(identified))

    def __str__(self) -> str:
        return f"not {_in_parentheses(self.part, AllOf, AnyOf)}"


def _parts(feature: Feature, kind: type[AllOf] | type[AnyOf]) -> tuple[Feature, ...]:
    """What it combines already, so that a & (b & c) is (a & b) & c."""
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
