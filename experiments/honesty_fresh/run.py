"""Every fresh pair, once: the default, the default without doubt, and gpnet as it was before."""

from collections.abc import Iterator

import pandas as pd
from scipy.stats import beta

from experiments.experiment import Key, Place, Row, Settings
from experiments.honesty import run as honesty
from experiments.honesty.tables import COVERED, bins_table, by_kind, interval, markdown, worth

SURE = "90"  # claims above 0.9


def keys(settings: Settings) -> list[Key]:
    return [
        {
            "kind": "fresh pairs",
            "nodes": 2,
            "rows": settings["rows"],
            "dataset": n,
            "candidate": one,
        }
        for n in range(1, settings["pairs"] + 1)
        if n % 2 or settings["kept"]
        for one in settings["candidates"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    return honesty.measure(key, settings, place)


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[str]:
    yield pairs_table(rows)
    yield bins_table(rows)


def pairs_table(rows: pd.DataFrame) -> str:
    """All pairs, and either half."""
    halves = {
        "all": rows,
        "odd": rows[rows["dataset"] % 2 == 1],
        "even": rows[rows["dataset"] % 2 == 0],
    }
    header = ["candidate", "pairs", "right", "weighted", "log loss", "weighted"]
    header += ["arrows above 0.9", "of these true"]
    lines = [
        [candidate, f"{half} ({len(mine)})", *_summary(mine)]
        for half, some in halves.items()
        for (_, candidate), mine in by_kind(some)
    ]
    caption = (
        f"Fresh pairs, {COVERED:.0%} intervals: of shares Jeffreys', of losses by bootstrap over "
        "pairs. weighted: pairs of one source share a weight of 1. A coin has 0.69."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


def _summary(rows: pd.DataFrame) -> list[str]:
    ones = pd.Series(1.0, index=rows.index)
    n, (_, true) = int(rows[f"claims_{SURE}"].sum()), worth(rows, SURE)
    return [
        share(rows["right"].sum(), len(rows)),
        f"{interval(rows['right'], rows['weight'])[0]:.2f}",
        *(_loss(rows["direction_loss"], weights) for weights in (ones, rows["weight"])),
        str(n),
        share(true * n, n) if n else "",
    ]


def _loss(values: pd.Series, weights: pd.Series) -> str:
    return "{:.2f} ({:.2f} to {:.2f})".format(*interval(values, weights))


def share(k: float, n: int) -> str:
    """With Jeffreys' interval, which holds the share itself."""
    low, high = beta.interval(COVERED, k + 0.5, n - k + 0.5)
    return f"{k / n:.2f} ({min(low, k / n):.2f} to {max(high, k / n):.2f})"
