"""Score tables of replicates: rows reweighted, columns on the scales that then fit best.

Sets that were asked for have numbers of their own. The others change as the most similar sets that
have some.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.evidence import Evidence
from gpnet.inference.pointwise_sums import PointwiseSums
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import ScoreTable


@dataclass(eq=False)
class Reweighted:
    """What is known of the replicates of a table."""

    table: ScoreTable
    rescorer: Rescorer  # of the table's data
    pointwise: PointwiseSums
    ranked: NDArray[np.bool_]  # (B, n): the columns that a replicate takes by ranks
    evidence: Mapping[Family, Evidence]  # what was scored before

    def __post_init__(self) -> None:
        data = self.rescorer.data
        self.on_both_scales = data.by_ranks(()).beside_ranks()
        self._in_table = np.isin(data.names, data.ranked)
        self._rescaled = (self.ranked != self._in_table).any(axis=0)
        self._changes: dict[Family, Floats] = {}  # (B,) of each
        self._values: dict[Family, Floats] = {}  # (1 + B,): on other scales, see `_scales`
        self._corrected: dict[Family, float] = {}  # what predictions of the table err by
        self._members = [scores.members(self.table.n_variables) for scores in self.table.nodes]
        self._nearest: list[tuple[Floats, csr_array, Floats]] = []

    @property
    def n_replicates(self) -> int:
        """B."""
        return len(self.ranked)

    def unknown(self, families: Sequence[Family]) -> list[Family]:
        """Those without numbers of their own."""
        return [family for family in families if family not in self._changes]

    def add(self, wanted: Sequence[Family]) -> bool:
        """Numbers of their own for these, as far as there is time; whether there are new ones."""
        new = self.unknown(wanted)
        moved = [(v, parents) for v, parents in new if self._rescaled[[v, *parents]].any()]
        still = set(new).difference(moved)
        found = self._reweighted([one for one in new if one in still])
        found |= self._reweighted_and_rescaled(moved)
        self._changes |= found
        if found and all(self._of(node) for node in range(self.table.n_variables)):
            self._nearest = [self._by_nearest(node) for node in range(self.table.n_variables)]
        return bool(found)

    @property
    def ready(self) -> bool:
        """Whether every node has a set with numbers."""
        return bool(self._nearest)

    def replicate(self, number: int) -> ScoreTable:
        """The table under the weights and on the scales of one replicate."""
        nodes = [
            replace(scores, log_marginals=scores.log_marginals + errors + shares @ changes[number])
            for scores, (changes, shares, errors) in zip(
                self.table.nodes, self._nearest, strict=True
            )
        ]
        return replace(self.table, nodes=tuple(nodes))

    def _reweighted(self, families: Sequence[Family]) -> dict[Family, Floats]:
        """Changes by weights alone."""
        unscored = [family for family in families if family not in self.evidence]
        by_table = self.rescorer.by_table(unscored, stage="scoring replicates")
        known = {**self.evidence, **by_table}
        scored = {family: known[family] for family in families if family in known}
        self._correct({family: one.value for family, one in scored.items()})
        return self.pointwise(self.rescorer.data, scored)

    def _correct(self, values: Mapping[Family, float]) -> None:
        """Where the table has a prediction alone, by what it errs; as it is on the table's scales.

        Of the sets themselves: others that change as they do may have been computed.
        """
        for family, value in values.items():
            told = self.table.log_marginal(*family)
            if told > -np.inf and not self.table.is_computed(*family):
                self._corrected[family] = value - told

    # Other scales

    def _reweighted_and_rescaled(self, families: Sequence[Family]) -> dict[Family, Floats]:
        """Changes by weights and scales."""
        scales = {family: self._scales(family) for family in families}
        roots = {(v, ()) for of in scales.values() for v, _ in of}
        wanted = {one for of in scales.values() for one in of} | roots
        self._score_on_both(sorted(wanted - self._values.keys()))
        found = {family: of[0] for family, of in scales.items() if of[0] in self._values}
        self._correct({family: self._values[one][0] for family, one in found.items()})
        return {
            family: self._change(of)
            for family, of in scales.items()
            if all(one in self._values and (one[0], ()) in self._values for one in of)
        }

    def _scales(self, family: Family) -> list[Family]:
        """As numbered in the table beside its ranks: as in the table, then in each replicate."""
        node, parents = family
        members = [node, *parents]
        by = np.vstack([self._in_table[members], self.ranked[:, members]])
        numbers = (np.array(members) + self.table.n_variables * by).tolist()
        return [(one[0], tuple(sorted(one[1:]))) for one in numbers]

    def _score_on_both(self, families: Sequence[Family]) -> None:
        data = self.on_both_scales
        rescorer = replace(self.rescorer, data=data)
        scored = rescorer.by_table(families, stage="scoring replicates")
        for family, change in self.pointwise(data, scored).items():
            self._values[family] = scored[family].value + np.append(0, change)

    def _change(self, scales: Sequence[Family]) -> Floats:
        """By what the parents add to the root, which can be compared between scales of a child."""
        place = np.arange(len(scales))
        values = np.array([self._values[one][i] for i, one in enumerate(scales)])
        roots = np.array([self._values[one[0], ()][i] for i, one in enumerate(scales)])
        added = values - roots + self._values[scales[0][0], ()][place]
        return np.asarray(added[1:] - added[0])

    # Sets without numbers

    def _of(self, node: Node) -> list[Parents]:
        """The sets of a node that have numbers, the best first."""
        found = [parents for v, parents in self._changes if v == node]
        return sorted(found, key=lambda parents: -self.table.log_score(node, parents))

    def _by_nearest(self, node: Node) -> tuple[Floats, csr_array, Floats]:
        """Changes (B, k) of the sets that have numbers, and the shares (sets, k) of those nearest.

        Of several that are as near their mean, which errs less than any of them. Then what
        predictions err by, (sets,).
        """
        known = self._of(node)
        sets = np.zeros((len(known), self.table.n_variables), dtype=np.float32)
        for row, parents in zip(sets, known, strict=True):
            row[list(parents)] = 1
        shared = self._members[node].astype(np.float32) @ sets.T
        apart = self._members[node].sum(axis=1)[:, None] + sets.sum(axis=1) - 2 * shared
        nearest = apart == apart.min(axis=1, keepdims=True)
        changes = np.column_stack([self._changes[node, parents] for parents in known])
        errors = np.zeros(len(apart))
        for place, parents in zip(apart.argmin(axis=0), known, strict=True):
            errors[place] = self._corrected.get((node, parents), 0.0)
        return changes, csr_array(nearest / nearest.sum(axis=1, keepdims=True)), errors
