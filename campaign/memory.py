"""Memory over very many calls of `gpnet.learn` in one process: what grows is what leaks."""

import gc
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np

import gpnet

WARM_UP: Final = 0.4  # of the calls, after which caches are full and the allocator has its pieces
# Bytes that a call may leave behind: a posterior of 200 draws has twice that, a model far more.
MOST_LEFT: Final = 10_000.0


def run(n: int, seed: int) -> Counter[str]:
    """n calls on tables that all differ, under several scores."""
    resident = [learn(call, seed) for call in range(n)]
    late = np.array(resident[int(WARM_UP * n) :], dtype=float)
    growth = float(np.polyfit(np.arange(len(late)), late, 1)[0])  # bytes a call
    if growth > MOST_LEFT:
        raise AssertionError(f"memory grows by {growth:.0f} bytes a call")
    return Counter({"calls": n, "bytes left by a call": max(0, round(growth))})


def learn(call: int, seed: int) -> int:
    """The resident set after one call."""
    table = gpnet.simulate(nodes=4, rows=50, seed=seed + call).frame()
    score = ("adaptive", "linear", "bge", "gp")[call % 4]
    gpnet.learn(table, score=score, evidence="laplace", draws=200, workers=2).summary()
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]), int(sys.argv[2]))))
