"""Prints one table: what was measured, its time, the opponent's time, the ratio.

``python -m benchmarks`` runs all, ``python -m benchmarks tables`` one part of it. Beside these,
``python -m benchmarks.modes`` and ``python -m benchmarks.calibration`` measure accuracy, and
``python -m benchmarks.effects`` and ``python -m benchmarks.effects_against`` that of effects.
"""

import sys

from rich.console import Console
from rich.table import Table

from benchmarks import likelihoods, log_marginals, others, tables
from benchmarks.race import seconds

PARTS = {
    "likelihoods": likelihoods,
    "others": others,
    "log_marginals": log_marginals,
    "tables": tables,
}


def main(parts: list[str]) -> None:
    rows = Table("what", "seconds", "against", "seconds", "times faster")
    console = Console(width=120)
    for part in parts or PARTS:
        for race in PARTS[part].races():
            with console.status(race.what):
                ours, theirs = seconds(race.run), seconds(race.opponent)
            rows.add_row(
                race.what, f"{ours:.2e}", race.against, f"{theirs:.2e}", f"{theirs / ours:.1f}"
            )
    console.print(rows)


main(sys.argv[1:])
