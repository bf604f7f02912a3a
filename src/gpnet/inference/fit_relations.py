"""Curves of the relations that matter, fitted when a run ends."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.data.sampled_rows import sampled_rows
from gpnet.gp.curves import Curves, Places
from gpnet.gp.evidence import Evidence
from gpnet.graphs.distinct import distinct_rows
from gpnet.posterior.relations import FittedRelations
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Countdown
from gpnet.score_table.rescore import Family
from gpnet.scores import CurveRequest, Score

LEAST_PROBABILITY: Final = 0.05  # of an edge that is worth a curve
N_SHOWN: Final = 400  # rows, at most
N_EVEN: Final = 40  # values of a parent over its range, for gaps and far ends
N_QUANTILES: Final = 24  # and where the rows are


def rows_shown(n_rows: int, most: int = N_SHOWN) -> NDArray[np.intp]:
    """The same rows for all that is shown or tested, and whatever the seed."""
    return sampled_rows(n_rows, most)


def relations_to_fit(dags: NDArray[np.bool_], weights: Floats) -> list[Family]:
    """For each edge of some probability the most probable parents of its child that hold it.

    By child and parent; each set once. `dags` is (M, n, n), `weights` (M,) sum to 1.
    """
    found: dict[Family, None] = {}
    probability = np.tensordot(weights, dags, 1)
    for node in range(dags.shape[1]):
        first, place = distinct_rows(dags[:, :, node])
        sets, share = dags[first, :, node], np.bincount(place, weights=weights)
        for parent in np.flatnonzero(probability[:, node] >= LEAST_PROBABILITY):
            best = sets[np.argmax(np.where(sets[:, parent], share, -1.0))]
            found[node, tuple(np.flatnonzero(best).tolist())] = None
    return list(found)


def fit_curves(score: Score, request: CurveRequest) -> Curves | None:
    """What a worker does, wherever it is."""
    return score.curves(request)


@dataclass(frozen=True)
class Fitter:
    """Fits relations; hints for a node and its parents save time."""

    data: Dataset
    score: Score
    hints: Callable[[Node, Parents], Mapping[Parents, Evidence]] = lambda *_: {}
    known: Mapping[Family, Evidence] = field(default_factory=dict)  # the score's own evidence
    context: RunContext = field(default_factory=RunContext)

    def fit(self, families: Sequence[Family]) -> FittedRelations:
        """Those that there was time for, in the order given."""
        n_by_size = np.bincount([len(parents) for _, parents in families], minlength=1)
        countdown = Countdown(n_by_size.tolist(), self.context.progress("fitting curves"))
        fitted: dict[Family, Curves] = {}

        def submit(family: Family) -> "Future[Curves | None]":
            return self.context.scorers.submit(fit_curves, self.score, self._request(family))

        def keep(family: Family, curves: Curves | None) -> None:
            if curves is not None:
                fitted[family] = curves
                countdown.advance(len(family[1]), 1, computed=True)

        # One BLAS thread: faster on matrices this small, and the same bits on every machine.
        with threadpool_limits(1):
            self.context.scorers.in_order(families, submit, keep, self.context.deadline)
        return self._in_units(fitted)

    def _request(self, family: Family) -> CurveRequest:
        node, parents = family
        rows = self._place_among_counting(node)[self._counts(node)]
        places = Places(self._standard(grid_of(self.data, parents), parents), rows)
        hints = dict(self.hints(node, parents))
        if family in self.known:
            hints[parents] = self.known[family]
        return CurveRequest(self.data, node, parents, places, hints)

    def _standard(self, grid: Floats, parents: Parents) -> Floats:
        each = zip(parents, grid, strict=True)
        return np.array([self.data.to_standard(parent, values) for parent, values in each])

    def _shown(self) -> NDArray[np.intp]:
        return rows_shown(self.data.n_rows)

    def _counts(self, node: Node) -> NDArray[np.bool_]:
        """(P,): which of the rows that are shown count for a node."""
        shown, were_set = self._shown(), self.data.interventions
        return np.ones(len(shown), dtype=bool) if were_set is None else ~were_set[shown, node]

    def _place_among_counting(self, node: Node) -> NDArray[np.intp]:
        """(P,): the numbers of the rows that are shown, among those that count for a node."""
        were_set = self.data.interventions
        return (
            self._shown()
            if were_set is None
            else (np.cumsum(~were_set[:, node]) - 1)[self._shown()]
        )

    def _in_units(self, fitted: Mapping[Family, Curves]) -> FittedRelations:
        """All of them, back from the standardised table."""
        shown = self.data.values[self._shown()]
        parents = np.zeros((len(fitted), self.data.n_variables), dtype=bool)
        g = N_EVEN + N_QUANTILES
        widths = {"x": g, "mean": g, "low": g, "high": g, "residual": len(shown)}
        blocks = {name: [np.empty((0, width))] for name, width in widths.items()}
        for row, ((node, these), curves) in enumerate(fitted.items()):
            parents[row, list(these)] = True
            for name, block in self._one_in_units(node, these, curves, shown).items():
                blocks[name].append(block)
        fit, parent = (index.astype(np.int32) for index in np.nonzero(parents))
        nodes = np.array([node for node, _ in fitted], dtype=np.int32)
        arrays = {name: np.concatenate(some) for name, some in blocks.items()}
        return FittedRelations(nodes, parents, fit, parent, shown=shown, **arrays)

    def _one_in_units(
        self, node: Node, parents: Parents, curves: Curves, shown: Floats
    ) -> dict[str, Floats]:
        """(p, G), and the residuals (p, P)."""
        low, high = curves.band()
        others = np.full((len(parents), len(shown)), np.nan)
        others[:, self._counts(node)] = curves.parts.sum(axis=0) - curves.parts
        values = self.data.to_standard(node, shown[:, node])
        standard = {
            "mean": curves.level + curves.expected(),
            "low": curves.level + low,
            "high": curves.level + high,
            "residual": values - others,
        }
        in_units = {name: self.data.to_units(node, block) for name, block in standard.items()}
        return {"x": grid_of(self.data, parents), **in_units}


def grid_of(data: Dataset, parents: Parents) -> Floats:
    """(p, G): values of each parent in ascending order, in the units of the table."""
    values = data.values[:, parents]
    even = np.linspace(values.min(axis=0), values.max(axis=0), N_EVEN)
    quantiles = np.quantile(values, (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES, axis=0)
    grid = np.sort(np.vstack([even, quantiles]), axis=0).T
    for row, parent in zip(grid, parents, strict=True):
        if parent in data.categorical:  # there is nothing between levels
            row[:] = _each_level(data.values[:, parent], len(row))
    return grid


def _each_level(values: Floats, n: int) -> Floats:
    """(n,): the levels in order, each about as often as the others."""
    levels = np.unique(values)
    return levels[np.arange(n) * len(levels) // n]
