"""The court of real tables: what claims are worth, and what survives a second look.

Each row is one run without doubt. What doubt makes of it is known (`inference.orientation`), so
that the number it depends on can be fitted to these very rows.
"""

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import gpnet
from experiments import edges
from experiments.experiment import Key, Place, Row, Settings
from experiments.real_tables import known
from experiments.real_tables import report as told
from gpnet.common.types import Floats

RESAMPLED = {"halves": (0.5, False), "bootstraps": (1.0, True)}  # share of the rows, with copies


def keys(settings: Settings) -> list[Key]:
    """Table by table, so that the rows of an interrupted run can be compared."""
    listed = [one for one in known.names(settings["half"]) if one[0] in settings["collections"]]
    some = listed[:: settings["every"]]
    disturbed = [name for collection, name in some if collection == known.REFERENCE]
    disturbed = disturbed[: settings["disturbed"]]
    return [
        {"collection": collection, "name": name, "view": view, "candidate": candidate}
        for collection, name in some
        for view in _views(collection, disturbed=name in disturbed)
        for candidate in settings["candidates"]
    ]


def _views(collection: str, *, disturbed: bool) -> tuple[str, ...]:
    if collection not in (known.REFERENCE, known.TABLES):
        return (known.WHOLE,)
    return (known.WHOLE, *known.HALVES, *(known.DISTURBED if disturbed else ()))


def measure(key: Key, settings: Settings, place: Place) -> Row:
    name, view, candidate = key["name"], key["view"], settings["candidates"][key["candidate"]]
    cache = place.folder.parent / "downloads"
    cache.mkdir(exist_ok=True)
    table = known.known(key["collection"], name, settings["half"], cache)
    frame = known.seen(table.frame, view, name)
    options = {"seed": int(view == "other seed"), "workers": place.workers, **candidate}
    probabilities, errors = _learnt(frame, list(table.frame), **options)
    return {
        "weight": round(table.weight, 6),
        "tiers": " ".join(map(str, table.tiers)),
        "probabilities": edges.write(probabilities),
        "errors": edges.write(errors),
    }


def _learnt(
    frame: pd.DataFrame,
    names: list[str],
    *,
    resample: str = "",
    replicates: int = 0,
    logarithms: bool = False,
    seed: int,
    **options: Any,
) -> tuple[Floats, Floats]:
    """Probabilities of edges without doubt, and their errors; averaged over tables if asked."""
    if logarithms:
        options["transform"] = {name: "log" for name in names if (frame[name] > 0).all()}
    logging.getLogger("gpnet").setLevel(logging.ERROR)  # what is odd about known tables is known
    rng = np.random.default_rng(seed)
    frames = [_again(frame, resample, rng) for _ in range(replicates)] if resample else [frame]
    found = []
    for one in frames:
        run = gpnet.learn(one, doubt="off", curves=False, progress=False, seed=seed, **options)
        both = run.edge_probabilities(), run.edge_errors()
        found.append([matrix.loc[names, names].to_numpy() for matrix in both])
    probabilities, errors = np.mean(found, axis=0)
    return probabilities, errors


def _again(frame: pd.DataFrame, how: str, rng: np.random.Generator) -> pd.DataFrame:
    share, copies = RESAMPLED[how]
    n_rows = round(share * len(frame))
    rows = rng.choice(len(frame), n_rows, replace=copies)
    return frame.iloc[np.sort(rows)].reset_index(drop=True)


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[str]:
    yield told.claims_table(rows)
    yield told.again_table(rows)
    yield told.jumps_table(rows)
    yield told.kappa_table(rows)
