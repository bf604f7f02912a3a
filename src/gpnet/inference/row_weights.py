"""Bayesian bootstrap weights of the rows, the same for a row whatever else is in the table.

Weights are Dirichlet(1, ..., 1) times the number of units (Rubin 1981): exponential draws, divided
by their mean. The draw of a row is made from a hash of its values, rounded coarsely. So a table
without one of its rows, or with noise in the last digits, has the same weights elsewhere: its
bagged posterior differs by what the row says, and not by chance.

Replicates come in pairs: where one has the exponential quantile of u, the other has that of 1 - u.
What goes up in one goes down in the other, so that pairs vary less than two replicates would.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset

MAX_UNITS: Final = 2**12  # of more rows some share a weight: enough for any variance
CELLS_PER_SD: Final = 64.0  # or so, to which values are rounded before they are hashed
OFFSET: Final = 0.2360679775  # of cells and of their size: round numbers are not at a border

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class RowWeights:
    """Of B replicates."""

    changes: Floats  # (B, U): weights less 1
    unit: NDArray[np.intp]  # (N,): of each row

    @property
    def n_replicates(self) -> int:
        """B."""
        return len(self.changes)

    def sums(self, rows: Floats) -> Floats:
        """(B,): of (weight - 1) times a number of each row (N,)."""
        n_units = self.changes.shape[1]
        return np.asarray(self.changes @ np.bincount(self.unit, weights=rows, minlength=n_units))


def row_weights(data: Dataset, n_replicates: int, seed: int) -> RowWeights:
    """The same for the same rows, in any order."""
    keys = _row_keys(data.values, data.names)
    if len(keys) > MAX_UNITS:
        unit = (keys % np.uint64(MAX_UNITS)).astype(np.intp)
        keys = np.arange(MAX_UNITS, dtype=np.uint64)
    else:
        unit = np.arange(len(keys))
    n_pairs = (n_replicates + 1) // 2
    salts = np.random.SeedSequence(seed).generate_state(n_pairs, np.uint64)
    u = (_mixed(keys ^ salts[:, None]) >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54
    draws = -np.log(np.stack([u, 1 - u], axis=1)).reshape(2 * n_pairs, -1)[:n_replicates]
    return RowWeights(draws / draws.mean(axis=1, keepdims=True) - 1, unit)


def _row_keys(values: Floats, names: tuple[str, ...]) -> Words:
    """(N,): equal for no two rows; copies of a row are numbered."""
    keys = np.zeros(len(values), dtype=np.uint64)
    for name, column in zip(names, values.T, strict=True):
        # A power of 16, which hardly ever changes with a row; and not where standard deviations
        # are 1, as they are of tables that were standardised.
        cell = 16.0 ** np.floor(np.log2(column.std()) / 4 + OFFSET) / CELLS_PER_SD
        place = np.floor(column / cell + OFFSET).astype(np.int64).view(np.uint64)
        salt = np.frombuffer(sha256(name.encode()).digest()[:8], dtype="<u8")[0]
        keys += _mixed(place ^ salt)  # the sum: columns may come in any order
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=keys[order[:1]] + np.uint64(1)))
    sizes = np.diff(first, append=len(keys))
    copy = np.empty(len(keys), dtype=np.uint64)
    copy[order] = np.arange(len(keys)) - np.repeat(first, sizes)
    return _mixed(keys + _mixed(copy))


def _mixed(words: Words) -> Words:
    """Steele, Lea & Flood (2014): splitmix64, whose bits look like chance."""
    with np.errstate(over="ignore"):
        z = words + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
