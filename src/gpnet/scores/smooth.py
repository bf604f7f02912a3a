"""A few smooth functions of each parent's ranks, in closed form: to search with, not to report.

x = mu + sum over parents i and j = 1, ..., J of b_ij cos(pi j u_i) + noise, with x by its normal
scores and u_i the ranks of a parent, from 0 to 1; or straight lines in the parents' normal scores.
All coefficients are normal, with variances relative to that of the noise, which is inverse gamma:
the log marginal likelihood comes from one Cholesky factor of a few columns, in microseconds, and
sees relations of most shapes, whatever the distributions of the columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
LINEAR_WEIGHT: Final = 0.6  # prior probability of straight lines


@dataclass(frozen=True)
class SmoothScore(Score):
    """Lines or curves, by their prior odds; near enough to the GP scores to look for candidates."""

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
        lines, curves = MODELS.get(data, self, lambda: _models(data))
        found = np.logaddexp(
            log(LINEAR_WEIGHT) + lines.log_marginals(node, parent_sets),
            log(1 - LINEAR_WEIGHT) + curves.log_marginals(node, parent_sets),
        )
        return [Evidence(value, 0.0, "smooth", n_evaluations=1) for value in found.tolist()]


def _models(data: Dataset) -> tuple["_Conjugate", "_Conjugate"]:
    """Of lines and of curves; the rows go by in blocks, as their columns are many."""
    values = data.standardised()
    ranks = np.column_stack([relative_ranks(z) for z in values.T])
    levels = {v: np.unique(values[:, v]) for v in data.categorical}

    def of_lines(rows: slice, v: Node) -> Floats:
        return np.asarray(ndtri(ranks[rows, v]))[:, None]

    def of_curves(rows: slice, v: Node) -> Floats:
        return _waves(ranks[rows, v])

    models = []
    for columns_of in (of_lines, of_curves):
        model = _Conjugate(
            [
                len(levels[v]) if v in levels else columns_of(slice(1), v).shape[1]
                for v in range(data.n_variables)
            ]
        )
        for start in range(0, data.n_rows, BLOCK):
            rows = slice(start, start + BLOCK)
            blocks = [
                corners(values[rows, v], levels[v]) if v in levels else columns_of(rows, v)
                for v in range(data.n_variables)
            ]
            model.add(ndtri(ranks[rows]), blocks)
        models.append(model)
    return models[0], models[1]


def _waves(ranks: Floats) -> Floats:
    """(N, J), times the root of their variances."""
    return np.asarray(np.cos(pi * np.outer(ranks, np.arange(1, N_WAVES + 1))) * np.sqrt(VARIANCES))


class _Conjugate:
    """x = A w + noise, w ~ N(0, sigma^2 I), sigma^2 ~ inverse gamma, A the columns of parents."""

    def __init__(self, widths: Sequence[int]) -> None:
        ends = np.cumsum([1, *widths]).tolist()
        self._columns = [tuple(range(a, b)) for a, b in pairwise(ends)]
        self._n_rows = 0
        self._gram = np.eye(ends[-1])
        self._products = np.zeros((ends[-1], len(widths)))
        self._squares = np.full(len(widths), 2 * SHAPE)

    def add(self, responses: Floats, blocks: Sequence[Floats]) -> None:
        """More rows."""
        design = np.column_stack([np.ones(len(responses)), *blocks])
        self._n_rows += len(responses)
        self._gram += design.T @ design
        self._products += design.T @ responses
        self._squares += (responses**2).sum(axis=0)

    def log_marginals(self, node: Node, parent_sets: Sequence[Parents]) -> Floats:
        """(m,)."""
        found = np.empty(len(parent_sets))
        columns = [self._columns_of(parents) for parents in parent_sets]
        for places, some in by_size(columns):
            found[places] = self._of_columns(node, some)
        return found

    def _columns_of(self, parents: Parents) -> Parents:
        return (0, *(column for parent in parents for column in self._columns[parent]))

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
