"""The parent sets of draws, each scored as well as its share of them deserves.

An error of e nats in a set that a share s of the draws has moves this share by s (1 - s) e. So
what is drawn often is scored accurately, what is drawn now and then roughly, and what is hardly
ever drawn keeps the number of the table, moved by what the table errs on the others.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import IntEnum
from typing import Final

import numpy as np

from gpnet.common.types import Parents
from gpnet.gp.evidence import Evidence
from gpnet.graphs.distinct import distinct_rows
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.rescore import Family, Rescorer

MATTERS: Final = 0.05  # s (1 - s) from which on a set is scored accurately
RARE: Final = 0.005  # s below which the number of the table will do


def families(sample: DagSample) -> dict[Family, int]:
    """The parent sets of the draws, and in how many of them each is; the most frequent first."""
    found: dict[Family, int] = {}
    for node in range(sample.dags.shape[1]):
        first, place = distinct_rows(sample.dags[:, :, node])
        columns, counts = sample.dags[first, :, node], np.bincount(place)
        for column, count in zip(columns, counts.tolist(), strict=True):
            found[node, tuple(np.flatnonzero(column).tolist())] = count
    # A stable sort: ties stay in the order of nodes and sets, on every machine.
    return dict(sorted(found.items(), key=lambda one: -one[1]))


class Care(IntEnum):
    """How well a set is scored."""

    BY_TABLE = 1
    ROUGHLY = 2
    WELL = 3


def care_for(share: float) -> Care:
    """Of a set that this share of the draws has."""
    if share < RARE:
        return Care.BY_TABLE
    return Care.WELL if share * (1 - share) >= MATTERS else Care.ROUGHLY


class DrawnSets:
    """The evidence of what was drawn; without a rescorer, none is needed."""

    def __init__(self, rescorer: Rescorer | None) -> None:
        self._rescorer = rescorer
        self.known: dict[Family, Evidence] = {}
        self._care: dict[Family, Care] = {}  # with which each was scored

    def score(
        self, sample: DagSample, stage: str = "scoring what was drawn"
    ) -> dict[Family, Evidence]:
        """What was not known, or is known better now; what there was no time for is left out."""
        if self._rescorer is None:
            return {}
        n_draws = len(sample.dags)
        wanted = {family: care_for(n / n_draws) for family, n in families(sample).items()}
        new = {f: care for f, care in wanted.items() if care > self._care.get(f, 0)}
        well, roughly, rare = ([f for f, c in new.items() if c == care] for care in reversed(Care))
        found = self._rescorer.rescore(well, roughly=roughly, stage=stage)
        found |= self._of_rare(rare, found, stage)
        self._care |= {family: new[family] for family in found}
        self.known |= found
        return found

    def _of_rare(
        self, rare: list[Family], found: Mapping[Family, Evidence], stage: str
    ) -> dict[Family, Evidence]:
        """By the table, moved by what it errs on all that was scored otherwise."""
        if self._rescorer is None or not rare:
            return {}
        accurate = {f: self.known[f] for f, care in self._care.items() if care > Care.BY_TABLE}
        accurate |= found
        errors = TableErrors(accurate, self._rescorer.known_by_table(list(accurate)))
        by_table = self._rescorer.by_table(rare, stage=stage)
        return {family: errors.mended(family[1], by_table[family]) for family in by_table}


class TableErrors:
    """What log marginals of a table err by, for each parent that has a curve.

    Laplace's approximation is too low by some 0.1 to 0.2 nats a curve, and right for lines.
    """

    def __init__(
        self, accurate: Mapping[Family, Evidence], by_table: Mapping[Family, Evidence]
    ) -> None:
        curves = np.array([n_curves(f[1], e) for f, e in by_table.items()])
        errors = np.array([accurate[f].value - e.value for f, e in by_table.items()])
        total = float(curves.sum())
        self.each = float(errors.sum()) / total if total > 0 else 0.0
        spread = np.mean((errors - self.each * curves) ** 2) if len(errors) else 0.0
        self.std_error = float(np.sqrt(spread))

    def mended(self, parents: Parents, evidence: Evidence) -> Evidence:
        """The same with its value moved, and an error of the size that others had."""
        value = evidence.value + self.each * n_curves(parents, evidence)
        return replace(evidence, value=value, std_error=self.std_error)


def n_curves(parents: Parents, evidence: Evidence) -> float:
    """Parents that have a curve, on the average over lines and curves."""
    return len(parents) * (1.0 if np.isnan(evidence.linear) else 1.0 - evidence.linear)
