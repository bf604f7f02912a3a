"""One line of the table, and its timing."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Race:
    what: str
    run: Callable[[], object]
    against: str
    opponent: Callable[[], object]


def seconds(run: Callable[[], object], budget: float = 1.0) -> float:
    """The best of as many runs as fit into the budget, and at least three."""
    times: list[float] = []
    while sum(times) < budget or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def curves(n_rows: int, n_parents: int) -> np.ndarray:
    """Standardised; the last column is a sum of curves of the others."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n_rows, n_parents))
    x = np.sin(z).sum(axis=1) + 0.5 * rng.standard_normal(n_rows)
    values = np.column_stack([z, x])
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
