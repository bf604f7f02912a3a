"""Reverse K-L divergence to the exact posterior, and the seconds from data to posterior."""

from collections.abc import Iterator

import pandas as pd
from baselines import LEARNERS, timed_fit
from rich.table import Table

from experiments import reference
from experiments.experiment import Key, Place, Row, Settings
from experiments.figure_3.run import distance, exact_table


def keys(settings: Settings) -> list[Key]:
    return [
        {"method": method, "size": size, "seed": seed}
        for method, sizes in settings["sizes"].items()
        for size in sizes
        for seed in settings["seeds"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    exact = exact_table(settings["target_error"])
    method = settings["methods"][key["method"]]
    options = method["options"] | {method["size"]: key["size"], "seed": key["seed"]}
    posterior, seconds = timed_fit(LEARNERS[method["learner"]](**options), reference.four_nodes())
    return {"seconds": seconds, "kl": float(f"{distance(posterior, exact):.6g}")}


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    table = Table("", "size", "seconds", "K-L divergence", title="means over seeds, four nodes")
    for (method, size), mine in rows.groupby(["method", "size"], sort=False):
        numbers = [f"{mine['seconds'].mean():.2f}", f"{mine['kl'].mean():.4f}"]
        table.add_row(str(method), f"{size:,}", *numbers)
    yield table
