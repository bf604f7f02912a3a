"""What probabilities of edges are worth on tables of known order, and what moves them.

Everywhere probabilities (n, n) are [parent, child] and without doubt, unless a kappa is given.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments import edges
from experiments.real_tables.known import HALVES
from gpnet.common.types import Floats

ADJACENT = 0.8  # probability from which on the direction of a pair is judged
FARTHEST = 1e-3  # from 0 and 1, so far directions are kept
SURE = 0.8  # a claim above it is sure
STRONG, FOUND, GONE = 0.9, 0.5, 0.1  # in one half; then in the other


def matrices(rows: pd.DataFrame, column: str = "probabilities") -> list[Floats]:
    """Of each row."""
    return [edges.read(rows[column].iloc[[i]])[0] for i in range(len(rows))]


def with_doubt(probabilities: Floats, kappa: float) -> Floats:
    """Where nothing but the model tells directions."""
    adjacent = probabilities + probabilities.T
    return np.asarray((1 - kappa) * probabilities + kappa / 2 * adjacent)


@dataclass(frozen=True, eq=False)
class Ordered:
    """The pairs of columns of known order in tables: the claim for that order, and against it."""

    along: Floats
    against: Floats
    weight: Floats  # those of a table share that of the table

    @classmethod
    def of(cls, rows: pd.DataFrame, kappa: float = 0) -> "Ordered":
        found = [
            _ordered(with_doubt(p, kappa), tiers, weight)
            for p, tiers, weight in zip(
                matrices(rows), rows["tiers"].astype(str), rows["weight"], strict=True
            )
        ]
        columns = [np.concatenate(each) for each in zip(*found, strict=True)]
        return cls(*columns) if columns else cls(*np.empty((3, 0)))

    @property
    def claims(self) -> tuple[int, int, float]:
        """Sure arrows with the order and against it, and the mean of what they claim."""
        sure = np.concatenate([self.along[self.along > SURE], self.against[self.against > SURE]])
        n_along = int((self.along > SURE).sum())
        return n_along, len(sure) - n_along, float(sure.mean()) if len(sure) else float("nan")

    @property
    def directions(self) -> tuple[Floats, Floats]:
        """Of the adjacent pairs the probability of the known order, and their weights."""
        either = self.along + self.against
        adjacent = either > ADJACENT
        right = self.along[adjacent] / either[adjacent]
        return np.clip(right, FARTHEST, 1 - FARTHEST), self.weight[adjacent]


def _ordered(p: Floats, tiers: str, weight: float) -> tuple[Floats, Floats, Floats]:
    tier = np.array(tiers.split(), dtype=int)
    first, second = np.nonzero(tier[:, None] < tier)
    along, against = p[first, second], p[second, first]
    n_adjacent = max(1, int((along + against > ADJACENT).sum()))
    return along, against, np.full(len(along), weight / n_adjacent)


@dataclass(frozen=True)
class Again:
    """Of what is strong in one half of a table's rows, what the other half has; either way."""

    adjacencies: int
    found: int
    gone: int
    arrows: int
    same: int
    reversed: int


def again(rows: pd.DataFrame, kappa: float = 0) -> Again:
    """Over all tables of which both halves were learnt."""
    total = np.zeros(6, dtype=int)
    for one, other in _halves(rows, kappa):
        above = np.triu_indices(len(one), k=1)
        here, there = (one + one.T)[above], (other + other.T)[above]
        strong, arrows = here > STRONG, one > STRONG
        total += [
            strong.sum(),
            (there[strong] > FOUND).sum(),
            (there[strong] < GONE).sum(),
            arrows.sum(),
            (other[arrows] > FOUND).sum(),
            (other.T[arrows] > FOUND).sum(),
        ]
    return Again(*total.tolist())


def _halves(rows: pd.DataFrame, kappa: float) -> Iterator[tuple[Floats, Floats]]:
    some = rows[rows["view"].isin(HALVES)]
    for _, both in some.groupby("name", sort=False):
        if len(both) == len(HALVES):
            one, other = (with_doubt(p, kappa) for p in matrices(both.sort_values("view")))
            yield from ((one, other), (other, one))


def jumps(rows: pd.DataFrame, views: tuple[str, ...], kappa: float = 0) -> Floats:
    """The largest change of a probability of each table, in each of these views of it."""
    whole = rows[rows["view"] == "whole"].set_index("name")
    others = rows[rows["view"].isin(views)]
    return np.array(
        [
            np.abs(with_doubt(p, kappa) - with_doubt(matrices(whole.loc[[name]])[0], kappa)).max()
            for p, name in zip(matrices(others), others["name"], strict=True)
        ]
    )


def standardised_jumps(rows: pd.DataFrame, view: str) -> Floats:
    """Differences of all probabilities of edges by their stated errors, where these are not 0."""
    whole = rows[rows["view"] == "whole"].set_index("name")
    found = [np.empty(0)]
    for _, row in rows[rows["view"] == view].iterrows():
        one, other = whole.loc[[row["name"]]], row.to_frame().T
        change = matrices(other)[0] - matrices(one)[0]
        error = np.hypot(matrices(other, "errors")[0], matrices(one, "errors")[0])
        found.append(np.abs(change[error > 0]) / error[error > 0])
    return np.concatenate(found)
