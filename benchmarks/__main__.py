"""Prints one table: what was measured, its time, the opponent's time, the ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from gpnet import _core
from gpnet.gp.evidence import EVIDENCES
from gpnet.gp.kernels import KERNELS
from gpnet.gp.likelihood import DenseTarget
from gpnet.gp.modes import find_modes
from gpnet.gp.priors import Hyperpriors


@dataclass(frozen=True)
class Race:
    what: str
    runner: Callable[[], object]
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


def target(n_rows: int, n_parents: int) -> DenseTarget:
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n_rows, n_parents))
    x = np.sin(z).sum(axis=1) + 0.5 * rng.standard_normal(n_rows)
    x = (x - x.mean()) / x.std(ddof=1)
    return DenseTarget(x, z, KERNELS["additive"](), Hyperpriors())


def plain_gram(z: np.ndarray, theta: float) -> np.ndarray:
    q = ((z[:, None] - z) / theta) ** 2
    k = np.exp(-0.5 * q)
    return np.stack([k, q * k, q * (q - 2) * k])


def races() -> list[Race]:
    found = []
    for n_rows in (100, 853):
        z = np.random.default_rng(1).standard_normal(n_rows)
        found.append(
            Race(
                f"Gram matrix with two derivatives, N={n_rows}",
                lambda z=z: _core.squared_exponential_gram(z, 1.0, 2),
                "NumPy",
                lambda z=z: plain_gram(z, 1.0),
            )
        )
    for n_parents in (1, 3):
        dense = target(100, n_parents)
        found.append(
            Race(
                f"evidence by qmc (se 0.02), {n_parents} parents, N=100",
                lambda t=dense: EVIDENCES["qmc"]().estimate(t, find_modes(t), [0]),
                "by bridge (300 draws)",
                lambda t=dense: EVIDENCES["bridge"]().estimate(t, find_modes(t), [0]),
            )
        )
    return found


def main() -> None:
    table = Table("what", "seconds", "against", "seconds", "times faster")
    for race in races():
        ours, theirs = seconds(race.runner), seconds(race.opponent)
        ratio = f"{theirs / ours:.1f}"
        table.add_row(race.what, f"{ours:.2e}", race.against, f"{theirs:.2e}", ratio)
    Console().print(table)


main()
