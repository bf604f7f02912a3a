"""The reference data sets, for measures of accuracy; absent on most machines."""

import os
from pathlib import Path

import numpy as np

from gpnet import load_table
from gpnet.data.dataset import Dataset

FOLDER = Path(os.environ.get("GPNET_REFERENCE", Path(__file__).parents[2] / "shared/reference"))


def simulated(n_runs: int) -> list[Dataset]:
    """The first runs of each size and lambda."""
    found = []
    for size in ("n10", "n15"):
        for lam in ("0", "0.5", "1"):
            names = [f"lambda{lam}_run{run:03}.csv" for run in range(1, n_runs + 1)]
            found += [load_table(FOLDER / "simulated" / size / name) for name in names]
    return found


def sachs() -> Dataset:
    return load_table(FOLDER / "sachs_cd3cd28.csv", transform="log2")


def random_families(
    n_families: int, sizes: range, seed: int
) -> list[tuple[Dataset, int, tuple[int, ...]]]:
    """Nodes with parents, from all these data sets in turn."""
    rng = np.random.default_rng(seed)
    tables = [*simulated(4), sachs(), sachs(), sachs()]
    found = []
    for k in range(n_families):
        data = tables[k % len(tables)]
        node, *parents = rng.permutation(data.n_variables)[: 1 + sizes[k % len(sizes)]].tolist()
        found.append((data, node, tuple(sorted(parents))))
    return found
