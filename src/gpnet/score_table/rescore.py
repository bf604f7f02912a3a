"""Accurate evidences of the few parent sets that matter.

A table is filled with a score that is cheap for each of very many sets. Of these a chain visits
few, and they are scored again here by the score that is meant.
"""

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeAlias

from gpnet.common.types import Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.runtime.progress import Countdown, Progress, silent
from gpnet.runtime.store import Source, Store
from gpnet.scores import Score

Family: TypeAlias = tuple[Node, Parents]  # a node and its sorted parents
IN_FLIGHT: Final = 2  # sets waiting for each worker: no worker waits, and an interrupt is quick


@dataclass(frozen=True)
class Rescorer:
    """Scores families, by `workers` threads; what the store has is not computed again."""

    data: Dataset
    score: Score
    store: Store
    workers: int = 1
    deadline: float = field(default=float("inf"))  # on the clock of time.monotonic

    def rescore(
        self, families: Sequence[Family], *, progress: Progress | None = None
    ) -> dict[Family, Evidence]:
        """Their evidences, in the order given until the deadline; what the store has is free."""
        found = self._stored(families)
        missing = [family for family in families if family not in found]
        most = max((len(parents) for _, parents in missing), default=0)
        n_by_size = [sum(len(p) == k for _, p in missing) for k in range(most + 1)]
        countdown = Countdown(n_by_size, progress or silent)
        # Closed whatever happens: no worker may be left that reads a store which is closed next.
        with closing(self._computed(missing)) as computed:
            for family, evidence in computed:
                found[family] = evidence
                self.store.put(self._source(self.score), family[0], {family[1]: evidence})
                countdown.advance(len(family[1]), 1, computed=True)
        return found

    def _computed(
        self, families: Sequence[Family]
    ) -> Generator[tuple[Family, Evidence], None, None]:
        """One after the other, while the next are under way."""
        waiting: dict[Family, Future[Evidence]] = {}
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for family in families:
                    if monotonic() > self.deadline:
                        break
                    waiting[family] = pool.submit(self._score, family)
                    if len(waiting) >= IN_FLIGHT * self.workers:
                        first = next(iter(waiting))
                        yield first, waiting.pop(first).result()
                while waiting:
                    first = next(iter(waiting))
                    yield first, waiting.pop(first).result()
            finally:
                pool.shutdown(cancel_futures=True)
                self._rescue(waiting)

    def _rescue(self, waiting: Mapping[Family, "Future[Evidence]"]) -> None:
        """Whatever ended it early, what came out of it is kept."""
        for (node, parents), future in waiting.items():
            if future.done() and not future.cancelled():
                with suppress(Exception):  # another error is already on its way
                    self.store.put(self._source(self.score), node, {parents: future.result()})

    def _score(self, family: Family) -> Evidence:
        node, parents = family
        hints = self.hints(node, parents)
        return self.score.log_marginals(self.data, node, [parents], hints)[0]

    def hints(self, node: Node, parents: Parents) -> dict[Parents, Evidence]:
        """What the table's score left in the store of the subsets: modes to start from."""
        smaller = {parents[:i] + parents[i + 1 :] for i in range(len(parents))}
        smaller |= {(parent,) for parent in parents}
        return self.store.get_many(self._source(self.score.proposal()), node, smaller)

    def _stored(self, families: Sequence[Family]) -> dict[Family, Evidence]:
        self.store.flush()
        by_node: dict[Node, list[Parents]] = {}
        for node, parents in families:
            by_node.setdefault(node, []).append(parents)
        return {
            (node, parents): evidence
            for node, sets in by_node.items()
            for parents, evidence in self.store.get_many(
                self._source(self.score), node, sets
            ).items()
        }

    def _source(self, score: Score) -> Source:
        return Source(self.data.fingerprint, score.fingerprint)
