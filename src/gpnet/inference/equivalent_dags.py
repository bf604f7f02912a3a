"""Equivalent DAGs that the search space allows, with scores for what the table left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.gp.evidence import Evidence
from gpnet.graphs.class_members import Part, class_parts
from gpnet.score_table.rescore import Family
from gpnet.score_table.table import ScoreTable

LISTED: Final = 120  # members of a part of a class that are all taken, rather than by chance

ScoreSets: TypeAlias = Callable[[Sequence[Family]], Mapping[Family, Evidence]]


class Space:
    """DAGs of the search space that the prior allows.

    Nodes that are not modelled by default are `unscored`: 0 whatever their parents.
    """

    def __init__(
        self,
        table: ScoreTable,
        unscored: frozenset[Node] = frozenset(),
        score_sets: ScoreSets | None = None,  # for what the table left out, if anything
    ) -> None:
        self.table, self.unscored, self._score_sets = table, unscored, score_sets
        self._known: dict[Family, bool] = {}
        self.n_missing = 0  # sets that there was no time to score

    def parts(self, dag: Dag, may_turn: Dag, rng: np.random.Generator) -> list["AllowedPart"]:
        """The parts of the DAG's class, of each the members that are in the space."""
        found = []
        for part in class_parts(dag, may_turn, most=LISTED, rng=rng):
            families = list(_families(dag, part))
            kept = [i for i, some in enumerate(families) if all(self._has(*one) for one in some)]
            if kept:
                some = Part(part.nodes, part.members[kept])
                found.append(AllowedPart(some, [families[i] for i in kept]))
        return found

    def complete(self, families: Iterable[Family]) -> None:
        """Score those parent sets that the table left out, or has predictions of."""
        if self._score_sets is None:
            return
        left_out = [family for family in dict.fromkeys(families) if self._is_unknown(*family)]
        if left_out:
            found = self._score_sets(left_out)
            self.n_missing += len(left_out) - len(found)
            self.table = self.table.with_log_marginals(found)

    def with_scores(self, part: "AllowedPart") -> "AllowedPart | None":
        """Without members that there was no time to score; None where none is left."""
        kept = np.isfinite(self.log_scores_of_part(part))
        if kept.all():
            return part
        if not kept.any():
            return None
        families = [some for some, keep in zip(part.by_member, kept, strict=True) if keep]
        return AllowedPart(Part(part.part.nodes, part.part.members[kept]), families)

    def log_scores_of_part(self, part: "AllowedPart") -> Floats:
        """(k,), of its members."""
        return np.array([sum(self._log_score(*one) for one in some) for some in part.by_member])

    def log_scores(self, dags: NDArray[np.bool_]) -> Floats:
        """(K,), up to what the prior makes of the number of edges."""
        scored = dags.copy()
        scored[:, :, list(self.unscored)] = False
        return self.table.log_scores_of(scored)

    def log_marginal(self, node: Node, parents: Parents) -> float:
        """Of a set of one of these DAGs."""
        return 0.0 if node in self.unscored else self.table.log_marginal(node, parents)

    def _log_score(self, node: Node, parents: Parents) -> float:
        return 0.0 if node in self.unscored else self.table.log_score(node, parents)

    def _is_unknown(self, node: Node, parents: Parents) -> bool:
        if node in self.unscored:
            return False
        return not self.table.is_computed(node, parents)

    def _has(self, node: Node, parents: Parents) -> bool:
        if node in self.unscored:
            return True
        family = node, parents
        if family not in self._known:
            try:
                self._known[family] = self.table.log_prior(node, parents) > -np.inf
            except OptionError:  # from outside the space
                self._known[family] = False
        return self._known[family]


@dataclass(frozen=True, eq=False)
class AllowedPart:
    """A part of a class, and the parent sets of its nodes in each of its members."""

    part: Part
    by_member: list[list[Family]]

    @property
    def families(self) -> Iterator[Family]:
        """Of all members."""
        return chain.from_iterable(self.by_member)


def _families(dag: Dag, part: Part) -> Iterator[list[Family]]:
    """The parent sets of the part's nodes in each member."""
    others = dag[:, part.nodes].copy()
    others[part.nodes] = False
    for member in part.members:
        parents = others.copy()
        parents[part.nodes] = member
        yield [
            (int(node), tuple(np.flatnonzero(column).tolist()))
            for node, column in zip(part.nodes, parents.T, strict=True)
        ]
