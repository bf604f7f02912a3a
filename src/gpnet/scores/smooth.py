"""A few smooth functions of each parent's ranks, in closed form: to search with, not to report.

x = mu + sum over parents i and j = 1, ..., J of b_ij cos(pi j u_i) + noise, with x by its normal
scores and u_i the ranks of a parent, from 0 to 1; or a straight line in the parent's normal scores,
if that alone explains x better. All coefficients are normal, with variances relative to that of the
noise, which is inverse gamma: the log marginal likelihood comes from a Cholesky factor of a few
columns, in microseconds, and sees relations of most shapes, whatever the distributions of the
columns. A parent that does nothing is a line: waves for each such parent would cost too much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from math import lgamma, log, pi
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.data.standardise import BLOCK
from gpnet.data.transforms import relative_ranks
from gpnet.gp.evidence import Evidence
from gpnet.gp.linear import corners
from gpnet.scores.base import Score, ScoreSettings, by_size
from gpnet.scores.model_cache import MODELS

N_WAVES: Final = 5  # J
VARIANCES: Final = 0.5 ** np.arange(N_WAVES)  # of b_ij, relative to that of the noise
SHAPE: Final = 0.5  # of the inverse gamma distribution of the noise variance, and its scale


@dataclass(frozen=True)
class SmoothScore(Score):
    """Near enough to the GP scores to look for candidates, and to predict what is left out."""

    closed_form: ClassVar[bool] = True

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes none."""
        return cls()

    @property
    def takes_levels(self) -> bool:
        """Each level has a number of its own."""
        return True

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Sets of one size together."""
        model: _Conjugate = MODELS.get(data, self, lambda: _model(data))
        found = model.log_marginals(node, parent_sets)
        return [Evidence(value, 0.0, "smooth", n_evaluations=1) for value in found.tolist()]


def _model(data: Dataset) -> "_Conjugate":
    """The rows go by in blocks, as their columns are many."""
    values, nodes = data.standardised(), range(data.n_variables)
    n_rows = data.n_rows
    # 2 N times a relative rank is a whole number: exact, in half the bytes.
    doubled = np.empty(values.shape, dtype=np.uint32)
    for v, z in enumerate(values.T):
        doubled[:, v] = np.rint(2 * n_rows * relative_ranks(z))
    levels = {v: np.unique(values[:, v]) for v in data.categorical}
    model = _Conjugate([len(levels[v]) if v in levels else 0 for v in nodes])
    for start in range(0, data.n_rows, BLOCK):
        rows = slice(start, start + BLOCK)
        ranks = doubled[rows] / (2 * n_rows)
        blocks = [
            corners(values[rows, v], levels[v]) if v in levels else _waves(ranks[:, v])
            for v in nodes
        ]
        model.add(ndtri(ranks), blocks)
    return model


def _waves(ranks: Floats) -> Floats:
    """(N, 1 + J): a line, and waves times the root of their variances."""
    waves = np.cos(pi * np.outer(ranks, np.arange(1, N_WAVES + 1))) * np.sqrt(VARIANCES)
    return np.column_stack([ndtri(ranks), waves])


class _Conjugate:
    """x = A w + noise, w ~ N(0, sigma^2 I), sigma^2 ~ inverse gamma, A the columns of parents."""

    def __init__(self, n_levels: Sequence[int]) -> None:
        ends = np.cumsum([1, *(k or 1 + N_WAVES for k in n_levels)]).tolist()
        all_of = [tuple(range(a, b)) for a, b in pairwise(ends)]
        both = list(zip(all_of, n_levels, strict=True))
        self._line = [columns if k else columns[:1] for columns, k in both]
        self._curve = [columns if k else columns[1:] for columns, k in both]
        self._n_rows = 0
        self._gram = np.eye(ends[-1])
        self._products = np.zeros((ends[-1], len(n_levels)))
        self._squares = np.full(len(n_levels), 2 * SHAPE)

    def add(self, responses: Floats, blocks: Sequence[Floats]) -> None:
        """More rows."""
        design = np.column_stack([np.ones(len(responses)), *blocks])
        self._n_rows += len(responses)
        self._gram += design.T @ design
        self._products += design.T @ responses
        self._squares += (responses**2).sum(axis=0)

    def log_marginals(self, node: Node, parent_sets: Sequence[Parents]) -> Floats:
        """(m,): each parent as it explains the node best by itself, or all of them curves."""
        own = self._own_columns[node]
        return np.logaddexp(
            log(0.5) + self._by_columns(node, parent_sets, own),
            log(0.5) + self._by_columns(node, parent_sets, self._curve),
        )

    @cached_property
    def _own_columns(self) -> list[list[Parents]]:
        """By node and parent: those of a line or of a curve."""
        found, singles = [], [(parent,) for parent in range(len(self._line))]
        for node in range(len(self._line)):
            lines = self._by_columns(node, singles, self._line)
            curves = self._by_columns(node, singles, self._curve)
            either = zip(self._line, self._curve, (curves > lines).tolist(), strict=True)
            found.append([curve if curved else line for line, curve, curved in either])
        return found

    def _by_columns(
        self, node: Node, parent_sets: Sequence[Parents], columns: Sequence[Parents]
    ) -> Floats:
        found = np.empty(len(parent_sets))
        sets = [(0, *chain.from_iterable(columns[one] for one in some)) for some in parent_sets]
        for places, some in by_size(sets):
            found[places] = self._of_columns(node, some)
        return found

    def _of_columns(self, node: Node, columns: NDArray[np.intp]) -> Floats:
        """(m,), of sets (m, k) of columns; the last pivot is what they leave of the response."""
        m, k = columns.shape
        joint = np.empty((m, k + 1, k + 1))
        joint[:, :k, :k] = self._gram[columns[:, :, None], columns[:, None, :]]
        joint[:, :k, k] = joint[:, k, :k] = self._products[columns, node]
        joint[:, k, k] = self._squares[node]
        pivots = np.log(np.diagonal(np.linalg.cholesky(joint), axis1=1, axis2=2))
        freedom = SHAPE + self._n_rows / 2
        constant = lgamma(freedom) - lgamma(SHAPE) + SHAPE * log(SHAPE)
        constant -= self._n_rows / 2 * log(2 * pi)
        left = 2 * pivots[:, -1] - log(2)
        return np.asarray(constant - freedom * left - pivots[:, :-1].sum(axis=1))
