"""How far completed tables of one table with gaps disagree.

They differ by right, as nobody knows what the empty cells held. But few of them tell little: what
is given is the mean over tables, which other tables would have given otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from scipy.special import softmax

from gpnet.common.messages import quote
from gpnet.posterior.posterior import Posterior

DISPUTED: Final = 0.5  # difference between tables in the probability of an edge that is told
WORST_ERROR: Final = 0.1  # standard error of a mean over tables, of an edge
MORE, MOST = 1.5, 100  # tables, of what would just do, and at most
STEP: Final = 5  # tables that are told are a multiple of it


@dataclass(frozen=True)
class BetweenTables:
    """Numbers of the edges, and the names of those that tables dispute."""

    n_tables: int
    differ_by: float  # the largest difference between two tables in the probability of an edge
    share: float  # of the variance of edges, that lies between tables
    std_error: float  # of a mean over tables, the largest of an edge; 0 of one table
    disputed: tuple[str, ...]  # edges, the worst first

    @property
    def more_tables(self) -> int:
        """How many to try, where the means are not known well enough."""
        wanted = MORE * self.n_tables * (self.std_error / WORST_ERROR) ** 2
        return min(STEP * ceil(max(round(wanted), 2 * self.n_tables) / STEP), MOST)


def between_tables(posteriors: Sequence[Posterior]) -> BetweenTables:
    """Of the posteriors of completed tables."""
    m, names = len(posteriors), posteriors[0].names
    edges = np.stack([np.tensordot(softmax(one.log_weights), one.dags, 1) for one in posteriors])
    apart, mean = np.ptp(edges, axis=0), edges.mean(axis=0)
    total = float((mean * (1 - mean)).sum())
    between = edges.var(axis=0)
    worst = [divmod(int(i), len(names)) for i in np.argsort(-apart, axis=None, kind="stable")]
    return BetweenTables(
        n_tables=m,
        differ_by=float(apart.max(initial=0.0)),
        share=min(1.0, float(between.sum()) / total) if total > 0 else 0.0,
        std_error=float(np.sqrt(between.max(initial=0.0) / max(m - 1, 1))),
        disputed=tuple(
            f"{quote(names[a])} -> {quote(names[b])}" for a, b in worst if apart[a, b] > DISPUTED
        ),
    )
