"""Prints one table: what was measured, its time, the opponent's time, the ratio.

``python -m benchmarks`` runs all, ``python -m benchmarks tables`` one room of it. Beside these,
``python -m benchmarks.modes`` and ``python -m benchmarks.calibration`` measure accuracy.
"""

import sys

from rich.console import Console
from rich.table import Table

from benchmarks import evidences, likelihoods, others, tables
from benchmarks.race import seconds

ROOMS = {"likelihoods": likelihoods, "others": others, "evidences": evidences, "tables": tables}


def main(rooms: list[str]) -> None:
    rows = Table("what", "seconds", "against", "seconds", "times faster")
    console = Console(width=120)
    for room in rooms or ROOMS:
        for race in ROOMS[room].races():
            with console.status(race.what):
                ours, theirs = seconds(race.run), seconds(race.opponent)
            rows.add_row(
                race.what, f"{ours:.2e}", race.against, f"{theirs:.2e}", f"{theirs / ours:.1f}"
            )
    console.print(rows)


main(sys.argv[1:])
