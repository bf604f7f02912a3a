"""Tables of the core over the subsets of each node's candidates, and the memory they take."""

from typing import Final, TypeVar

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.runtime.executors import Workers
from gpnet.score_table.memory import default_memory_limit
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable

Tables = TypeVar("Tables", _core.ParentSums, _core.BestSets)

MAX_MASK_BITS: Final = 31  # of a mask in the core


def fill_tables(kind: type[Tables], table: ScoreTable, executor: Workers) -> Tables:
    """Tables of the core over the subsets of each node's candidates."""
    check_memory_of_sums(table.space)
    tables = kind(table.n_variables, table.space.plus_one)

    def fill(node: int) -> None:
        of = table.nodes[node]
        tables.set_node(node, of.candidates, of.masks, of.plus_one, of.log_scores)

    executor.map(fill, range(table.n_variables))
    return tables


def memory_of_sums(space: SearchSpace) -> int:
    """Bytes of the tables that partition, order and structure MCMC walk on.

    For each node a row for every subset of its m candidates, 2^m rows of one number, or with
    `plus_one` of n numbers, rounded up to fours; and 14 bytes for each parent set.
    """
    n = space.n_variables
    row = 8 * ((n + 3) // 4 * 4 if space.plus_one else 1) + 4
    return sum(1 << len(c) for c in space.candidates) * row + 14 * space.n_sets()


def check_memory_of_sums(space: SearchSpace, limit: int | None = None) -> None:
    """Refuse a space whose tables would not fit, and say what would."""
    limit = default_memory_limit() if limit is None else limit
    most = max(map(len, space.candidates), default=0)
    needed = memory_of_sums(space)
    if most <= MAX_MASK_BITS and (limit is None or needed <= limit):
        return
    fits = next(
        (
            m
            for m in range(min(most, MAX_MASK_BITS), -1, -1)
            if limit is None or memory_of_sums(space.with_first_candidates(m)) <= limit
        ),
        None,
    )
    raise OptionError(
        f"chains on {most} candidates of a node need tables of {needed / 1e9:.3g} GB, more than "
        "they may have (half of the free memory)"
        + (
            ""
            if fits is None
            else f"; what fits: at most {fits} candidates of each node, as the "
            "search space 'iterative' finds them (max_candidates)"
        )
    )
