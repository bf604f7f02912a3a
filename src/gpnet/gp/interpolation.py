"""Whether two parents may explain a node next to without noise.

Rows that agree in the parents differ by noise alone. Where there are many and they hardly differ,
as in a resample of rows, functions through every row are a mode of their own, far from all others.
"""

from typing import Final

import numpy as np

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.fast import FastModel

ENOUGH: Final = 0.1  # of the rows, that repeat the parents of others
MUCH_LESS: Final = 0.5  # of the noise that one parent leaves
LEAST_NOISE: Final = 0.015
# Lengthscales that are tried, from half the smallest gap of a parent on.
SHORTEST_TRIED, LONGEST_TRIED, N_TRIED = 0.025, 0.6, 5


def interpolating_start(model: FastModel, node: Node, parents: Parents, noise: float) -> Floats:
    """(1, d) or (0, d): the best of a grid of short lengthscales with the noise of repeated rows.

    None where that is not much less than `noise`.
    """
    n_each = model.kernel.n_each
    least = noise_of_repeats(model, node, parents)
    if not least < MUCH_LESS * noise:
        return np.empty((0, 2 * n_each + 1))
    places = [_places(model.line(parent).smallest_gap) for parent in parents]
    grid = np.zeros((N_TRIED**2, 2 * n_each + 1))
    grid[:, 0], grid[:, n_each] = (column.ravel() for column in np.meshgrid(*places))
    grid[:, -1] = np.log(max(least, LEAST_NOISE))
    finer = model.reaching(float(np.exp(min(each[0] for each in places))), parents)
    values = finer.target(node, parents).values(grid)
    return grid[[values.argmax()]]


def noise_of_repeats(model: FastModel, node: Node, parents: Parents) -> float:
    """The standard deviation of a node among rows that agree in the parents; nan for few rows."""
    few = ENOUGH * len(model.values)
    lines = [model.line(parent) for parent in parents]
    if any(line.n_repeats < few for line in lines):  # nothing to compute in most tables
        return np.nan
    x = model.centred(node)
    first, second = (line.levels for line in lines)
    group = np.unique(first * (second.max() + 1) + second, return_inverse=True)[1]
    n_repeats = len(x) - 1 - int(group.max())
    if n_repeats < few:
        return np.nan
    within = x @ x - (np.bincount(group, weights=x) ** 2 / np.bincount(group)).sum()
    return float(np.sqrt(max(within, 0.0) / n_repeats))


def _places(gap: float) -> Floats:
    shortest = min(max(gap / 2, SHORTEST_TRIED), LONGEST_TRIED / 2)
    return np.linspace(np.log(shortest), np.log(LONGEST_TRIED), N_TRIED)
