"""Stores whose bits have flipped: every score that is read back is right, or is missing.

The bits of trial number i are those of the seed (seed, i). A file may be refused, but in words.
"""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np

from gpnet.common.errors import StoreError
from gpnet.data.load import load_table
from gpnet.gp.evidence import Evidence
from gpnet.runtime.context import RunContext
from gpnet.runtime.store import Store
from gpnet.runtime.stored_row import Source
from gpnet.score_table.table import tabulate
from gpnet.scores import GpScore
from gpnet.search_spaces import SEARCH_SPACES
from gpnet.simulation.networks import simulate
from gpnet.structure_priors import UniformPrior

DATA = load_table(simulate(nodes=6, rows=40, seed=1).frame())
SPACE = SEARCH_SPACES["full"]().build(DATA, UniformPrior(), RunContext())
SCORE = GpScore().proposal()  # what is in closed form is not stored
SOURCE = Source(DATA.fingerprint, SCORE.fingerprint)
SETS = [list(SPACE.all_parent_sets(node)) for node in range(DATA.n_variables)]
Files: TypeAlias = dict[str, bytes]  # of a store, by what follows its name
Values: TypeAlias = dict[tuple[int, ...], float]  # by node and parents
FLIPS = (1, 2, 10, 100, 1000)  # bits, of some 50 kB


def run(n: int, seed: int) -> Counter[str]:
    """Damage n stores; how many were refused, begun anew, lost rows or stayed whole."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        kinds, truth = sound_stores(Path(folder))
        for trial in range(n):
            rng = np.random.default_rng((seed, trial))
            path = Path(folder) / f"damaged{trial}"
            write(path, damaged(kinds[rng.integers(len(kinds))], rng))
            counts[outcome(path, truth, f"seed {seed}, trial {trial}")] += 1
            for file in Path(folder).glob(f"{path.name}*"):
                file.unlink()
    return counts


def sound_stores(folder: Path) -> tuple[list[Files], Values]:
    """A store after it was closed, and as a kill leaves it; and its numbers."""
    with Store(folder / "whole") as store:
        tabulate(DATA, SPACE, SCORE, UniformPrior(), RunContext(store=store))
        store.flush()
        killed = {end: (folder / f"whole{end}").read_bytes() for end in ("", "-wal")}
        truth = values_of(store)
    return [{"": (folder / "whole").read_bytes()}, killed], truth


def damaged(files: Files, rng: np.random.Generator) -> Files:
    """The same files with some bits flipped."""
    content = {end: np.frombuffer(data, dtype=np.uint8).copy() for end, data in files.items()}
    for _ in range(int(rng.choice(FLIPS))):
        data = content[str(rng.choice(list(content)))]
        if len(data):
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return {end: data.tobytes() for end, data in content.items()}


def write(path: Path, files: Files) -> None:
    for end, data in files.items():
        Path(f"{path}{end}").write_bytes(data)


def outcome(path: Path, truth: Values, which: str) -> str:
    """What a run meets; it fails where a number is wrong, or stays away once it was put again."""
    try:
        found, damage = read(path, truth, which)
        if len(found) == len(truth):
            return "whole"
        put(path, truth)
        repaired, _ = read(path, truth, which)
    except StoreError:
        return "refused"
    if len(repaired) < len(truth):
        raise AssertionError(f"{which}: a row that was put again is not there")
    if any("anew" in text for text in damage):
        return "begun anew"
    return "rows damaged" if damage else "rows lost"


def read(path: Path, truth: Values, which: str) -> tuple[Values, tuple[str, ...]]:
    """What the store says, each number held against the truth, and what it says of itself."""
    with Store(path) as store:
        found = values_of(store)
        damage = store.damage
    for key, value in found.items():
        if value != truth[key]:
            raise AssertionError(f"{which}: {key} is {truth[key]}, and was read as {value}")
    return found, damage


def values_of(store: Store) -> Values:
    return {
        (node, *parents): evidence.value
        for node, sets in enumerate(SETS)
        for parents, evidence in store.get_many(SOURCE, node, sets).items()
    }


def put(path: Path, truth: Values) -> None:
    """All of them, as a run puts those that it had to compute."""
    with Store(path) as store:
        for node, sets in enumerate(SETS):
            scored = {parents: Evidence(truth[node, *parents], 0.0, "again") for parents in sets}
            store.put(SOURCE, node, scored)


if __name__ == "__main__":
    print(dict(run(int(sys.argv[1]), int(sys.argv[2]))))
