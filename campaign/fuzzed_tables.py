"""Tables of every odd kind through `check` and a short `learn`: an answer, or an error in words.

Table number i is that of the seed (seed, i).
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import pandas as pd

import gpnet
from gpnet.common.errors import GpnetError
from gpnet.data.load import check_table

Cell = Callable[[np.random.Generator, int], np.ndarray]

COLUMNS: Final[dict[str, Cell]] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "tiny": lambda rng, n: 1e-300 * rng.standard_normal(n),
    "huge": lambda rng, n: 1e300 * rng.standard_normal(n),
    "offset": lambda rng, n: 1e12 + rng.standard_normal(n),
    "constant": lambda rng, n: np.full(n, rng.standard_normal()),
    "two values": lambda rng, n: rng.integers(0, 2, n),
    "whole numbers": lambda rng, n: rng.integers(0, 9, n),
    "heavy": lambda rng, n: rng.standard_cauchy(n),
    "lognormal": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "repeated": lambda rng, n: rng.choice(rng.standard_normal(4), n),
    "outlier": lambda rng, n: np.append(rng.standard_normal(n - 1), 1e9),
    "missing": lambda rng, n: np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, np.inf, rng.standard_normal(n)),
    "text": lambda rng, n: rng.choice(["a", "b", "1.5", ""], n),
    "true and false": lambda rng, n: rng.random(n) < 0.5,
    "numbers as text": lambda rng, n: np.array([f"{x:.3g}" for x in rng.standard_normal(n)]),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 3, n),
    "dates": lambda rng, n: np.array([f"2026-11-{1 + d:02d}" for d in rng.integers(0, 28, n)]),
}
ODD_NAMES: Final = ("=1+1", "a b", "a->b", "", " ", "x\ny", "é", '"', "'", "<b>", "V1", "not", "~")
TRANSFORMS: Final = ("none", "log", "log2", "rank-normal")


def run(n: int, seed: int) -> Counter[str]:
    """How many were learnt from, and how many refused in words; anything else ends it."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for trial in range(n):
            rng = np.random.default_rng((seed, trial))
            try:
                counts[outcome(odd_table(rng), rng, Path(folder) / "table.csv")] += 1
            except GpnetError:
                counts["refused"] += 1
            except Exception as error:
                raise AssertionError(f"seed {seed}, table {trial}: {error!r}") from error
    return counts


def odd_table(rng: np.random.Generator) -> pd.DataFrame:
    """Up to five columns, most of them ordinary; some copied, some rows copied."""
    rows = int(rng.choice([0, 1, 5, 12, 20, 30, 45, 60]))
    kinds = [
        rng.choice(list(COLUMNS)) if rng.random() < 0.15 else "normal"
        for _ in range(int(rng.integers(1, 6)))
    ]
    columns = [COLUMNS[kind](rng, rows) if rows else np.empty(0) for kind in kinds]
    names = [f"c{i}" for i in range(len(kinds))]
    names = [str(rng.choice(ODD_NAMES)) if rng.random() < 0.1 else name for name in names]
    if rng.random() < 0.2:
        columns.append(columns[0])
        names.append("copy")
    table = pd.concat([pd.Series(column) for column in columns], axis=1)
    table.columns = pd.Index(names)
    if rows and rng.random() < 0.2:
        table = table.iloc[rng.integers(0, max(rows // 3, 1), rows)]
    return table


def outcome(table: pd.DataFrame, rng: np.random.Generator, path: Path) -> str:
    """From memory or through a file; every probability that comes out is one."""
    source: pd.DataFrame | Path = table
    if rng.random() < 0.5:
        table.to_csv(path, index=False)
        source = path
    issues = check_table(source)
    score = str(rng.choice(["adaptive", "linear", "gp", "bge"]))
    posterior = gpnet.learn(
        source,
        transform=str(rng.choice(TRANSFORMS)),
        score=score,
        evidence="laplace",
        draws=200,
        max_parents=2,
        workers=1,
    )
    edges = np.asarray(posterior.edge_probabilities())
    if not (np.isfinite(edges).all() and (edges >= 0).all() and (edges <= 1 + 1e-9).all()):
        raise AssertionError(f"no probabilities: {edges}")
    posterior.summary()
    return "learnt from, with issues" if issues else "learnt from"


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]), int(sys.argv[2]))))
