"""Exact sampling of DAGs: one table of times, each beside a stated opponent.

    python -m benchmarks.exact [--large] [--prototype FILE]

`--large` adds 18 and 20 nodes. The opponent is a prototype (in Numba), on the same
weights in the same run; without its file or without Numba only our own times are shown.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType

import numpy as np
from rich.console import Console
from rich.table import Table

from gpnet._core import ExactDags
from gpnet.samplers import ExactSampler
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable

PROTOTYPE = Path(__file__).parents[2] / "shared" / "prototype" / "exact_dags.py"
N_DRAWS = {10: 20_000, 15: 500, 18: 50, 20: 10}


@dataclass(frozen=True)
class Row:
    what: str
    ours: float  # seconds of one core
    theirs: float  # nan where there is no opponent


def log_weights(n: int) -> np.ndarray:
    """(n, 2^(n-1)), by mask of the other nodes: some parents raise the score, many lower it."""
    rng = np.random.default_rng(n)
    masks = np.arange(1 << (n - 1))
    members = (masks[:, None] >> np.arange(n - 1)) & 1
    sizes = members.sum(axis=1)
    weights = 5.0 * rng.standard_normal((n, len(masks))) - 4.0 * sizes - 30.0 * (sizes > 4)
    return weights + 20.0 * rng.standard_normal((n, n - 1)) @ members.T


def summed(weights: np.ndarray) -> ExactDags:
    """Our sums over the same weights."""
    n = len(weights)
    found = ExactDags(n)
    masks = np.arange(1 << (n - 1), dtype=np.uint32)
    for v in range(n):
        below = masks & np.uint32((1 << v) - 1)
        sets = below | (masks ^ below) << np.uint32(1)
        best = weights[v].max()
        found.add_node((1 << n) - 1 - (1 << v), sets, weights[v] - best, keep_sets=True)
    found.forward(3**n)
    return found


def cpu_seconds(run: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def load_prototype(path: Path) -> ModuleType | None:
    """None where the file or Numba is not there; leaves nothing behind in its folder."""
    if not path.exists():
        return None
    os.environ.setdefault("NUMBA_CACHE_DIR", mkdtemp())
    sys.dont_write_bytecode = True
    sys.path.append(str(path.parent))
    try:
        return import_module(path.stem)
    except ImportError:
        return None


def their_sums(prototype: ModuleType, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    sums = prototype.zeta_log(weights)
    mantissas, exponents = prototype.to_me(sums)
    return (sums, mantissas, exponents, *prototype.zdp(mantissas, exponents, len(weights)))


def rows(sizes: list[int], prototype: ModuleType | None) -> Iterator[Row]:
    if prototype:  # compiles at first use
        small = log_weights(4)
        prototype.sample_many(2, small, *their_sums(prototype, small), 4, 0)
    for n in sizes:
        weights, k = log_weights(n), N_DRAWS[n]
        ours, found = cpu_seconds(partial(summed, weights))
        theirs, sums = np.nan, ()
        if prototype:
            theirs, sums = cpu_seconds(partial(their_sums, prototype, weights))
        yield Row(f"sums over all DAGs, n={n}", ours, theirs)
        found.prepare_draws()
        found.draw(1, 0, 1)
        ours, _ = cpu_seconds(partial(found.draw, 0, 0, k))
        if prototype:
            theirs, _ = cpu_seconds(partial(prototype.sample_many, k, weights, *sums, n, 1))
        yield Row(f"one draw of {k}, n={n}", ours / k, theirs / k)
        backward, _ = cpu_seconds(partial(found.backward, 3**n))
        yield Row(f"all edges and ancestors after the sums, n={n}", backward, np.nan)


def whole_sampler(n: int, n_draws: int) -> Row:
    """From a score table to a DAG sample."""
    candidates = tuple(tuple(v for v in range(n) if v != node) for node in range(n))
    space = SearchSpace(candidates, 4)
    rng = np.random.default_rng(0)
    columns = [rng.uniform(-20, 0, space.n_sets(node=v)) for v in range(n)]
    names = [f"V{v + 1}" for v in range(n)]
    table = ScoreTable.assemble(names, space, columns, [0.0 * c for c in columns])
    spent, _ = cpu_seconds(partial(ExactSampler().sample, table, n_draws=n_draws))
    return Row(f"ExactSampler, one of {n_draws} draws, n={n}", spent / n_draws, np.nan)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--prototype", type=Path, default=PROTOTYPE)
    options = parser.parse_args()
    sizes = [10, 15, 18, 20] if options.large else [10, 15]
    table = Table("what", "CPU seconds", "prototype", "times faster")
    found = [*rows(sizes, load_prototype(options.prototype)), whole_sampler(10, 20_000)]
    for row in found:
        cells = f"{row.ours:.2e}", f"{row.theirs:.2e}", f"{row.theirs / row.ours:.1f}"
        table.add_row(row.what, *(cell.replace("nan", "-") for cell in cells))
    Console(width=120).print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    Console().print(f"peak memory of the run {peak:.2f} GB")


if __name__ == "__main__":
    main()
