"""Accurate log marginal likelihoods of the few parent sets that matter.

A table is filled with a score that is cheap for each of very many sets. Of these the draws visit
few, and they are scored again here by the score that is meant.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from gpnet.common.types import Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.gp.hints import smaller_sets
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import IN_FLIGHT
from gpnet.runtime.progress import Countdown
from gpnet.runtime.stored_row import Source
from gpnet.scores import Score

Family: TypeAlias = tuple[Node, Parents]  # a node and its sorted parents


MOST_AT_ONCE: Final = 16  # families in a task that travels: its way costs as much as one of them


def score_families(
    data: Dataset, score: Score, families: Sequence[tuple[Family, dict[Parents, Evidence]]]
) -> list[Evidence]:
    """What a worker does, wherever it is: one after the other, each with its hints."""
    return [
        score.log_marginals(data, node, [parents], hints)[0] for (node, parents), hints in families
    ]


@dataclass(frozen=True)
class Rescorer:
    """Scores families; what the context's store has is not computed again."""

    data: Dataset
    score: Score
    context: RunContext = field(default_factory=RunContext)

    def rescore(
        self,
        families: Sequence[Family],
        *,
        roughly: Sequence[Family] = (),
        stage: str = "scoring what was drawn",
    ) -> dict[Family, Evidence]:
        """Their evidence, in the order given until the deadline; what the store has is free.

        Last come those for which a rough score will do.
        """
        rough = self.score.rough()
        score_of = dict.fromkeys(families, self.score) | dict.fromkeys(roughly, rough)
        found = self._stored(families, self.score) | self._stored(roughly, rough)
        missing = [family for family in score_of if family not in found]
        n_by_size = np.bincount([len(parents) for _, parents in missing], minlength=1)
        countdown = Countdown(n_by_size.tolist(), self.context.progress(stage))

        def submit(some: Sequence[Family]) -> "Future[list[Evidence]]":
            each = [(family, self.hints(*family)) for family in some]
            return self.context.scorers.submit(score_families, self.data, score_of[some[0]], each)

        def keep(some: Sequence[Family], results: list[Evidence]) -> None:
            for family, evidence in zip(some, results, strict=True):
                found[family] = evidence
                self._put(family, evidence, score_of[family])
                countdown.advance(len(family[1]), 1, computed=True)

        parts = [
            part
            for of_a_kind in (families, roughly)
            for part in self._parts([family for family in of_a_kind if family not in found])
        ]
        self.context.scorers.in_order(parts, submit, keep, self.context.deadline)
        return found

    def by_table(self, families: Sequence[Family], *, stage: str) -> dict[Family, Evidence]:
        """By the score that fills tables, until the deadline."""
        return replace(self, score=self.score.proposal()).rescore(families, stage=stage)

    def known_by_table(self, families: Sequence[Family]) -> dict[Family, Evidence]:
        """Of these, what the store has of the score that fills tables."""
        return self._stored(families, self.score.proposal())

    def _parts(self, families: Sequence[Family]) -> list[Sequence[Family]]:
        """Single ones for threads; for a cluster a few together, where there are enough for all."""
        size = 1
        if self.context.cluster:
            n_each = len(families) // (2 * IN_FLIGHT * self.context.cluster.n_workers)
            size = min(max(n_each, 1), MOST_AT_ONCE)
        return [families[i : i + size] for i in range(0, len(families), size)]

    def hints(self, node: Node, parents: Parents) -> dict[Parents, Evidence]:
        """What the table's score left in the store of the subsets: modes to start from."""
        if self.context.store is None:
            return {}
        source = self._source(self.score.proposal())
        return self.context.store.get_many(source, node, smaller_sets(parents))

    def _put(self, family: Family, evidence: Evidence, score: Score) -> None:
        node, parents = family
        if self.context.store is not None:
            self.context.store.put(self._source(score), node, {parents: evidence})

    def _stored(self, families: Sequence[Family], score: Score) -> dict[Family, Evidence]:
        store = self.context.store
        if store is None:
            return {}
        store.flush()
        by_node: dict[Node, list[Parents]] = {}
        for node, parents in families:
            by_node.setdefault(node, []).append(parents)
        source = self._source(score)
        return {
            (node, parents): evidence
            for node, sets in by_node.items()
            for parents, evidence in store.get_many(source, node, sets).items()
        }

    def _source(self, score: Score) -> Source:
        return Source(self.data.fingerprint, score.fingerprint)
