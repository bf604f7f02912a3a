"""How much memory tables take, and what to do where there is too little."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from gpnet.common.errors import OptionError
from gpnet.score_table.search_space import SearchSpace

BYTES_PER_SET: Final = 68  # mask, plus one, five numbers, and two in copying
BYTES_PER_EVIDENCE: Final = (
    1000  # an object with its mode and its place in a dictionary, rounded up
)
MEMORY_SHARE: Final = 0.5  # of what is free


def memory_needed(space: SearchSpace, *, closed_form: bool = False) -> int:
    """Bytes to fill and to hold the table of this space, within a factor of two.

    While a size is filled, the evidence of the last one, of this one if another follows, and of
    the single parents are at hand; a score in closed form asks for none.
    """
    return memory_of_sets(
        [space.n_sets(size=size) for size in space.sizes], closed_form=closed_form
    )


def memory_of_sets(n_by_size: Sequence[int], *, closed_form: bool) -> int:
    """The same for so many sets of each size."""
    held = [*n_by_size[:-1], 0]
    most = max(before + here for before, here in zip([0, *held], held, strict=False))
    singles = n_by_size[1] if len(n_by_size) > 2 else 0
    n_kept = 0 if closed_form else most + singles
    return BYTES_PER_SET * sum(n_by_size) + BYTES_PER_EVIDENCE * n_kept


def check_memory(
    space: SearchSpace, limit: int | None = None, *, closed_form: bool = False
) -> None:
    """Refuse a space whose table would not fit, and say what would."""
    limit = default_memory_limit() if limit is None else limit
    needed = partial(memory_needed, closed_form=closed_form)
    if limit is None or needed(space) <= limit:
        return
    raise OptionError(
        f"a table of {space.n_sets():,} parent sets needs {needed(space) / 1e9:.3g} GB, more than "
        f"the {limit / 1e9:.3g} GB it may have (memory_limit=, or half of the free memory)"
        + _what_fits(space, lambda smaller: needed(smaller) <= limit)
    )


def _what_fits(space: SearchSpace, fits: Callable[[SearchSpace], bool]) -> str:
    fewer_parents = next(
        (k for k in reversed(space.sizes) if fits(replace(space, max_parents=k, caps=()))), None
    )
    if fewer_parents is None:
        return ""
    most = max(map(len, space.candidates))
    fewer_candidates = next(m for m in range(most, -1, -1) if fits(space.with_first_candidates(m)))
    return (
        f"; what fits: max_parents={fewer_parents}, or at most {fewer_candidates} candidates of "
        "each node"
    )


def default_memory_limit() -> int | None:
    """A share of the free memory; None where the system does not tell."""
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        found = None
    if found:
        return int(MEMORY_SHARE * 1024 * int(found[1]))
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return int(MEMORY_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return None
