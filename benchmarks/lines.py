"""What a score that knows straight lines costs `gpnet.learn`, beside the paper's: `python -m
benchmarks.lines`.

In turns, as machines are noisy: the median of the ratios of CPU seconds, and the ratio of the
likelihoods that were evaluated, which has no noise.
"""

import sqlite3
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

import gpnet

TURNS = 5
TABLES = [(100, 1.0, 3), (100, 0.5, 4), (100, 0.0, 3), (100, 0.0, 5), (853, 1.0, 3)]


def main() -> None:
    rows = Table("rows", "lambda", "seconds, gp", "adaptive / gp", "from", "to", "evaluations")
    for n_rows, nonlinearity, seed in TABLES:
        frame = gpnet.simulate(nodes=10, rows=n_rows, nonlinearity=nonlinearity, seed=seed).frame()
        turns = np.array(
            [[learn(frame, score) for score in ("gp", "adaptive")] for _ in range(TURNS)]
        )
        ratios = turns[:, 1, 0] / turns[:, 0, 0]
        counts = turns[0, 1, 1] / turns[0, 0, 1]
        told = (np.median(turns[:, 0, 0]), np.median(ratios), ratios.min(), ratios.max(), counts)
        rows.add_row(str(n_rows), f"{nonlinearity:g}", *(f"{number:.2f}" for number in told))
    Console(width=100).print(rows)


def learn(frame: object, score: str) -> tuple[float, int]:
    """CPU seconds, and how many likelihoods were evaluated."""
    with TemporaryDirectory() as folder:
        store = Path(folder) / "scores.sqlite"
        start = time.process_time()
        gpnet.learn(frame, score=score, workers=1, store=store)
        seconds = time.process_time() - start
        with sqlite3.connect(store) as scores:
            (evaluations,) = scores.execute("SELECT sum(n_evaluations) FROM evidence").fetchone()
    return seconds, evaluations


main()
