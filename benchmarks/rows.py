"""A million rows: what they cost beside a thousand, and their memory. `python -m benchmarks.rows`.

Ratios of CPU seconds in the same run, in turns, as machines are noisy; memory is the peak of a
process of its own, all of it. Three parts: one likelihood, the statistics behind it, whole runs.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import gpnet
from benchmarks.race import curves
from gpnet.gp.fast import FastModel, FastTarget
from gpnet.gp.kernels import Additive
from gpnet.gp.priors import Hyperpriors

MANY, FEW = 1_000_000, 1_000
TURNS, REPEATS = 15, 100
TABLES = [(100_000, 4, 3), (MANY, 4, 3), (MANY, 20, 1)]  # rows, variables, most parents


def main() -> None:
    console = Console(width=100)
    rows = Table("value and gradient", f"N={MANY:,}", f"N={FEW:,}", "ratio", "rank", "rank")
    for n_parents in (1, 2, 3):
        rows.add_row(f"{n_parents} parents", *likelihoods(n_parents))
    console.print(rows)
    rows = Table("basis and sums of 4 variables", "CPU seconds")
    for n_rows in (100_000, MANY):
        rows.add_row(f"N={n_rows:,}", f"{cpu(partial(target, n_rows, 3)):.2f}")
    console.print(rows)
    rows = Table("gpnet.learn", "most parents", "CPU seconds", "peak memory, MB")
    for n_rows, n_variables, most in TABLES:
        told = in_a_process_of_its_own(n_rows, n_variables, most)
        rows.add_row(f"{n_rows:,} x {n_variables}", str(most), *told)
    console.print(rows)


def likelihoods(n_parents: int) -> list[str]:
    """Microseconds each, the median ratio of the turns, and the ranks."""
    u = np.append(np.zeros(n_parents) + 0.01, -0.5)
    many, few = target(MANY, n_parents), target(FEW, n_parents)
    turns = np.array([[each(many, u), each(few, u)] for _ in range(TURNS)])
    ranks = [str(one._evaluate(u, 0)[3]) for one in (many, few)]
    median = np.median(turns, axis=0) * 1e6
    ratio = np.median(turns[:, 0] / turns[:, 1])
    return [f"{median[0]:.0f} us", f"{median[1]:.0f} us", f"{ratio:.2f}", *ranks]


def target(n_rows: int, n_parents: int) -> FastTarget:
    values = curves(n_rows, n_parents)
    model = FastModel(values, Additive(), Hyperpriors())
    found = model.target(n_parents, tuple(range(n_parents)))
    found.gradient(np.append(np.zeros(n_parents), -0.5))  # Gram blocks come when first needed
    return found


def each(one: FastTarget, u: np.ndarray) -> float:
    return cpu(lambda: [one.gradient(u) for _ in range(REPEATS)]) / REPEATS


def cpu(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def network(n_rows: int, n_variables: int) -> np.ndarray:
    """Each variable a sum of waves and lines of up to two before it."""
    rng = np.random.default_rng(n_variables)
    x = np.empty((n_rows, n_variables))
    for j in range(n_variables):
        x[:, j] = rng.standard_normal(n_rows)
        for i in rng.permutation(j)[:2]:
            a, b = rng.standard_normal(2)
            x[:, j] += a * np.sin((1 + abs(b)) * x[:, i]) + 0.5 * b * x[:, i]
        x[:, j] = (x[:, j] - x[:, j].mean()) / x[:, j].std()
    return x


def in_a_process_of_its_own(*size: int) -> tuple[str, str]:
    command = [sys.executable, "-m", "benchmarks.rows", *map(str, size)]
    done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603, our own
    told = json.loads(done.stdout)
    return f"{told['seconds']:.0f}", f"{told['megabytes']:.0f}"


def learn(n_rows: int, n_variables: int, most_parents: int) -> None:
    values = network(n_rows, n_variables)
    seconds = cpu(lambda: gpnet.learn(values, max_parents=most_parents, workers=1))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"seconds": seconds, "megabytes": peak}))


if len(sys.argv) > 1:
    learn(*map(int, sys.argv[1:]))
else:
    main()
