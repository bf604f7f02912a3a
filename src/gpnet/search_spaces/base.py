"""Which parent sets exist, and what a builder of such a space must offer."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise
from math import comb

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.types import Node, Parents


@dataclass(frozen=True)
class SearchSpace:
    """All sets of at most `max_parents` of a node's candidates, for each node.

    The sets of a node stand in one order everywhere: by size, and within a size in the
    lexicographic order of their sorted columns.
    """

    candidates: tuple[Parents, ...]  # (n,): the sorted columns that may be parents of each node
    max_parents: int

    def __post_init__(self) -> None:
        if self.max_parents < 0:
            raise OptionError(f"max_parents: 0 or more, found {self.max_parents}")
        for node, candidates in enumerate(self.candidates):
            if not set(candidates) <= set(range(self.n_variables)) - {node}:
                raise OptionError(
                    f"candidates of node {node}: expected columns from 0 to "
                    f"{self.n_variables - 1} other than {node}, found {candidates}"
                )
            if tuple(sorted(set(candidates))) != candidates:
                raise OptionError(
                    f"candidates of node {node}: expected a sorted tuple of different columns, "
                    f"found {candidates}"
                )

    @property
    def n_variables(self) -> int:
        """The number of nodes."""
        return len(self.candidates)

    @property
    def sizes(self) -> range:
        """From no parents to the most that any node can have."""
        return range(min(self.max_parents, max(map(len, self.candidates), default=0)) + 1)

    def parent_sets(self, node: Node, size: int) -> Iterator[Parents]:
        """The node's sets of this size, in order."""
        if size not in self.sizes:
            return iter(())
        return combinations(self.candidates[node], size)

    def all_parent_sets(self, node: Node) -> Iterator[Parents]:
        """The node's sets of every size, in order."""
        return chain.from_iterable(self.parent_sets(node, size) for size in self.sizes)

    def n_sets(self, *, node: Node | None = None, size: int | None = None) -> int:
        """The number of sets, of all nodes and sizes unless one is given.

        A node with m candidates has the sum over k = 0..max_parents of C(m, k) sets.
        """
        nodes = range(self.n_variables) if node is None else [node]
        sizes = [k for k in self.sizes if size in (None, k)]
        return sum(comb(len(self.candidates[v]), k) for v in nodes for k in sizes)

    def index(self, node: Node, parents: Parents) -> int:
        """Where the set stands in the order of the node's sets.

        All smaller sets go before. Of the sets of size k of m candidates, the one at positions
        c_0 < ... < c_(k-1) has rank C(m, k) - 1 - sum over i of C(m - 1 - c_i, k - i).
        """
        if node not in range(self.n_variables):
            raise OptionError(f"node {node}: expected one from 0 to {self.n_variables - 1}")
        places = [self._place(node, parent) for parent in parents]
        m, k = len(self.candidates[node]), len(parents)
        if k > self.max_parents or any(a >= b for a, b in pairwise(places)):
            raise OptionError(
                f"node {node} given {parents}: expected at most {self.max_parents} sorted parents"
            )
        smaller = sum(comb(m, j) for j in range(k))
        return smaller + comb(m, k) - 1 - sum(comb(m - 1 - c, k - i) for i, c in enumerate(places))

    def _place(self, node: Node, parent: Node) -> int:
        try:
            return self.candidates[node].index(parent)
        except ValueError:
            raise OptionError(
                f"node {node}: {parent} is not among its candidates in the search space"
            ) from None

    def with_first_candidates(self, n_candidates: int) -> "SearchSpace":
        """The space with at most so many candidates of each node."""
        return replace(self, candidates=tuple(c[:n_candidates] for c in self.candidates))


class SpaceBuilder(ABC):
    """A way from the data to a search space."""

    @abstractmethod
    def build(self, data: Dataset) -> SearchSpace:
        """The space for these data."""
