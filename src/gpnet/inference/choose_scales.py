"""Which columns are learnt from by their ranks, where the transform is "auto".

A relation may hold between values as they are, or between values on another scale: y = exp(f(x) +
noise) is one. For a column v with density p(v) as a root, a fit to its normal scores T(v) gives

    log p(v | x) = log p(v) + [log p(T(v) | x) - log p(T(v))],

so that scales can be compared by what another column, on either scale, adds to the root. Scales are
chosen such that the sum over all columns of what the best other one adds is largest: both
directions of every relation count. Each column by ranks has to be worth MARGIN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.messages import count, quoted
from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.data.standardise import read_only
from gpnet.data.transforms import transform_of
from gpnet.gp.evidence import Evidence
from gpnet.inference.fit_relations import rows_shown
from gpnet.inference.pointwise_sums import PointwiseSums
from gpnet.runtime.context import Notes, RunContext
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.scores import Score
from gpnet.scores.model_cache import MODELS
from gpnet.scores.smooth import SmoothScore

MARGIN: Final = 5.0  # nats: the prior odds are exp(5) for the scale of the table
MOST_PARTNERS: Final = 6  # other columns that a column is fitted to: only the best one counts
RARE_SCALE: Final = 0.05  # share of replicates that a change of scale is worth scores of its own to
MAX_KEPT: Final = 18  # columns of which models are kept for the replicates: they may be large
MOST_ROWS: Final = 2**14  # that are looked at: what they do not tell is worth next to nothing


@dataclass(frozen=True, eq=False)
class Scales:
    """What columns add to each other on either scale."""

    given: Dataset  # the rows that were looked at
    evidence: Mapping[Family, Evidence]  # of columns and, from n on, their ranks
    families: Sequence[Family]  # with one parent

    def ranked(self) -> NDArray[np.bool_]:
        """(n,): the scales that fit best."""
        return best_scales(self._gains({f: one.value for f, one in self.evidence.items()}))

    def of_replicates(
        self, pointwise: PointwiseSums, least_share: float = RARE_SCALE
    ) -> NDArray[np.bool_]:
        """(B, n): the scales that fit best under weights of the rows.

        They are chosen anew for each replicate, so that no choice which a row decides settles the
        answer. Where few replicates differ in a column, none does.
        """
        chosen = self.ranked()
        changes = pointwise(self.given.beside_ranks(), self.evidence)
        if len(changes) < len(self.evidence):  # there was no time
            return np.tile(chosen, (pointwise.n_replicates, 1))
        values = {f: one.value + changes[f] for f, one in self.evidence.items()}
        each = [
            _climbed(chosen, self._gains({f: of[b] for f, of in values.items()}))
            for b in range(pointwise.n_replicates)
        ]
        found = np.stack(each)
        differ = (found != chosen).mean(axis=0)
        return np.where(differ < least_share, chosen, found)

    def _gains(self, values: Mapping[Family, float]) -> Floats:
        """(2, 2, n, n): what a parent adds to the log marginal likelihood of a child; or -inf.

        By the scales of parent and child, 1 for ranks, then by parent and child.
        """
        n = self.given.n_variables
        gains = np.full((2, 2, n, n), -np.inf)
        for child, parents in self.families:
            for parent in parents:
                gain = values[child, parents] - values[child, ()]
                gains[parent // n, child // n, parent % n, child % n] = gain
        return gains


def choose_scales(data: Dataset, scales: Scales | None, notes: Notes) -> Dataset:
    """The table as it is, or with some columns by ranks; told in the notes of the result."""
    chosen = [] if scales is None else np.flatnonzero(scales.ranked()).tolist()
    if not chosen:
        return data
    names = [data.names[v] for v in chosen]
    notes.add(
        f"{quoted(names)} {'is' if len(names) == 1 else 'are'} taken by ranks (normal scores): "
        f"{count(len(names), 'column')} of {data.n_variables} whose relations fit better so; "
        "transform 'none' takes the values as they are"
    )
    return data.by_ranks(names)


def compare_scales(data: Dataset, score: Score, context: RunContext) -> Scales | None:
    """None where there is nothing to choose: no column whose scale is open and not normal."""
    free = [v for v in range(data.n_variables) if _may_be_ranked(data, v)]
    if not free or not score.compares_scales or data.n_variables < 2:
        return None
    comparing = context.within("comparing scales")
    return _compared(_some_rows(data), score.proposal(), comparing)


def _may_be_ranked(data: Dataset, column: int) -> bool:
    """Where nobody said on which scale it is; of exogenous columns scores see what stands there."""
    return transform_of(data.transform, data.names[column]) == "auto"


def _some_rows(data: Dataset) -> Dataset:
    """So many as tell scales apart, always the same; all where a variable was set in some."""
    if data.n_rows <= MOST_ROWS or data.interventions is not None:
        return data
    rows = rows_shown(data.n_rows, MOST_ROWS)
    values = read_only(data.values[rows])
    if (values.min(axis=0) == values.max(axis=0)).any():  # what varies in a few rows alone
        return data
    gaps = None if data.gaps is None else data.gaps[rows]
    return data._with(values=values, gaps=gaps, measured=None)


def best_scales(gains: Floats) -> NDArray[np.bool_]:
    """(n,): which columns go by ranks, from gains (2, 2, n, n) as of `Scales`.

    What has no gain cannot be chosen.

    One column after the other is changed where that helps, from none on and from all on.
    """
    possible = np.asarray(np.isfinite(gains[:, 1]).any(axis=(0, 1)))
    ends = [_climbed(start, gains) for start in (possible & False, possible)]
    return max(ends, key=lambda ranked: _worth(ranked, gains))


def _climbed(ranked: NDArray[np.bool_], gains: Floats) -> NDArray[np.bool_]:
    worth = _worth(ranked, gains)
    while True:
        changed = [ranked ^ (np.arange(len(ranked)) == v) for v in range(len(ranked))]
        worths = [_worth(one, gains) for one in changed]
        best = int(np.argmax(worths))
        if not worths[best] > worth:
            return ranked
        ranked, worth = changed[best], worths[best]


def _worth(ranked: NDArray[np.bool_], gains: Floats) -> float:
    """The sum over columns of what the best parent adds, less what ranks cost."""
    scale = ranked.astype(np.intp)
    n = np.arange(len(ranked))
    chosen = gains[scale[:, None], scale[None, :], n[:, None], n[None, :]]
    return float(chosen.max(axis=0).sum()) - MARGIN * int(ranked.sum())


def _partners(data: Dataset) -> list[list[int]]:
    """Of each column the others, or those that tell most about it: as smooth functions of ranks."""
    n, quick = data.n_variables, SmoothScore()
    found = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        gains = [one.value for one in quick.log_marginals(data, v, [(u,) for u in others], {})]
        best = np.argsort(-np.array(gains), kind="stable")[:MOST_PARTNERS]
        found.append(sorted(others[i] for i in best.tolist()))
    return found


def _compared(data: Dataset, score: Score, context: RunContext) -> Scales | None:
    n, both = data.n_variables, data.beside_ranks()
    roots = _all_of(both, score, [(v, ()) for v in range(n)], context)
    # Normal scores of a column that is normal are the column itself.
    odd = [v for v in range(n) if roots[v, ()].shaped > 0.5 and _may_be_ranked(data, v)]
    if not odd:
        return None
    families = _families(_partners(data), odd)
    found = roots | _all_of(both, score, [*((n + v, ()) for v in odd), *families], context)
    if n > MAX_KEPT:
        MODELS.forget(both)
    return Scales(data, found, families)


def _all_of(
    data: Dataset, score: Score, families: Sequence[Family], context: RunContext
) -> dict[Family, Evidence]:
    found = Rescorer(data, score, context).rescore(families)
    if len(found) < len(families):
        context.check_deadline("some scales of columns were compared")
    return found


def _families(partners: Sequence[Sequence[int]], odd: Sequence[int]) -> list[Family]:
    """Columns with one parent; column v by ranks, if it is among the odd ones, is number n + v."""
    n = len(partners)
    return [
        (v + n * child, (j + n * parent,))
        for v, others in enumerate(partners)
        for child, parent, j in product((0, 1), (0, 1), others)
        if (v in odd or not child) and (j in odd or not parent)
    ]
