"""What replicates of the table cost: `python -m benchmarks.bagging`.

CPU seconds of `learn` with its default of 100 replicates, and without, one after the other.
"""

from time import process_time

from rich.console import Console
from rich.table import Table

import gpnet
from benchmarks.reference import FOLDER
from gpnet.data.dataset import Dataset
from gpnet.scores.model_cache import MODELS

LAMBDAS = ("0", "0.5", "1")
SIMULATED = {f"n10, lambda {x}, run 1": f"simulated/n10/lambda{x}_run001.csv" for x in LAMBDAS}
N_WIDE = 30


def main() -> None:
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


if __name__ == "__main__":
    main()
