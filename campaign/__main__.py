"""All that can go wrong, tried very often: ``python -m campaign [--minutes M] [--seed S]``.

Prints a table of tries and outcomes, as in docs/reliability.md. What fails is told, and does not
stop the rest; the exit code says whether anything did.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from campaign import (
    damaged_files,
    damaged_settings,
    damaged_stores,
    full_disks,
    fuzzed_tables,
    kills,
    memory,
)


@dataclass(frozen=True)
class Trial:
    """One kind of trouble: its share of the time, and how many tries make a round."""

    name: str
    run: Callable[[int, int], Counter[str]]
    share: float
    at_once: int


TRIALS = (
    Trial("odd tables, checked and learnt from", fuzzed_tables.run, 0.25, 100),
    Trial("kill -9 in every stage, 5 and 30 variables", kills.run, 0.30, 12),
    Trial("damaged posterior files, loaded and reported", damaged_files.run, 0.15, 500),
    Trial("damaged settings, resumed", damaged_settings.run, 0.05, 100),
    Trial("flipped bits in stores", damaged_stores.run, 0.05, 100),
    Trial("full disks", full_disks.run, 0.10, 5),
    Trial("memory over calls of learn", memory.run, 0.10, 1000),
)

ROUNDS = 100_000  # more than there are: no two seeds have a round in common


def main(minutes: float, seed: int) -> int:
    """The number of kinds that failed."""
    warnings.simplefilter("ignore")
    print("| trouble | tries | outcomes | failures |\n|---|---|---|---|", flush=True)
    n_failed = 0
    for trial in TRIALS:
        tries, outcomes, failure = repeat(trial, 60 * minutes * trial.share, seed)
        told = "; ".join(f"{name} {n:,}" for name, n in sorted(outcomes.items()))
        print(f"| {trial.name} | {tries:,} | {told} | {failure or 0} |", flush=True)
        n_failed += failure is not None
    return n_failed


def repeat(trial: Trial, seconds: float, seed: int) -> tuple[int, Counter[str], str | None]:
    """Rounds until the time is over, each with a seed of its own; stops at the first failure."""
    outcomes: Counter[str] = Counter()
    end, tries = time.monotonic() + seconds, 0
    for number in count():
        try:
            outcomes += trial.run(trial.at_once, ROUNDS * seed + number)
        except AssertionError as error:
            return tries, outcomes, f"in round {number}: {str(error).splitlines()[0]}"
        tries += trial.at_once
        if time.monotonic() > end:
            return tries, outcomes, None
    raise RuntimeError("unreachable")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    sys.exit(main(arguments.minutes, arguments.seed) > 0)
