"""What a run will cost, before it starts.

Times are measured on a few parent sets of the data at hand, and are good to a factor of two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from time import perf_counter
from typing import Final

from threadpoolctl import threadpool_limits

from gpnet.common.messages import count
from gpnet.common.types import Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.imputation import cells_to_draw
from gpnet.inference.plan import BYTES_PER_PAIR, Plan
from gpnet.runtime.progress import in_words
from gpnet.score_table.memory import memory_needed
from gpnet.score_table.search_space import SearchSpace
from gpnet.scores import Score

SAMPLE: Final = 6  # parent sets of each size that are scored to see what they cost
# For a sparse and a dense posterior: of the sets, those that are scored where others are left out,
# and those that draws visit, in a space of all sets and in one that is searched for.
SCORED: Final = (0.1, 0.7)
VISITED: Final = (0.03, 0.3)
VISITED_OF_MANY: Final = (0.003, 0.03)


@dataclass(frozen=True)
class Cost:
    """Of a run; sizes are upper bounds where the space is yet to be searched for."""

    n_sets: int
    bounded: bool  # whether the number of sets is only known to be at most this
    table_seconds: tuple[float, float]  # for a sparse and for a dense posterior
    accurate_seconds: tuple[float, float]  # the same
    most_seconds: float  # were all sets scored, and visited by draws
    memory: int  # bytes
    n_tables: int = 1  # completed tables, where cells are missing; all of them are in the seconds

    @property
    def seconds(self) -> tuple[float, float]:
        """All together, from the sparse to the dense."""
        (low, high), (again_low, again_high) = self.table_seconds, self.accurate_seconds
        return low + again_low, high + again_high

    def __str__(self) -> str:
        most = "at most " if self.bounded else ""
        tables = f" in each of {self.n_tables} completed tables" if self.n_tables > 1 else ""
        return (
            f"{most}{count(self.n_sets, 'parent set')} to score{tables}; scoring takes "
            f"{self.span}, at most {in_words(self.most_seconds)} unless more parents are needed; "
            f"{self.memory / 1e6:,.0f} MB"
        )

    @property
    def span(self) -> str:
        """The seconds in words."""
        low, high = (in_words(seconds) for seconds in self.seconds)
        return f"about {low}" if low == high else f"about {low} to {high}"


def estimate(data: Dataset, plan: Plan, *, workers: int, drawers: int | None = None) -> Cost:
    """Scores a few sets, which takes a second or so, and multiplies.

    `workers` score; as many draw, unless these are other ones.
    """
    space, settings = widest_space(data, plan), plan.settings
    with threadpool_limits(1):  # as scores are computed
        seconds = _Seconds.measure(data, plan.score, most=space.sizes[-1])
    counts = [space.n_sets(size=size) for size in space.sizes]
    again = seconds.times(counts, seconds.accurate) / workers
    draws = BYTES_PER_PAIR * settings.draws * data.n_variables**2
    tables = memory_needed(space, closed_form=plan.score.closed_form)
    n_tables = settings.imputations if cells_to_draw(data).any() else 1
    # A completed table is scored twice: to draw its cells, and to learn from it.
    n_filled = 2 * n_tables if n_tables > 1 else 1
    drawing = plan.sampler.memory_needed(space, workers=workers if drawers is None else drawers)
    table = seconds.times(counts, seconds.quick) / workers
    scored = (1.0, 1.0) if plan.prune is None else SCORED
    visited = VISITED_OF_MANY if plan.space.searches else VISITED
    return Cost(
        n_sets=space.n_sets(),
        bounded=plan.space.searches,
        table_seconds=_pair(n_filled * (seconds.bases + share * table) for share in scored),
        accurate_seconds=_pair(n_tables * share * again for share in visited),
        most_seconds=n_filled * (seconds.bases + table) + n_tables * again,
        memory=n_tables * (draws + tables) + drawing,
        n_tables=n_tables,
    )


def _pair(both: Iterable[float]) -> tuple[float, float]:
    low, high = both
    return low, high


def widest_space(data: Dataset, plan: Plan) -> SearchSpace:
    """The space itself, or one as large as any that a search may find."""
    if not plan.space.searches:
        return plan.space.build(data, plan.prior)
    n, settings = data.n_variables, plan.settings
    first = range(min(settings.max_candidates + 1, n))
    candidates = tuple(
        tuple(v for v in first if v != node)[: settings.max_candidates] for node in range(n)
    )
    return SearchSpace(candidates, plan.max_parents, plan.space.plus_one)


@dataclass(frozen=True)
class _Seconds:
    """What one set of each size costs on one core."""

    bases: float  # of all variables, once
    quick: list[float]  # by size, under the score that fills the table
    accurate: list[float]  # and under the one that is meant

    @classmethod
    def measure(cls, data: Dataset, score: Score, *, most: int) -> "_Seconds":
        """Of sets of the last columns as parents of the first."""
        parents = range(data.n_variables - 1, 0, -1)[: most + 1]
        proposal, hints = score.proposal(), dict[Parents, Evidence]()
        singles = [(parent,) for parent in sorted(parents)]
        start = perf_counter()
        proposal.log_marginals(data, 0, singles, {})  # builds the bases of these
        bases = (perf_counter() - start) * data.n_variables / max(len(singles), 1)
        quick, accurate = [], []
        for size in range(most + 1):
            sets = list(islice(combinations(sorted(parents), size), SAMPLE))
            found, seconds = _timed(data, proposal, sets, hints)
            hints |= dict(zip(sets, found, strict=True))
            quick.append(seconds)
            accurate.append(0.0)
            if proposal.fingerprint != score.fingerprint:
                accurate[-1] = _timed(data, score, sets[:2], hints)[1]
        return cls(bases, quick, accurate)

    @staticmethod
    def times(counts: Sequence[int], seconds: Sequence[float]) -> float:
        """So many sets of each size, one after the other."""
        return sum(n * one for n, one in zip(counts, seconds, strict=True))


def _timed(
    data: Dataset, score: Score, sets: list[Parents], hints: dict[Parents, Evidence]
) -> tuple[list[Evidence], float]:
    """Their evidence, and the seconds that each took."""
    start = perf_counter()
    found = score.log_marginals(data, 0, sets, hints)
    return found, (perf_counter() - start) / max(len(sets), 1)
