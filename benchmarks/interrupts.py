"""Seconds from Ctrl-C to the end of `gpnet learn`, by stage: at most 2 on an idle machine.

    python -m benchmarks.interrupts            # some ten minutes
    python -m benchmarks.interrupts chains     # one case

Each case is interrupted some seconds into a stage, as the log tells it; then it is begun anew.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gpnet import simulate

MOST = 2.0  # seconds
PATIENCE = 600.0


@dataclass(frozen=True)
class Case:
    """A run, the stage to interrupt and how many seconds into it."""

    nodes: int
    rows: int
    options: str
    stage: str
    after: tuple[float, ...]


CASES = {
    "exact sums": Case(
        20, 100, "--sampler exact --score bge --space full", "drawing DAGs", (0.1, 1, 4, 10, 15)
    ),
    "growth": Case(60, 100, "", "choosing the search space", (0.1, 1, 3, 10, 30, 60)),
    "growth in closed form": Case(
        60, 200, "--score bge", "choosing the search space", (0.1, 1, 2, 4, 6, 8)
    ),
    "chains": Case(30, 200, "--score bge", "drawing DAGs", (0.1, 0.5, 2, 5, 10)),
    "curves": Case(8, 400, "--draws 2000", "fitting curves", (0.05, 0.2, 0.5, 1)),
    "bridge": Case(4, 200, "--evidence bridge --draws 500", "scoring what was drawn", (0.1, 1, 3)),
    "report": Case(30, 200, "--score bge", "writing the report", (0.0, 0.1, 0.3, 0.6)),
}


def main() -> None:
    for name in sys.argv[1:] or CASES:
        for after in CASES[name].after:
            load = os.getloadavg()[0]
            print(f"{name:22} {after:5} s into it: {seconds(CASES[name], after)}; load {load:.1f}")


def seconds(case: Case, after: float) -> str:
    with tempfile.TemporaryDirectory() as folder:
        simulate(nodes=case.nodes, rows=case.rows, edge_probability=0.1, seed=1).write(folder)
        run = Path(folder) / "run"
        arguments = [f"{folder}/data.csv", *case.options.split(), "--out", str(run)]
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "gpnet", "learn", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if not began(case.stage, run / "log.txt", process):
            return f"ended before, with {process.returncode}"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        code = process.wait(PATIENCE)
        taken = time.monotonic() - start
        told = "" if code == 130 else f" (exit code {code})"
        return f"{taken:.2f} s{told}" + " TOO LONG" * (taken > MOST)


def began(stage: str, log: Path, process: "subprocess.Popen[bytes]") -> bool:
    while process.poll() is None:
        if log.exists() and f" {stage}\n" in log.read_text():
            return True
        time.sleep(0.005)
    return False


if __name__ == "__main__":
    main()
