"""Tables and pairs of known order, all in one form, and the ways in which each is looked at."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from experiments import reference
from experiments.real_tables import sources, tuebingen
from experiments.real_tables.sources import ROWS, Half

WHOLE, HALVES = "whole", ("first half", "second half")
REMOVED = ("row removed 1", "row removed 2", "row removed 3")
DISTURBED = (*REMOVED, "tiny noise", "noise column", "other seed", "columns reversed")
TINY = 1e-6  # standard deviations
REFERENCE, TABLES = "reference", "tables"
PAIRS, R_PAIRS, TUEBINGEN = "econometric pairs", "pairs of R packages", "Tuebingen pairs"
ODD, EVEN = range(1, len(tuebingen.WEIGHTS) + 1, 2), range(2, len(tuebingen.WEIGHTS) + 1, 2)


@dataclass(frozen=True, eq=False)
class Known:
    """A table and the tier of each of its columns; those of one source share a weight of 1."""

    frame: pd.DataFrame
    tiers: tuple[int, ...]
    weight: float


def names(half: Half) -> Iterator[tuple[str, str]]:
    """(collection, name) of all; pairs are there where the reference folder is."""
    for table in sources.tables(half):
        yield REFERENCE if table.subject == REFERENCE else TABLES, table.name
    yield from ((R_PAIRS, pair.name) for pair in sources.pairs(half))
    if half == "choose" and reference.present():
        yield from ((PAIRS, name) for name in _truth()["pair"])
    for number in ODD if half == "choose" else EVEN:
        yield TUEBINGEN, f"pair{number:03}"


def known(collection: str, name: str, half: Half, cache: Path) -> Known:
    """One of `names`."""
    if collection == PAIRS:
        return _econometric(name)
    if collection == TUEBINGEN:
        return _tuebingen(int(name.removeprefix("pair")))
    tables = sources.pairs(half) if collection == R_PAIRS else sources.tables(half)
    [table] = [one for one in tables if one.name == name]
    frame = table.frame(cache)
    tiers = tuple(table.tier[column] for column in frame.columns)
    return Known(frame, tiers, 1 / sum(one.study == table.study for one in tables))


def seen(frame: pd.DataFrame, view: str, name: str) -> pd.DataFrame:
    """The table as it is looked at; chance is drawn by its name."""
    rng = np.random.default_rng(list(f"{name} {view}".encode()))
    if view in HALVES:
        rows = np.random.default_rng(list(name.encode())).permutation(len(frame))
        mine = np.sort(rows[HALVES.index(view) :: 2])
        return frame.iloc[mine].reset_index(drop=True)
    if view in REMOVED:
        return frame.drop(index=int(rng.integers(len(frame)))).reset_index(drop=True)
    if view == "tiny noise":
        return frame + TINY * frame.std().to_numpy() * rng.standard_normal(frame.shape)
    if view == "noise column":
        return frame.assign(noise=rng.standard_normal(len(frame)))
    if view == "columns reversed":
        return frame.iloc[:, ::-1]
    return frame


def _truth() -> pd.DataFrame:
    return pd.read_csv(reference.FOLDER / "pairs3" / "truth.csv")


def _econometric(name: str) -> Known:
    truth = _truth().set_index("pair").loc[name]
    frame = pd.read_csv(reference.FOLDER / "pairs3" / f"{name}.csv")
    tiers = tuple(int(column != truth["cause"]) for column in frame.columns)
    return Known(frame.iloc[:ROWS], tiers, truth["weight"])


def _tuebingen(number: int) -> Known:
    found = tuebingen.pair(number, rows=ROWS, seed=0)
    frame = pd.DataFrame(found.values, columns=["V1", "V2"])
    tiers = (0, 1) if found.dag[0, 1] else (1, 0)
    return Known(frame, tiers, found.weight)
