"""How cost grows with columns and with rows: `python -m benchmarks.scale columns|rows|workers`.

Each run is a process of its own, so that its peak memory is its own, with one BLAS thread. Rows are
added to a CSV file as they come (`--out DIR`), and what is there is not measured again: exponents
are fitted, and the picture is drawn, to whatever the file holds. `--most 30` ends with the
largest sizes that are affordable; `--learner sumu` measures Gadget, in its own environment.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from baselines import LEARNERS, Resources
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import gpnet
from gpnet import metrics

COLUMNS, DEGREES, FEW_ROWS = (10, 20, 30, 50, 100), (2, 4), 300
ROWS, FEW_COLUMNS = (1_000, 10_000, 100_000, 1_000_000), 10
N_PARALLEL = 20  # columns, where workers are compared
FIELDS = ("what", "learner", "n", "rows", "degree", "workers", "cpu", "wall", "megabytes", "shd")
KEYS = FIELDS[:6]


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("what", choices=("columns", "rows", "workers", "one"))
    given.add_argument("--out", type=Path, default=Path("scale"))
    given.add_argument("--most", type=int, default=10**9, help="columns or rows")
    given.add_argument("--learner", default="gpnet", choices=("gpnet", "sumu"))
    given.add_argument("--run", default="", help="of a process of its own")
    asked = given.parse_args()
    if asked.what == "one":
        print(json.dumps(measure(json.loads(asked.run))))
        return
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "scale.csv"
    for run in runs(asked.what, asked.learner):
        size = run["rows"] if asked.what == "rows" else run["n"]
        if size <= asked.most and not any(same(run, row) for row in rows_of(path)):
            add(path, run | in_a_process_of_its_own(run))
    show(rows_of(path))
    draw(rows_of(path), asked.out / "scale.png")


def runs(what: str, learner: str) -> list[dict[str, Any]]:
    """By their keys, smallest first."""
    base = {"what": what, "learner": learner, "rows": FEW_ROWS, "degree": 2, "workers": "1"}
    if what == "columns":
        return [base | {"n": n, "degree": d} for n in COLUMNS for d in DEGREES]
    if what == "rows":
        return [base | {"n": FEW_COLUMNS, "rows": n} for n in ROWS]
    return [base | {"n": N_PARALLEL, "workers": w} for w in ("1", "2", "local:1", "local:2")]


def measure(run: dict[str, Any]) -> dict[str, float]:
    """CPU seconds of this process and its children, seconds, peak memory and expected SHD."""
    n, share = run["n"], run["degree"] / (run["n"] - 1)
    table = gpnet.simulate(nodes=n, rows=run["rows"], edge_probability=share, seed=n)
    data = gpnet.load_table(table.frame())
    start, before = time.monotonic(), cpu()
    found = learnt(data, run)
    wall, spent = time.monotonic() - start, cpu() - before
    peak = max(resource.getrusage(who).ru_maxrss for who in WHO) / 1000
    shd = metrics.expected_counts(found.dags, found.weights, table.dag).shd
    return {"cpu": spent, "wall": wall, "megabytes": peak, "shd": shd}


WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def cpu() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in WHO)


def learnt(data: gpnet.Dataset, run: dict[str, Any]) -> gpnet.Posterior:
    if run["learner"] != "gpnet":
        return LEARNERS[run["learner"]]().fit(data, Resources(workers=1))
    if run["workers"].startswith("local"):
        return gpnet.learn(data, workers=1, cluster=run["workers"])
    return gpnet.learn(data, workers=int(run["workers"]))


def in_a_process_of_its_own(run: dict[str, Any]) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale", "one", "--run", json.dumps(run)]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=one_thread)  # noqa: S603
    return dict(json.loads(done.stdout))


def same(run: dict[str, Any], row: dict[str, str]) -> bool:
    return all(str(run[key]) == row[key] for key in KEYS)


def rows_of(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def add(path: Path, row: dict[str, Any]) -> None:
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        told = {key: f"{value:.4g}" for key, value in row.items() if isinstance(value, float)}
        writer.writerow(row | told)


def exponent(sizes: list[float], costs: list[float]) -> float:
    """Of cost = a size^b, by least squares of logarithms; nan for fewer than two sizes."""
    if len(set(sizes)) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def series(rows: list[dict[str, str]]) -> dict[tuple[str, str, str], list[dict[str, str]]]:
    """Runs that differ in their size alone: by what grows, learner and degree."""
    found: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in rows:
        if row["what"] != "workers":
            found.setdefault((row["what"], row["learner"], row["degree"]), []).append(row)
    return found


def size_of(row: dict[str, str]) -> float:
    return float(row["n" if row["what"] == "columns" else "rows"])


def show(rows: list[dict[str, str]]) -> None:
    table = Table(*FIELDS)
    for row in rows:
        table.add_row(*(row[key] for key in FIELDS))
    console = Console(width=110)
    console.print(table)
    for name, some in series(rows).items():
        sizes = [size_of(row) for row in some]
        grown = [exponent(sizes, [float(row[key]) for row in some]) for key in ("cpu", "megabytes")]
        console.print(*name, f"CPU grows as size^{grown[0]:.2f}, memory as size^{grown[1]:.2f}")


def draw(rows: list[dict[str, str]], path: Path) -> None:
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots(1, 2)
    for (what, learner, degree), some in series(rows).items():
        ax = axes[int(what == "rows")]
        sizes, costs = ([f(row) for row in some] for f in (size_of, lambda r: float(r["cpu"])))
        label = f"{learner}, degree {degree}: exponent {exponent(sizes, costs):.2f}"
        ax.loglog(sizes, costs, "o-", label=label)
    for ax, name in zip(axes, ("columns, 300 rows", f"rows, {FEW_COLUMNS} columns"), strict=True):
        ax.set(xlabel=name, ylabel="CPU seconds")
        if ax.lines:
            ax.legend(fontsize="small")
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main()
