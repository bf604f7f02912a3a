"""The work of filling a table, cut into batches.

A size is complete before the next begins, so that smaller sets can give hints to larger ones and
nothing depends on which worker was faster. How many sets make a batch does depend on it: a score
may use of the hints only those of subsets of the set at hand.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import compress, islice
from time import perf_counter
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import EvidenceError, GpnetError, StoreError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.gp.hints import smaller_sets
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import IN_FLIGHT
from gpnet.runtime.progress import Countdown
from gpnet.runtime.stored_row import Source
from gpnet.score_table.pruning import Levels
from gpnet.score_table.search_space import SearchSpace
from gpnet.scores import Score
from gpnet.scores.smooth import SmoothScore

BATCH: Final = 4096  # parent sets at most
BATCH_SECONDS: Final = 0.5  # a killed run loses the batches under way: keep them short
BATCHES_A_SECOND: Final = 100  # at most, of all workers: a client can hand out no more
LOOKUP: Final = 4096  # parent sets looked up in the store at once


@dataclass(frozen=True)
class Batch:
    """Some sets of one node and size, with all that is needed to score them but the data."""

    node: Node
    size: int
    positions: tuple[int, ...]  # where the sets stand in the order of the node's sets
    parent_sets: tuple[Parents, ...]
    hints: Mapping[Parents, Evidence]
    is_second_try: bool = False


Scored: TypeAlias = tuple[list[Evidence], float]  # and the seconds it took


def score_batch(data: Dataset, score: Score, batch: Batch) -> Scored:
    """What a worker does, wherever it is."""
    start = perf_counter()
    results = score.log_marginals(data, batch.node, batch.parent_sets, batch.hints)
    return results, perf_counter() - start


class Filling:
    """The log marginals of a space as they come in, size by size.

    Sets that the prior does not allow are never scored: theirs is -inf, for "not computed". Nor,
    with a margin, are those that smaller sets say cannot matter; of some that hardly do, the
    prediction is taken (see `pruning`).
    """

    def __init__(
        self,
        data: Dataset,
        space: SearchSpace,
        score: Score,
        log_priors: Sequence[Floats],
        context: RunContext,
        margin: float | None = None,
    ) -> None:
        self._data, self._space, self._score = data, space, score
        self._wanted = [np.asarray(log_prior > -np.inf) for log_prior in log_priors]
        self._levels: dict[Node, Levels] = {}
        if margin is not None:
            self._levels = {
                node: Levels(space, node, log_prior, margin, self._surrogate)
                for node, log_prior in enumerate(log_priors)
            }
        # What is in closed form is there sooner than a store has looked it up.
        self._context, self._store = context, None if score.closed_form else context.store
        n_by_size = [self._n_wanted(size) for size in space.sizes]
        self._countdown = Countdown(n_by_size, context.progress("scoring parent sets"))
        self._source = Source(data.fingerprint, score.fingerprint)
        nodes = range(space.n_variables)
        self.log_marginals: list[Floats] = [np.where(w, np.nan, -np.inf) for w in self._wanted]
        self.predictions = [np.full(len(log_prior), np.nan) for log_prior in log_priors]
        # By size, then node: the evidence that larger sets still ask for.
        self._known: dict[int, list[dict[Parents, Evidence]]] = {
            size: [{} for _ in nodes] for size in space.sizes
        }
        self._pace = _Pace()
        self._n_cut, self._largest_cut = 0, 0.0

    def fill(self, size: int) -> None:
        """All sets of a size; whatever ends it early, what was computed goes to the store."""
        self._pace = _Pace()
        drawn_from = self._leave_out(size)
        batches = self._batches(size)
        workers = self._context.scorers
        running: dict[Future[Scored], Batch] = {}
        try:
            while True:
                n_free = IN_FLIGHT * workers.n_workers - len(running)  # workers may come and go
                for batch in islice(batches, max(n_free, 0)):
                    running[self._submit(batch)] = batch
                if not running:
                    break
                done = workers.first_done(running, self._context.deadline)
                for future in [one for one in running if one in done]:  # in order: same errors
                    again = self._receive(future, running[future])
                    if again:
                        running[self._submit(again)] = again
                    del running[future]  # last: until here, an interrupt would rescue it
                self._check_deadline()
        except BaseException:
            self._rescue(running)
            raise
        for node, levels in self._levels_up_to(size):
            here = self.log_marginals[node][self._places(node, size)]
            levels.record(np.where(here > -np.inf, here, np.nan), size)
            some = drawn_from[node]
            here[some] = self.predictions[node][self._places(node, size)][some]
        if size > 2:  # the single parents stay
            del self._known[size - 1]

    def _levels_up_to(self, size: int) -> list[tuple[Node, Levels]]:
        """Of nodes that may have so many parents."""
        return [(node, of) for node, of in self._levels.items() if self._space.cap(node) >= size]

    def _leave_out(self, size: int) -> dict[Node, NDArray[np.bool_]]:
        """What cannot matter of this size; by node, the sets whose prediction will do."""
        before, drawn_from = self._n_wanted(size), {}
        for node, levels in self._levels_up_to(size):
            places, choice = self._places(node, size), levels.choose(size)
            left_out = self._wanted[node][places] & ~choice.scored
            drawn_from[node] = left_out & choice.drawn_from
            self._wanted[node][places][left_out] = False
            self.log_marginals[node][places][left_out] = -np.inf
            self.predictions[node][places][left_out] = choice.predictions[left_out]
        self._countdown.leave_out(size, before - self._n_wanted(size))
        return drawn_from

    def _surrogate(self, node: Node, size: int) -> Floats:
        """A score in closed form of all sets of a node and size."""
        found, sets = [], self._space.parent_sets(node, size)
        while some := tuple(islice(sets, BATCH)):
            found += SmoothScore().log_marginals(self._data, node, some, {})
        return np.array([evidence.value for evidence in found], dtype=np.float64)

    def note_cuts(self) -> None:
        """Scores that may be too low are told with the result, whether they were drawn or not."""
        if self._n_cut:
            self._context.notes.add(
                f"the scores of {self._n_cut:,} of {self._countdown.total:,} parent sets may be "
                f"too low, by up to some {self._largest_cut:.0f} nats: their data change over "
                "shorter distances than the tables resolve (copies of rows, fast oscillations)",
                about="cuts",
            )

    def flush(self) -> None:
        """A store that fails costs its copies, not the table."""
        try:
            if self._store:
                self._store.flush()
        except StoreError as error:
            warnings.warn(f"computed scores were not stored: {error}", RuntimeWarning, stacklevel=2)

    def _submit(self, batch: Batch) -> "Future[Scored]":
        return self._context.scorers.submit(score_batch, self._data, self._score, batch)

    def _check_deadline(self) -> None:
        done, total = self._countdown.done, self._countdown.total
        if done < total:
            self._context.check_deadline(f"{done:,} of {total:,} parent sets were scored")

    def _n_wanted(self, size: int) -> int:
        return sum(
            int(np.count_nonzero(wanted[self._places(node, size)]))
            for node, wanted in enumerate(self._wanted)
        )

    def _places(self, node: Node, size: int) -> slice:
        positions = self._space.positions(node, size)
        return slice(positions.start, positions.stop)

    def _batches(self, size: int) -> Iterator[Batch]:
        for node in range(self._space.n_variables):
            todo = self._not_stored(node, size)
            while some := tuple(islice(todo, self._pace.n_sets)):
                positions, sets = zip(*some, strict=True)
                yield Batch(node, size, positions, sets, self._hints(node, sets))

    def _not_stored(self, node: Node, size: int) -> Iterator[tuple[int, Parents]]:
        """Positions and sets that have to be computed."""
        positions = self._space.positions(node, size)
        wanted = self._wanted[node][self._places(node, size)].tolist()
        sets = compress(zip(positions, self._space.parent_sets(node, size), strict=True), wanted)
        while asked := list(islice(sets, LOOKUP)):
            stored = self._stored(node, [parents for _, parents in asked])
            found = [one for one in asked if one[1] in stored]
            if found:
                results = [stored[parents] for _, parents in found]
                places, known = zip(*found, strict=True)
                self._record(Batch(node, size, places, known, {}), results)
                self._countdown.advance(size, len(found), computed=False)
            yield from (one for one in asked if one[1] not in stored)

    def _stored(self, node: Node, sets: list[Parents]) -> dict[Parents, Evidence]:
        return self._store.get_many(self._source, node, sets) if self._store else {}

    def _hints(self, node: Node, sets: Sequence[Parents]) -> dict[Parents, Evidence]:
        """Of the smaller sets that a worker may start from.

        None for a score that asks for none, nor of sets that the prior does not allow.
        """
        if self._score.closed_form:
            return {}
        smaller = {subset for parents in sets for subset in smaller_sets(parents)}
        known = ((parents, self._known[len(parents)][node].get(parents)) for parents in smaller)
        return {parents: evidence for parents, evidence in known if evidence}

    def _receive(self, future: "Future[Scored]", batch: Batch) -> Batch | None:
        """Take the results in; the batch itself if it has to run again."""
        try:
            results, seconds = future.result()
        except GpnetError:
            raise
        except Exception:  # most likely a lost worker; if it is the score, the second try tells
            if batch.is_second_try:
                raise
            return replace(batch, is_second_try=True)
        self._keep(batch, results)
        self._pace.learn(len(results), seconds, self._context.scorers.n_workers)
        self._countdown.advance(batch.size, len(results), computed=True)
        return None

    def _keep(self, batch: Batch, results: list[Evidence]) -> None:
        self._record(batch, results)
        if self._store:
            found = dict(zip(batch.parent_sets, results, strict=True))
            self._store.put(self._source, batch.node, found)

    def _record(self, batch: Batch, results: list[Evidence]) -> None:
        values = np.array([evidence.value for evidence in results])
        for i in np.flatnonzero(~(values < np.inf))[:1]:
            raise EvidenceError(
                f"{self._data.names[batch.node]!r} given "
                f"{[self._data.names[parent] for parent in batch.parent_sets[i]]}: "
                f"the log marginal likelihood came out as {values[i]}"
            )
        self.log_marginals[batch.node][list(batch.positions)] = values
        cuts = [evidence.cut for evidence in results if evidence.cut > 0]
        self._n_cut, self._largest_cut = self._n_cut + len(cuts), max(self._largest_cut, *cuts, 0.0)
        if batch.size < self._space.sizes[-1] and not self._score.closed_form:
            self._known[batch.size][batch.node].update(zip(batch.parent_sets, results, strict=True))

    def _rescue(self, running: Mapping["Future[Scored]", Batch]) -> None:
        """Wait for what cannot be stopped, and keep what came out."""
        under_way = [future for future in running if not future.cancel()]
        for future in wait(under_way).done:
            with suppress(Exception):  # another error is already on its way
                self._keep(running[future], future.result()[0])


class _Pace:
    """How many sets make a batch of about BATCH_SECONDS, found by doubling and halving.

    Of many workers each has longer batches.
    """

    def __init__(self) -> None:
        self.n_sets = 1

    def learn(self, n_sets: int, seconds: float, n_workers: int) -> None:
        wanted = max(BATCH_SECONDS, n_workers / BATCHES_A_SECOND)
        if seconds > wanted:
            self.n_sets = max(1, n_sets // 2)
        elif n_sets >= self.n_sets and seconds < wanted / 2:
            self.n_sets = min(BATCH, 2 * n_sets)
