"""Parents from outside the candidates, of wide tables: by what they add to a good DAG.

A table with one parent from outside has, of n variables, some n^2 sets; and a search on it looks
at each of them wherever it moves a node. Beyond a hundred variables one pass does instead: who adds
to the score of a node beside the parents that it has in the best DAGs is worth a look.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.scores import Score
from gpnet.structure_priors import StructurePrior

WIDE: Final = 100  # variables; of more, candidates are found this way
MOST_EACH: Final = 2  # that are taken of those that add to one node: others follow in later rounds


@dataclass(frozen=True, eq=False)
class Outside:
    """Remembers what was looked at: few nodes have other parents in the next round."""

    data: Dataset
    score: Score
    prior: StructurePrior
    allowed: Dag  # (n, n), [parent, child]
    _seen: dict[tuple[Node, Parents], Floats] = field(default_factory=dict)

    def gaining(self, dags: Sequence[Dag]) -> Dag:
        """(n, n), [parent, child]: who adds most to a node beside its parents in any of these."""
        found = np.zeros_like(self.allowed)
        for dag in dags:
            for node, column in enumerate(dag.T):
                parents = tuple(np.flatnonzero(column).tolist())
                gains = self._gains(node, parents)
                best = np.argsort(-gains, kind="stable")[:MOST_EACH]
                found[best[gains[best] > 0], node] = True
        return found

    def _gains(self, node: Node, parents: Parents) -> Floats:
        """(n,): in nats, by the variable that is added; -inf of those that may not be."""
        if (node, parents) not in self._seen:
            others = np.setdiff1d(np.flatnonzero(self.allowed[:, node]), parents).tolist()
            sets = [parents, *(tuple(sorted((*parents, other))) for other in others)]
            scored = self.score.log_marginals(self.data, node, sets, {})
            values = [
                one.value + self.prior.log_prob(node, some)
                for one, some in zip(scored, sets, strict=True)
            ]
            gains = np.full(len(self.allowed), -np.inf)
            gains[others] = np.array(values[1:]) - values[0]
            self._seen[node, parents] = gains
        return self._seen[node, parents]
