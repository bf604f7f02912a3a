"""Prints one table: what was measured, its time, the opponent's time, the ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from gpnet import _core
from gpnet.gp.basis import build_basis
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.evidence import EVIDENCES
from gpnet.gp.fast import FastModel, FastTarget
from gpnet.gp.kernels import Additive
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


def table(n_rows: int, n_parents: int) -> np.ndarray:
    """Standardised; the last column is a curve of the others."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n_rows, n_parents))
    x = np.sin(z).sum(axis=1) + 0.5 * rng.standard_normal(n_rows)
    values = np.column_stack([z, x])
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def dense(values: np.ndarray) -> DenseTarget:
    return DenseTarget(values[:, -1], values[:, :-1], Additive(), Hyperpriors())


def fast(values: np.ndarray) -> FastTarget:
    n_parents = values.shape[1] - 1
    model = FastModel(values, Additive(), Hyperpriors())
    return model.target(n_parents, tuple(range(n_parents)))


def plain_gram(z: np.ndarray, theta: float) -> np.ndarray:
    q = ((z[:, None] - z) / theta) ** 2
    k = np.exp(-0.5 * q)
    return np.stack([k, q * k, q * (q - 2) * k])


def heavy(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.standard_t(3, size)


def basis(z: np.ndarray) -> object:
    with threadpool_limits(1):
        return build_basis((z - z.mean()) / z.std(ddof=1), SquaredExponential())


def evidence(target: FastTarget, method: str) -> object:
    return EVIDENCES[method]().estimate(target, find_modes(target), [0])


def races() -> list[Race]:
    found = []
    for n_rows in (100, 853):
        z = np.random.default_rng(1).standard_normal(n_rows)
        what = f"Gram matrix with two derivatives, N={n_rows}"
        core = partial(_core.squared_exponential_gram, z, 1.0, 2)
        found.append(Race(what, core, "NumPy", partial(plain_gram, z, 1.0)))
    for n_rows in (100, 853):
        for n_parents in (1, 3, 5):
            values, u = table(n_rows, n_parents), np.append(np.zeros(n_parents), -0.5)
            what = f"value and gradient, fast, {n_parents} parents, N={n_rows}"
            ours, theirs = fast(values), dense(values)
            found.append(
                Race(what, partial(ours.gradient, u), "dense", partial(theirs.gradient, u))
            )
    for name, marginal in {"normal": np.random.Generator.standard_normal, "t3": heavy}.items():
        many, few = (marginal(np.random.default_rng(2), size=n) for n in (100_000, 853))
        what = f"basis of a variable, {name}, N=100 000"
        builders = partial(basis, many), partial(basis, few)
        found.append(Race(what, builders[0], "N=853", builders[1]))
    what = "value and gradient, fast, 3 parents, N=100 000"
    many, few, u = fast(table(100_000, 3)), fast(table(1000, 3)), np.array([0, 0, 0, -0.5])
    found.append(Race(what, partial(many.gradient, u), "fast, N=1 000", partial(few.gradient, u)))
    for n_parents in (1, 3):
        target = fast(table(100, n_parents))
        what = f"evidence by qmc (se 0.02), {n_parents} parents, N=100"
        qmc, bridge = (partial(evidence, target, method) for method in ("qmc", "bridge"))
        found.append(Race(what, qmc, "by bridge (300 draws)", bridge))
    return found


def main() -> None:
    table = Table("what", "seconds", "against", "seconds", "times faster")
    for race in races():
        ours, theirs = seconds(race.runner), seconds(race.opponent)
        ratio = f"{theirs / ours:.1f}"
        table.add_row(race.what, f"{ours:.2e}", race.against, f"{theirs:.2e}", ratio)
    Console(width=120).print(table)


main()
