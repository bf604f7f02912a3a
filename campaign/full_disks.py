"""Disks that are full after any number of bytes: an error in words, and a run that can go on.

No file may grow beyond a limit, which the system refuses as it does on a full disk.
"""

import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import gpnet


def run(n: int, seed: int) -> Counter[str]:
    """How runs end under n limits, from a few hundred bytes to a megabyte."""
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        gpnet.simulate(nodes=4, rows=50, seed=1).write(Path(folder) / "data")
        whole = learn(Path(folder), "whole", None)
        if whole.returncode:
            raise AssertionError(whole.stderr)
        for trial in range(n):
            limit = int(np.exp(rng.uniform(np.log(200), np.log(1_000_000))))
            counts[outcome(Path(folder), f"run{trial}", limit)] += 1
    return counts


def outcome(folder: Path, name: str, limit: int) -> str:
    """The disturbed run ends in words; with room again, it ends as the undisturbed one."""
    first = learn(folder, name, limit)
    if "Traceback" in first.stderr or first.returncode not in (0, 2):
        raise AssertionError(f"{limit} bytes: exit {first.returncode}\n{first.stderr}")
    again = learn(folder, name, None)
    same = [
        (folder / name / file).read_bytes() == (folder / "whole" / file).read_bytes()
        for file in ("posterior.npz", "edges.csv")
        if again.returncode == 0
    ]
    if same != [True, True]:
        raise AssertionError(f"{limit} bytes: {same}, exit {again.returncode}\n{again.stderr}")
    return "room enough" if first.returncode == 0 else "an error in words, then the same bytes"


def learn(folder: Path, name: str, limit: int | None) -> "subprocess.CompletedProcess[str]":
    def small_files() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    arguments = ["learn", folder / "data" / "data.csv", "--draws", "500", "--out", folder / name]
    return subprocess.run(
        [sys.executable, "-m", "gpnet", *map(str, arguments)],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]), int(sys.argv[2]))))
