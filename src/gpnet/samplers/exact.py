"""Exact sampling: independent draws from the posterior, and its probabilities without any draws.

All sums over DAGs come from recursions over the sets of nodes (`_core/exact/exact.hpp`): 3^n steps,
so for up to 20 nodes.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import accumulate
from time import monotonic
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from gpnet._core import ExactDags
from gpnet.common.errors import OptionError
from gpnet.common.types import Floats
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.progress import Progress, silent
from gpnet.samplers.base import Sampler, check_request, cut_short
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.memory import default_memory_limit
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import NodeScores, ScoreTable

MAX_NODES: Final = 20  # 3.5e9 steps
MAX_SPREAD: Final = 1e7  # nats within a node: powers of two are kept as 32-bit integers
STEPS_AT_ONCE: Final = 1 << 26  # some tenths of a second between two looks at the keyboard
TOLERATED: Final = 1e-6  # loss of precision that is not worth a word
BYTES_PER_SUM: Final = 12  # of a node, for each set of its possible parents
BYTES_PER_DRAWN_SET: Final = 24
BYTES_PER_UNION: Final = 48  # for each set of nodes: Z, B, products
BYTES_PER_LAYER: Final = 8  # for each set of nodes: the last layer; twice again for each worker


@dataclass(frozen=True, eq=False)
class ExactMarginals:
    """Probabilities of the posterior over DAGs, by summing over all of them."""

    log_normaliser: float  # log of the sum of exp(log score) over all DAGs
    edges: Floats  # (n, n): [parent, child]
    ancestors: Floats  # (n, n): [ancestor, descendant], by a directed path of any length
    error: float  # what rounding cost: by how much sums miss the one that they should be
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExactSampler(Sampler):
    """Draws that are independent and follow the log scores of the table exactly."""

    max_nodes: ClassVar[int | None] = MAX_NODES

    memory_limit: int | None = None  # bytes; half of the free memory unless given

    def memory_needed(self, space: SearchSpace, *, workers: int) -> int:
        """For sums over all sets of nodes."""
        return memory_needed(space, drawers=workers)

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
    ) -> DagSample:
        """Independent draws; progress counts the steps of the recursion, then the draws."""
        check_request(n_draws, seed, fewest=0)
        context = context or RunContext()
        tell, n_steps = context.progress("drawing DAGs"), 3**table.n_variables

        def summing(done: int, total: int, left: float) -> None:
            tell(done, total + n_draws, left)

        def drawing(done: int, total: int, left: float) -> None:
            tell(n_steps + done, n_steps + total, left)

        exact, _ = _summed(table, summing, self.memory_limit, drawers=context.n_workers)
        exact.prepare_draws()
        sizes = _parts(n_draws, table.n_variables)
        drawn = _draws(exact, sizes, seed, replace(context, progress=lambda _: drawing))
        dags = _dags([parents for parents, _, _ in drawn], table.n_variables)
        noise = sum(noise for _, noise, _ in drawn) / max(len(dags), 1)
        diagnostics = {
            "rounding": max(noise, exact.forward_error),
            "restarts": float(sum(restarts for _, _, restarts in drawn)),
        }
        return DagSample(
            dags,
            table.log_scores_of(dags),
            np.zeros(len(dags), dtype=np.int32),
            independent=True,
            warnings=(*_warnings(diagnostics["rounding"]), *cut_short(len(dags), n_draws)),
            diagnostics=diagnostics,
        )

    def log_normaliser(self, table: ScoreTable, *, progress: Progress | None = None) -> float:
        """The log of the sum of exp(log score) over all DAGs."""
        exact, offset = _summed(table, progress or silent, self.memory_limit)
        return exact.log_normaliser + offset

    def marginals(self, table: ScoreTable, *, progress: Progress | None = None) -> ExactMarginals:
        """The probabilities of all edges and of all ancestor relations."""
        progress = progress or silent
        exact, offset = _summed(table, progress, self.memory_limit)
        _run(exact.backward, 3**table.n_variables, progress)
        error = max(exact.mass_error, abs(exact.log_backward_normaliser - exact.log_normaliser))
        return ExactMarginals(
            exact.log_normaliser + offset,
            np.clip(exact.edges, 0.0, 1.0),
            np.clip(exact.descendants, 0.0, 1.0),
            error,
            _warnings(error),
        )


def memory_needed(space: SearchSpace, *, drawers: int = 0) -> int:
    """Bytes for the sums over sets, and for draws by so many workers."""
    n_unions = 1 << space.n_variables
    needed = BYTES_PER_UNION * n_unions
    for node, candidates in enumerate(space.candidates):
        needed += BYTES_PER_SUM << (len(candidates) + len(space.plus_one_parents(node)))
    if drawers:
        needed += BYTES_PER_DRAWN_SET * space.n_sets()
        needed += BYTES_PER_LAYER * n_unions * (1 + 2 * drawers)
    return needed


# Sums


def _summed(
    table: ScoreTable, progress: Progress, memory_limit: int | None, *, drawers: int = 0
) -> tuple[ExactDags, float]:
    """The sums over the DAGs on all sets of nodes, and what to add to their logs."""
    _check_size(table.space, memory_limit, drawers)
    exact, offset = ExactDags(table.n_variables), 0.0
    for name, scores in zip(table.names, table.nodes, strict=True):
        best = _check_scores(name, scores.log_scores)
        offset += best
        some = np.isfinite(scores.log_scores)
        sets = _sets(scores)[some]
        universe = int(np.bitwise_or.reduce(sets))
        exact.add_node(universe, sets, scores.log_scores[some] - best, keep_sets=drawers > 0)
    _run(exact.forward, 3**table.n_variables, progress)
    if not np.isfinite(exact.log_normaliser):
        raise OptionError(
            "no DAG of the table is possible: wherever the parent sets form no cycle, one of them "
            "has a score of -inf. Knowledge about edges contradicts itself or the search space"
        )
    return exact, offset


def _sets(scores: NodeScores) -> NDArray[np.uint32]:
    """Each parent set as a mask of columns."""
    sets = np.zeros(len(scores.masks), dtype=np.uint32)
    for j, candidate in enumerate(scores.candidates):
        sets |= ((scores.masks >> np.uint64(j)) & np.uint64(1)).astype(np.uint32) << candidate
    outside = scores.plus_one >= 0
    sets[outside] |= np.uint32(1) << scores.plus_one[outside].astype(np.uint32)
    return sets


def _run(advance: Callable[[int], int], n_steps: int, progress: Progress) -> None:
    """A recursion to its end, in parts."""
    start, done = monotonic(), 0
    while done < n_steps:
        done = advance(STEPS_AT_ONCE)
        progress(done, n_steps, (monotonic() - start) * (n_steps - done) / done)


# Draws


def _draws(
    exact: ExactDags, sizes: Sequence[int], seed: int, context: RunContext
) -> list[tuple[NDArray[np.uint32], float, int]]:
    """Parents as masks, rounding and restarts, for each part of so many draws.

    After the deadline the first part is still drawn: the sums behind it took longer.
    """
    mixed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    start, total, progress = monotonic(), sum(sizes), context.progress("drawing DAGs")
    drawn: list[tuple[NDArray[np.uint32], float, int]] = []
    parts = list(zip([0, *accumulate(sizes)], sizes, strict=False))

    def submit(part: tuple[int, int]) -> "Future[tuple[NDArray[np.uint32], float, int]]":
        return context.executor.submit(exact.draw, mixed, *part)

    def keep(part: tuple[int, int], result: tuple[NDArray[np.uint32], float, int]) -> None:
        drawn.append(result)
        done = sum(part)
        progress(done, total, (monotonic() - start) * (total - done) / done)

    context.executor.in_order(parts[:1], submit, keep, Deadline())
    context.executor.in_order(parts[1:], submit, keep, context.deadline)
    return drawn


def _parts(n_draws: int, n_variables: int) -> list[int]:
    """Sizes of parts that take a second at most, and share their tables as far as that allows."""
    size = min(max(2 ** (24 - n_variables), 16), 8192)
    return [min(size, n_draws - first) for first in range(0, n_draws, size)]


def _dags(parts: list[NDArray[np.uint32]], n_variables: int) -> NDArray[np.bool_]:
    """(n_draws, n, n) of masks (n_draws, n) in parts."""
    nodes = np.arange(n_variables, dtype=np.uint32)
    parents = np.concatenate([np.zeros((0, n_variables), dtype=np.uint32), *parts])
    return (parents[:, None, :] >> nodes[:, None] & 1).astype(bool)


# Checks


def _check_size(space: SearchSpace, memory_limit: int | None, drawers: int) -> None:
    n = space.n_variables
    if not 1 <= n <= MAX_NODES:
        raise OptionError(
            f"exact sampling: expected from 1 to {MAX_NODES} variables, found {n}; take a sampler "
            "by Markov chains"
        )
    limit = default_memory_limit() if memory_limit is None else memory_limit
    needed = memory_needed(space, drawers=drawers)
    if limit is not None and needed > limit:
        raise OptionError(
            f"exact sampling of {n} variables needs {needed / 1e9:.3g} GB, more than the "
            f"{limit / 1e9:.3g} GB it may have (memory_limit=, or half of the free memory); "
            "restrict the candidates, or take a sampler by Markov chains"
        )


def _check_scores(name: str, log_scores: Floats) -> float:
    """The best score; refuses a node without any, or with some that are too far apart."""
    best = float(log_scores.max(initial=-np.inf))
    if not np.isfinite(best):
        raise OptionError(f"no parent set of {name!r} is possible: all its scores are -inf")
    spread = best - float(log_scores[np.isfinite(log_scores)].min())
    if spread > MAX_SPREAD:
        raise OptionError(
            f"log scores of {name!r}: expected to lie within {MAX_SPREAD:g}, found {spread:g}"
        )
    return best


def _warnings(rounding: float) -> tuple[str, ...]:
    if rounding <= TOLERATED:
        return ()
    return (f"rounding: probabilities may be off by some {rounding:.1g} (cancellation)",)
