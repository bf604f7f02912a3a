"""Weighted samples of DAGs, reduced."""

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats
from gpnet.graphs.distinct import blocks, distinct


def merged(dags: NDArray[np.bool_], weights: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Unique DAGs, each with the total weight of its draws.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child].
    weights : array, shape (m,)
        The weight of each draw.

    Returns
    -------
    dags : array of bool, shape (k, n, n)
        The unique DAGs.
    weights : array, shape (k,)
        The total weight of each.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> one = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> dags, weights = metrics.merged(np.array([one, one.T, one]), np.array([0.5, 0.25, 0.25]))
    >>> len(dags), sorted(weights.tolist())
    (2, [0.25, 0.75])
    """
    different, place = distinct(dags)
    return different, np.bincount(place, weights, len(different)).astype(np.float64)


def edge_probabilities(dags: NDArray[np.bool_], weights: Floats) -> Floats:
    """The probability of each edge: the total weight of the DAGs that have it.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child].
    weights : array, shape (m,)
        The weight of each draw; the weights sum to 1.

    Returns
    -------
    array, shape (n, n)
        Rows are parents, columns are children.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> one = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.edge_probabilities(np.array([one, one.T]), np.array([0.75, 0.25])).tolist()
    [[0.0, 0.75], [0.25, 0.0]]
    """
    n = dags.shape[-1]
    total = np.zeros(n * n)
    for block in blocks(len(dags), n * n):
        total += weights[block] @ dags[block].reshape(-1, n * n)
    return total.reshape(n, n)
