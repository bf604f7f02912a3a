"""What replicates of the table cost, and how near they come: `python -m benchmarks.bagging`.

`cost`: CPU seconds of `learn` with its default of 100 replicates, and without, one after the other.

`replicates`: first-order changes of log marginal likelihoods, and the edge probabilities that
follow, against tables that are scored anew: a tenth of the rows left out, or rows drawn with
replacement. On tables of known order of at most eight columns, all parent sets, scales as chosen
for the table.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from experiments.real_tables import sources
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import gpnet
from benchmarks.reference import FOLDER
from gpnet.data.dataset import Dataset
from gpnet.data.standardise import read_only
from gpnet.gp.evidence import Evidence
from gpnet.inference.choose_scales import choose_scales, compare_scales
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.context import Notes, RunContext
from gpnet.runtime.executors import Workers
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.rescore import Family
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores.model_cache import MODELS

LAMBDAS = ("0", "0.5", "1")
SIMULATED = {f"n10, lambda {x}, run 1": f"simulated/n10/lambda{x}_run001.csv" for x in LAMBDAS}
N_WIDE = 30


N_TABLES = 24
Draw = Callable[[int, np.random.Generator], NDArray[np.intp]]
N_REPLICATES = 6
MOST_COLUMNS = 8
N_BEST = 12  # sets of a node, whose differences are compared


def main(part: str) -> None:
    PARTS[part]()


def cost() -> None:
    rows = Table("table", "CPU s", "bag off", "ratio")
    for name, data in tables().items():
        plain, bagged = (cpu_seconds(data, bag) for bag in ("off", 100))
        rows.add_row(name, f"{bagged:.1f}", f"{plain:.1f}", f"{bagged / plain:.2f}")
    Console(width=100).print(rows)


def tables() -> dict[str, Dataset]:
    found = {name: gpnet.load_table(FOLDER / path) for name, path in SIMULATED.items()}
    found["Sachs"] = gpnet.load_table(FOLDER / "sachs_cd3cd28.csv", transform="log2")
    wide = gpnet.simulate(nodes=N_WIDE, rows=300, seed=1)
    found[f"{N_WIDE} columns, 300 rows"] = gpnet.load_table(wide.frame())
    return found


def cpu_seconds(data: Dataset, bag: str | int) -> float:
    MODELS.clear()
    start = process_time()
    gpnet.learn(data, bag=bag, progress=False)
    return process_time() - start


def replicates() -> None:
    columns = ("table", "rows", "nats moved", "error", "edges moved", "error")
    output = Table(*columns)
    for name, data in islice(ordered_tables(), N_TABLES):
        for kind, draw in DRAWS.items():
            numbers = (f"{number:.3g}" for number in compared(data, draw, name))
            output.add_row(name, kind, *numbers)
    Console(width=100).print(output)


def left_out(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.permutation(n)[n // 10 :])


def with_copies(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.integers(n, size=n))


DRAWS = {"a tenth left out": left_out, "with copies": with_copies}


def ordered_tables() -> Iterator[tuple[str, Dataset]]:
    with TemporaryDirectory() as folder:
        for table in reversed(sources.tables("choose")):
            if len(table.columns) <= MOST_COLUMNS:
                data = gpnet.load_table(table.frame(Path(folder)))
                score = make_plan(Settings(), data).score
                scales = compare_scales(data, score, RunContext())
                yield table.name, choose_scales(data, scales, Notes())


def compared(data: Dataset, draw: Draw, name: str) -> tuple[float, ...]:
    """Of differences between the best sets of a node: their change in nats, and its error.

    Root mean squares; then the largest change of an edge in the mean over replicates, and error.
    """
    plan = make_plan(Settings(prune="off"), data)
    score, rng = plan.score.proposal(), np.random.default_rng(list(name.encode()))
    space = plan.space.build(data, plan.prior)

    def table_of(one: Dataset) -> ScoreTable:
        return tabulate(one, space, score, plan.prior, RunContext(Workers.threads(None)))

    base, n = table_of(data), data.n_variables
    sets = [base.best(node, space.n_sets(node=node)) for node in range(n)]
    pointwise = {f: score.pointwise(data, *f, {}) for of_node in sets for f in of_node}
    changed, errors, edges = [], [], []
    for _ in range(N_REPLICATES):
        rows = draw(data.n_rows, rng)
        true = table_of(data._with(values=read_only(data.values[rows]), measured=None))
        weights = np.bincount(rows, minlength=data.n_rows) - 1
        first = with_changes(base, {f: float(weights @ of) for f, of in pointwise.items()})
        for of_node in sets:
            scores = np.array(
                [[t.log_score(*f) for f in of_node[:N_BEST]] for t in (base, first, true)]
            )
            before, found, exact = scores - scores[:, :1]
            changed += list(exact - before)[1:]
            errors += list(found - exact)[1:]
        edges.append([ExactSampler().marginals(t).edges for t in (base, first, true)])
    plain, ours, exact = np.mean(edges, axis=0)
    sizes = (float(np.sqrt(np.mean(np.square(x)))) for x in (changed, errors))
    return *sizes, float(np.abs(plain - exact).max()), float(np.abs(ours - exact).max())


def with_changes(table: ScoreTable, changes: Mapping[Family, float]) -> ScoreTable:
    moved = {
        family: Evidence(table.log_marginal(*family) + change, 0.0, "reweighted")
        for family, change in changes.items()
    }
    return table.with_log_marginals(moved)


PARTS = {"cost": cost, "replicates": replicates}

if __name__ == "__main__":
    main(*sys.argv[1:] or ["cost"])
