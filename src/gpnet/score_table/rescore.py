"""Accurate log marginal likelihoods of the few parent sets that matter.

A table is filled with a score that is cheap for each of very many sets. Of these the draws visit
few, and they are scored again here by the score that is meant.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from gpnet.common.types import Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.gp.hints import smaller_sets
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Countdown
from gpnet.runtime.stored_row import Source
from gpnet.scores import Score

Family: TypeAlias = tuple[Node, Parents]  # a node and its sorted parents


def score_family(
    data: Dataset, score: Score, family: Family, hints: dict[Parents, Evidence]
) -> Evidence:
    """What a worker does, wherever it is."""
    node, parents = family
    return score.log_marginals(data, node, [parents], hints)[0]


@dataclass(frozen=True)
class Rescorer:
    """Scores families; what the context's store has is not computed again."""

    data: Dataset
    score: Score
    context: RunContext = field(default_factory=RunContext)

    def rescore(
        self, families: Sequence[Family], *, stage: str = "scoring what was drawn"
    ) -> dict[Family, Evidence]:
        """Their evidence, in the order given until the deadline; what the store has is free."""
        found = self._stored(families)
        missing = [family for family in families if family not in found]
        n_by_size = np.bincount([len(parents) for _, parents in missing], minlength=1)
        countdown = Countdown(n_by_size.tolist(), self.context.progress(stage))

        def submit(family: Family) -> "Future[Evidence]":
            hints = self.hints(*family)
            return self.context.scorers.submit(score_family, self.data, self.score, family, hints)

        def keep(family: Family, evidence: Evidence) -> None:
            found[family] = evidence
            self._put(family, evidence)
            countdown.advance(len(family[1]), 1, computed=True)

        self.context.scorers.in_order(missing, submit, keep, self.context.deadline)
        return found

    def hints(self, node: Node, parents: Parents) -> dict[Parents, Evidence]:
        """What the table's score left in the store of the subsets: modes to start from."""
        if self.context.store is None:
            return {}
        source = self._source(self.score.proposal())
        return self.context.store.get_many(source, node, smaller_sets(parents))

    def _put(self, family: Family, evidence: Evidence) -> None:
        node, parents = family
        if self.context.store is not None:
            self.context.store.put(self._source(self.score), node, {parents: evidence})

    def _stored(self, families: Sequence[Family]) -> dict[Family, Evidence]:
        store = self.context.store
        if store is None:
            return {}
        store.flush()
        by_node: dict[Node, list[Parents]] = {}
        for node, parents in families:
            by_node.setdefault(node, []).append(parents)
        source = self._source(self.score)
        return {
            (node, parents): evidence
            for node, sets in by_node.items()
            for parents, evidence in store.get_many(source, node, sets).items()
        }

    def _source(self, score: Score) -> Source:
        return Source(self.data.fingerprint, score.fingerprint)
