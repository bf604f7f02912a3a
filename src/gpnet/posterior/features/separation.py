"""Independence that a DAG implies."""

from dataclasses import dataclass

from gpnet.graphs.separation import d_separated
from gpnet.posterior.features.base import Answers, Column, Dags, Feature, Statement
from gpnet.posterior.features.text import Cursor, listed, written


@dataclass(frozen=True)
class DSeparated(Statement):
    """Given some variables, or none, d-separated: independent in every distribution of the DAG."""

    first: str
    second: str
    given: frozenset[str] = frozenset()

    @classmethod
    def read(cls, first: str, cursor: Cursor) -> Feature:
        """A _||_ B, or A _||_ B | C, D."""
        second = cursor.name()
        return cls(first, second, cursor.some_names() if cursor.take(r"\|") else frozenset())

    @property
    def variables(self) -> tuple[str, ...]:
        """The two and the given."""
        return self.first, self.second, *self.given

    def found(self, dags: Dags, column: Column) -> Answers:
        """By d-separation."""
        first, second, *given = map(column, self.variables)
        return d_separated(dags, [first], [second], given)

    def __str__(self) -> str:
        given = f" | {listed(self.given)}" if self.given else ""
        return f"{written(self.first)} _||_ {written(self.second)}{given}"
