"""`gpnet.learn` from end to end: what knowing straight lines costs beside the paper's score."""

from collections.abc import Iterator
from functools import partial

import gpnet
from benchmarks.race import Race

TABLES = {"10 x 100, curves": (100, 1.0), "10 x 100, lines": (100, 0.0), "10 x 853": (853, 1.0)}


def races() -> Iterator[Race]:
    for name, (rows, nonlinearity) in TABLES.items():
        table = gpnet.simulate(nodes=10, rows=rows, nonlinearity=nonlinearity, seed=3).frame()
        yield Race(
            f"learn, adaptive, {name}",
            partial(gpnet.learn, table, score="adaptive", workers=1),
            "gp",
            partial(gpnet.learn, table, score="gp", workers=1),
        )
