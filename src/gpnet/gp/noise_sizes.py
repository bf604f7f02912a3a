"""Functions of the parents that the size of the noise may follow: exp(h), h a sum of such.

Of few rows each has its own. Of many, rows are gathered in cells of the parents' values, within
which h is taken as constant: so that cost and memory do not grow with the rows beyond one pass.
"""

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet import _core
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.transforms import normal_scores

MANY_ROWS: Final = 2**15
N_PLACES: Final = 81  # of the grid
N_FINE: Final = 256  # places of a parent, of many rows
MOST_CELLS: Final = 2**16  # of all parents together
SCORE_REACH: Final = 3.5  # of a parent's normal scores
SCALE_LENGTHSCALE, SCALE_SD = 1.5, 0.5  # of h, over a parent's normal scores
LEVEL_SD: Final = 0.3  # of the constant in h
SMALLEST: Final = 0.1  # eigenvalue, of the values of s or h on a grid, that is kept


class Sizes(ABC):
    """Of one table."""

    @abstractmethod
    def fit(self, residuals: Floats, parents: Parents) -> tuple[float, Floats]:
        """The log ratio to noise of one size, and h of each row; empty where it cannot matter."""

    @staticmethod
    def of(values: Floats, categorical: frozenset[Node]) -> "Sizes":
        """Of a standardised table (N, n), some columns of which hold levels."""
        if len(values) > MANY_ROWS:
            return SizesByCell(values, categorical)
        return SizesByRow(values, categorical)


class SizesByRow(Sizes):
    """Columns (N, k) of each variable, whose sum with weights from N(0, 1) is a draw of h."""

    def __init__(self, values: Floats, categorical: frozenset[Node]) -> None:
        self._n_rows = len(values)
        self._columns = [
            _level_columns(x) if j in categorical else _scale_columns(x)
            for j, x in enumerate(values.T)
        ]

    def fit(self, residuals: Floats, parents: Parents) -> tuple[float, Floats]:
        """All rows."""
        return _core.varying_scale(residuals, self.design(parents))

    def design(self, parents: Parents) -> Floats:
        """(N, K): a constant, and the columns of each parent."""
        level = np.full((self._n_rows, 1), LEVEL_SD)
        return np.hstack([level, *(self._columns[parent] for parent in parents)])


class SizesByCell(Sizes):
    """The place of each row among those of each variable, in a byte."""

    def __init__(self, values: Floats, categorical: frozenset[Node]) -> None:
        self._places: list[NDArray[np.uint8]] = []
        self._functions: list[Floats] = []  # (places, k): the columns at each place
        self._levels = categorical
        for j, x in enumerate(values.T):
            place, functions = _level_places(x) if j in categorical else _score_places(x)
            self._places.append(place)
            self._functions.append(functions)

    def fit(self, residuals: Floats, parents: Parents) -> tuple[float, Floats]:
        """Of each cell that has rows, their number and the sum of their squares."""
        cell, design = self._cells(parents)
        counts = np.bincount(cell, minlength=len(design)).astype(float)
        squares = np.bincount(cell, weights=residuals**2, minlength=len(design))
        found = np.flatnonzero(counts)
        ratio, log_sd = _core.varying_scale(np.sqrt(squares[found]), design[found], counts[found])
        if not len(log_sd):
            return ratio, log_sd
        every = np.zeros(len(design))
        every[found] = log_sd
        return ratio, every[cell]

    def _cells(self, parents: Parents) -> tuple[NDArray[np.int32], Floats]:
        """(N,): each row's cell; (cells, K): the design of each."""
        cell = np.zeros(len(self._places[0]), dtype=np.int32)
        design = np.full((1, 1), LEVEL_SD)
        coarse = self._n_coarse(parents)
        for parent in parents:
            functions, place = self._functions[parent], self._places[parent]
            if parent not in self._levels:
                # The average over the fine places that each coarse one is made of.
                group = np.arange(N_FINE) * coarse // N_FINE
                sizes = np.bincount(group)[:, None]
                functions = (
                    np.add.reduceat(functions, np.searchsorted(group, range(coarse))) / sizes
                )
                place = group.astype(np.uint8)[place]
            cell = cell * np.int32(len(functions)) + place
            each = np.repeat(design, len(functions), axis=0)
            design = np.hstack([each, np.tile(functions, (len(design), 1))])
        return cell, design

    def _n_coarse(self, parents: Parents) -> int:
        """Places of each parent that is not of levels."""
        n_levels = [len(self._functions[j]) for j in parents if j in self._levels]
        n_others = len(parents) - len(n_levels)
        left = max(MOST_CELLS / float(np.prod(n_levels)), 1.0)
        return max(2, min(N_FINE, int(left ** (1 / n_others) + 1e-9))) if n_others else 1


def smooth_root(grid: Floats, lengthscale: float, sd: float) -> Floats:
    """R (G, K) with R R' the covariance of a smooth Gaussian process on the grid."""
    gram = sd**2 * np.exp(-(((grid[:, None] - grid) / lengthscale) ** 2) / 2)
    eigenvalues, vectors = np.linalg.eigh(gram)
    kept = eigenvalues > SMALLEST
    return np.asarray(vectors[:, kept] * np.sqrt(eigenvalues[kept]))


def _at_scores(scores: Floats) -> Floats:
    """(N, k): functions of normal scores."""
    grid = np.linspace(-SCORE_REACH, SCORE_REACH, N_PLACES)
    root = smooth_root(grid, SCALE_LENGTHSCALE, SCALE_SD)
    return np.column_stack([np.interp(scores, grid, column) for column in root.T])


def _scale_columns(x: Floats) -> Floats:
    return _at_scores(normal_scores(x))


def _score_places(x: Floats) -> tuple[NDArray[np.uint8], Floats]:
    width = 2 * SCORE_REACH / N_FINE
    place = np.floor((normal_scores(x) + SCORE_REACH) / width)
    centres = np.asarray(-SCORE_REACH + width * (np.arange(N_FINE) + 0.5), dtype=float)
    return np.clip(place, 0, N_FINE - 1).astype(np.uint8), _at_scores(centres)


def _level_columns(x: Floats) -> Floats:
    """(N, K): of a column of K levels, each with a size of its own."""
    return np.where(x[:, None] == np.unique(x), SCALE_SD, 0.0)


def _level_places(x: Floats) -> tuple[NDArray[np.uint8], Floats]:
    levels, place = np.unique(x, return_inverse=True)
    return place.reshape(-1).astype(np.uint8), SCALE_SD * np.eye(len(levels))
