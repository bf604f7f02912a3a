"""What leaving out parent sets costs and saves: `python -m benchmarks.pruning`.

Of the paper's networks and Sachs' proteins, under the Laplace scores that tables are filled with:
the share of sets that is scored, CPU seconds of the table with and without, one after the other,
and the largest change of an exact edge probability.
"""

from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.reference import FOLDER
from gpnet.data.dataset import Dataset
from gpnet.data.load import load_table
from gpnet.inference.choose_scales import choose_scales, compare_scales
from gpnet.inference.plan import Plan, make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.context import Notes, RunContext
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores.model_cache import MODELS

RUNS = {
    f"n10, lambda {lam}, run {run}": (f"simulated/n10/lambda{lam}_run{run:03d}.csv", "auto")
    for lam in ("0", "0.5", "1")
    for run in (1, 2, 3)
} | {"Sachs": ("sachs_cd3cd28.csv", "log2")}


def main() -> None:
    rows = Table("table", "share scored", "CPU s", "without pruning", "largest change")
    for name, (path, transform) in RUNS.items():
        data = load_table(FOLDER / path, transform=transform)
        plan = make_plan(Settings(), data)
        data = choose_scales(data, compare_scales(data, plan.score, RunContext()), Notes())
        whole, slow = timed(data, plan, None)
        pruned, quick = timed(data, plan, plan.prune)
        before, after = (ExactSampler().marginals(table).edges for table in (whole, pruned))
        share = pruned.n_computed / whole.n_computed
        change = np.abs(before - after).max()
        rows.add_row(name, f"{share:.2f}", f"{quick:.1f}", f"{slow:.1f}", f"{change:.5f}")
    Console(width=100).print(rows)


def timed(data: Dataset, plan: Plan, prune: float | None) -> tuple[ScoreTable, float]:
    MODELS.forget(data)
    start = process_time()
    space = plan.space.build(data, plan.prior)
    table = tabulate(data, space, plan.score.proposal(), plan.prior, prune=prune)
    return table, process_time() - start


if __name__ == "__main__":
    main()
