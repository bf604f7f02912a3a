"""As calibration, under the default score: each table with weak curves and without."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments.calibration import run as calibration
from experiments.experiment import Key, Place, Row, Settings

HALVES = {1: "to choose on", 0: "to confirm"}  # data sets of odd and of even number


def keys(settings: Settings) -> list[Key]:
    """Data set by data set, so that the rows of an interrupted run can be compared."""
    found = [
        key | {"weak_weight": weight}
        for key in calibration.keys(settings)
        for weight in settings["weak_weights"]
    ]
    return sorted(found, key=lambda key: key["dataset"])


def measure(key: Key, settings: Settings, place: Place) -> Row:
    options = settings["options"] | {"weak_weight": key["weak_weight"]}
    return calibration.measure(key, settings | {"options": options}, place)


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    yield from calibration.report(told_apart(rows), settings)


def told_apart(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of each half and weight under a name of their own, in the place of their scale."""
    halves = (rows["dataset"] % 2).map(HALVES)
    weights = rows["weak_weight"].map("weak {:g}".format)
    return rows.assign(scale=rows["scale"] + ", " + weights + ", " + halves)
