"""How log marginal likelihoods change where rows are weighted, to first order.

With row weights w, log Z(w) = log Z(1) + sum_i (w_i - 1) E[l_i]: see `inference.bag`.
"""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from gpnet.common.types import Floats, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.row_weights import RowWeights
from gpnet.runtime.context import RunContext
from gpnet.score_table.rescore import Family
from gpnet.scores import Score


@dataclass(frozen=True, eq=False)
class PointwiseSums:
    """Of parent sets, under the weights of each replicate."""

    score: Score
    weights: RowWeights
    context: RunContext

    @property
    def n_replicates(self) -> int:
        """B."""
        return self.weights.n_replicates

    def __call__(self, data: Dataset, evidence: Mapping[Family, Evidence]) -> dict[Family, Floats]:
        """(B,) for each of these parent sets, whose modes are known; as far as there is time."""
        found: dict[Family, Floats] = {}

        def submit(family: Family) -> "Future[Floats]":
            hints = {family[1]: evidence[family]}
            return self.context.scorers.submit(pointwise, self.score, data, family, hints)

        def keep(family: Family, rows: Floats) -> None:
            found[family] = self.weights.sums(rows)

        self.context.scorers.in_order(list(evidence), submit, keep, self.context.deadline)
        return found


def pointwise(
    score: Score, data: Dataset, family: Family, hints: Mapping[Parents, Evidence]
) -> Floats:
    """What a worker does, wherever it is."""
    node, parents = family
    return score.pointwise(data, node, parents, hints)
