"""The search space: which parent sets exist."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import comb

from gpnet.common.errors import OptionError
from gpnet.common.types import Node, Parents


@dataclass(frozen=True)
class SearchSpace:
    """All sets of at most `max_parents` of a node's candidates, for each node.

    Nodes may have `caps` below that.
    With `plus_one`, one of these parents may come from outside the candidates, unless it is
    `excluded`: known to be no parent.

    The sets of a node stand in one order everywhere: by size; within a size first those of
    candidates alone, then those with a parent from outside, by that parent; and there in the
    lexicographic order of the sorted candidates.
    """

    candidates: tuple[Parents, ...]  # (n,): the sorted columns that may be parents of each node
    max_parents: int
    plus_one: bool = False
    excluded: tuple[Parents, ...] = ()  # (n,), or () where nobody is
    caps: tuple[int, ...] = ()  # (n,): parents of each node at most; () for max_parents of all

    def __post_init__(self) -> None:
        if self.max_parents < 0:
            raise OptionError(f"max_parents: 0 or more, found {self.max_parents}")
        if len(self.excluded) not in (0, self.n_variables):
            raise OptionError(
                f"excluded: expected columns for each of {self.n_variables} nodes, found "
                f"{len(self.excluded)}"
            )
        if self.caps and (len(self.caps) != self.n_variables or max(self.caps) > self.max_parents):
            raise OptionError(
                f"caps: expected numbers up to {self.max_parents} for each of {self.n_variables} "
                f"nodes, found {self.caps}"
            )
        for node, excluded in enumerate(self.excluded):
            if set(excluded) & set(self.candidates[node]):
                raise OptionError(f"node {node}: {excluded} are excluded and cannot be candidates")
        for node, candidates in enumerate(self.candidates):
            if not all(0 <= one < self.n_variables and one != node for one in candidates):
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

    @cached_property
    def sizes(self) -> range:
        """From no parents to the most that any node can have."""
        most = max((self._most(node) for node in range(self.n_variables)), default=0)
        return range(min(self.max_parents, most) + 1)

    def _most(self, node: Node) -> int:
        return len(self.candidates[node]) + bool(self._n_plus_one(node))

    def _n_plus_one(self, node: Node) -> int:
        """How many may be the one from outside, without naming them: wide tables have many."""
        if not self.plus_one:
            return 0
        excluded = set(self.excluded[node]) - {node} if self.excluded else ()
        return self.n_variables - 1 - len(self.candidates[node]) - len(excluded)

    def plus_one_parents(self, node: Node) -> Parents:
        """Who may be the one from outside: none without `plus_one`."""
        return self._plus_one_parents[node]

    @cached_property
    def _plus_one_parents(self) -> tuple[Parents, ...]:
        excluded = self.excluded or ((),) * self.n_variables
        taken = [{v, *self.candidates[v], *excluded[v]} for v in range(self.n_variables)]
        everyone = range(self.n_variables) if self.plus_one else ()
        return tuple(tuple(v for v in everyone if v not in inside) for inside in taken)

    def cap(self, node: Node) -> int:
        """How many parents it may have."""
        return self.caps[node] if self.caps else self.max_parents

    def parent_sets(self, node: Node, size: int) -> Iterator[Parents]:
        """The node's sets of this size, in order."""
        if size not in self.sizes or size > self.cap(node):
            return
        yield from combinations(self.candidates[node], size)
        for plus_one in self.plus_one_parents(node) if size else ():
            for inside in combinations(self.candidates[node], size - 1):
                yield tuple(sorted((*inside, plus_one)))

    def positions(self, node: Node, size: int) -> range:
        """Where the node's sets of this size stand in the order of all its sets."""
        start = sum(self._n_sets(node, smaller) for smaller in range(size))
        return range(start, start + self.n_sets(node=node, size=size))

    def all_parent_sets(self, node: Node) -> Iterator[Parents]:
        """The node's sets of every size, in order."""
        return chain.from_iterable(self.parent_sets(node, size) for size in self.sizes)

    def n_sets(self, *, node: Node | None = None, size: int | None = None) -> int:
        """The number of sets, of all nodes and sizes unless one is given.

        A node with m candidates and q plus-one parents has C(m, k) + q C(m, k - 1) sets of size k.
        """
        nodes = range(self.n_variables) if node is None else [node]
        sizes = [k for k in self.sizes if size in (None, k)]
        return sum(self._n_sets(v, k) for v in nodes for k in sizes)

    def _n_sets(self, node: Node, k: int) -> int:
        m = len(self.candidates[node])
        if k > self.cap(node):
            return 0
        return comb(m, k) + (self._n_plus_one(node) * comb(m, k - 1) if k else 0)

    def index(self, node: Node, parents: Parents) -> int:
        """Where the set stands in the order of the node's sets.

        Of the sets of size k of m candidates, the one at positions c_0 < ... < c_(k-1) has rank
        C(m, k) - 1 - sum over i of C(m - 1 - c_i, k - i).
        """
        if node not in range(self.n_variables):
            raise OptionError(f"node {node}: expected one from 0 to {self.n_variables - 1}")
        if len(parents) > self.cap(node) or any(a >= b for a, b in pairwise(parents)):
            raise OptionError(
                f"node {node} given {parents}: expected at most {self.cap(node)} sorted parents"
            )
        place = {candidate: i for i, candidate in enumerate(self.candidates[node])}
        inside = [place[parent] for parent in parents if parent in place]
        outside = [parent for parent in parents if parent not in place]
        plus_one = self.plus_one_parents(node)
        if len(outside) > 1 or not set(outside) <= set(plus_one):
            raise OptionError(
                f"node {node}: {outside[-1]} is not among its candidates in the search space"
            )
        m, k = len(place), len(inside)
        before = self.positions(node, len(parents)).start
        if outside:
            before += comb(m, k + 1) + plus_one.index(outside[0]) * comb(m, k)
        return before + comb(m, k) - 1 - sum(comb(m - 1 - c, k - i) for i, c in enumerate(inside))

    def with_first_candidates(self, n_candidates: int) -> "SearchSpace":
        """The space with at most so many candidates of each node."""
        return replace(self, candidates=tuple(c[:n_candidates] for c in self.candidates))
