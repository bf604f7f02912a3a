"""Temperatures of a chain's replicas, such that neighbours trade places equally often.

A chain leaves a deep mode by way of its hot replicas, and comes back by another: it takes a ladder
that begins where modes are no hindrance, and no gap on the way down.
"""

from collections.abc import Callable
from math import ceil
from typing import Final

import numpy as np

from gpnet import _core
from gpnet.common.types import Floats

HOTTEST: Final = 1e3  # where a node that stands in the wrong place costs hundreds of nats, it moves
N_TRIED: Final = 16  # replicas while the ladder is looked for
FEWEST: Final = 3  # replicas of the ladder
MOST: Final = 48
SHARES: Final = (1, 2, 4)  # of the steps, for rounds each of which knows more than the last

Betas = tuple[float, ...]
Start = Callable[[Betas, int], _core.Chain]  # a chain with these betas, by number
Walk = Callable[[_core.Chain, int], None]  # so many steps of it


def find_betas(start: Start, walk: Walk, n_steps: int) -> Betas:
    """1 / temperature of each replica, by trial chains of so many steps in all.

    With r the probability that neighbours do not trade places, the sum of r over the ladder
    hardly depends on where its steps are (Syed et al. 2022): equal parts of it are best, and about
    twice as many as the sum.
    """
    betas = tuple(np.geomspace(1, 1 / HOTTEST, N_TRIED).tolist())
    ends = np.cumsum([0, *SHARES]) * n_steps // sum(SHARES)
    for number, part in enumerate(np.diff(ends).tolist()):
        chain = start(betas, number)
        walk(chain, part // 3)
        before = _exchanges(chain)
        walk(chain, part - part // 3)
        tried, accepted = _exchanges(chain) - before
        rejected = 1 - (accepted + 1) / (tried + 2)  # 1/2 where none was tried
        betas = respaced(betas, rejected, N_TRIED if number + 1 < len(SHARES) else None)
    return betas


def respaced(betas: Betas, rejected: Floats, n_replicas: int | None = None) -> Betas:
    """From 1 to the last beta, with equal parts of the sum of `rejected` (k - 1,) between them.

    Twice as many as that sum, unless their number is given.
    """
    total = np.concatenate([[0.0], np.cumsum(rejected)])
    if n_replicas is None:
        n_replicas = min(max(ceil(2 * total[-1]) + 1, FEWEST), MOST)
    found = np.exp(np.interp(np.linspace(0, total[-1], n_replicas), total, np.log(betas)))
    return (1.0, *found[1:].tolist())


def _exchanges(chain: _core.Chain) -> Floats:
    """(2, N_TRIED - 1): tried and accepted between neighbours, so far."""
    found = np.zeros((2, N_TRIED - 1))
    for row, counts in zip(found, (chain.exchanges_tried, chain.exchanges_accepted), strict=True):
        row[: len(counts)] = counts
    return found
