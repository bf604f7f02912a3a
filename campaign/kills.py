"""kill -9 in every stage of `gpnet learn`: the run that is taken up ends in the same bytes.

Two tables: five variables, where everything is quick, and thirty, where chains draw.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

import gpnet

RESULT: Final = ("posterior.npz", "edges.csv", "summary.json")
STAGES: Final = (
    "choosing the search space",
    "scoring parent sets",
    "drawing DAGs",
    "scoring what was drawn",
    "fitting curves",
)
PATIENCE: Final = 600.0  # seconds
JOBS: Final = {
    5: ["--draws", "500", "--prior", "uniform", "--sampler", "partition", "--thin", "1500"],
    30: ["--score", "linear", "--draws", "400", "--thin", "4000"],
}


def run(n: int, seed: int) -> Counter[str]:
    """Kill n times, by turns of the two tables; a third of the runs are taken up after each."""
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        jobs = [Job(Path(folder), n_nodes) for n_nodes in JOBS]
        for trial in range(n):
            job = jobs[trial % len(jobs)]
            counts[f"killed while {job.kill(rng)}"] += 1
            if trial % 6 >= 4 or trial >= n - len(jobs):
                job.take_up(f"seed {seed}, kill {trial}")
                counts["taken up, same bytes"] += 1
    return counts


class Job:
    """A table, what is found undisturbed, and a run that is disturbed."""

    def __init__(self, folder: Path, n_nodes: int) -> None:
        self._data, self._run = folder / f"data{n_nodes}", folder / f"run{n_nodes}"
        simulation = gpnet.simulate(nodes=n_nodes, rows=60, edge_probability=2 / n_nodes, seed=2)
        simulation.write(self._data)
        self._options = JOBS[n_nodes]
        whole = folder / f"whole{n_nodes}"
        self._command(whole).wait()
        self._result = read(whole)

    def kill(self, rng: np.random.Generator) -> str:
        """At a random moment of a stage; the stage, or the end if that came first."""
        stage = str(rng.choice(STAGES))
        log = self._run / "log.txt"
        before = log.read_text() if log.exists() else ""
        with self._command(self._run) as process:
            end = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < end:
                if log.exists() and f" {stage}\n" in log.read_text().removeprefix(before):
                    time.sleep(rng.uniform(0, 0.3))
                    break
                time.sleep(0.005)
            process.kill()
            _, told = process.communicate(timeout=PATIENCE)
        if b"Traceback" in told:
            raise AssertionError(told.decode())
        return stage if process.returncode == -signal.SIGKILL else "nothing was left to do"

    def take_up(self, which: str) -> None:
        process = self._command(self._run)
        _, told = process.communicate(timeout=PATIENCE)
        if process.returncode not in (0, 3) or read(self._run) != self._result:
            raise AssertionError(f"{which}: not what an undisturbed run finds\n{told.decode()}")
        for entry in self._run.iterdir():  # and from nothing again
            entry.unlink()

    def _command(self, out: Path) -> "subprocess.Popen[bytes]":
        arguments = ["learn", self._data / "data.csv", *self._options, "--out", out]
        return subprocess.Popen(
            [sys.executable, "-m", "gpnet", *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )


def read(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in RESULT]


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]), int(sys.argv[2]))))
