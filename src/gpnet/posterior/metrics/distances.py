"""Structural Hamming distances to a true DAG, and the counts behind them."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag, Floats
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior.metrics.checks import checked


@dataclass(frozen=True)
class Counts:
    """Expected numbers of edges; with E true ones, shd = fp + (E - tp).

    Parameters
    ----------
    shd : float
        The structural Hamming distance.
    tp : float
        True positives.
    fp : float
        False positives.

    Examples
    --------
    >>> from gpnet import metrics
    >>> metrics.Counts(shd=1.0, tp=2.5, fp=0.5).shd
    1.0
    """

    shd: float
    tp: float
    fp: float


def expected_counts(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> Counts:
    """Expected structural Hamming distance, true and false positives of DAGs.

    An edge of the truth in its direction is a true positive, an edge between nodes that are not
    adjacent in the truth a false positive. A reversed edge is half of each, so that it counts once
    in the distance.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child].
    weights : array, shape (m,)
        None negative; they sum to 1.
    truth : array of bool, shape (n, n)
        The true DAG.

    Returns
    -------
    Counts
        Means over the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> reversed_one = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> metrics.expected_counts(reversed_one[None], np.ones(1), truth)
    Counts(shd=1.0, tp=1.5, fp=0.5)
    """
    return _counts(*checked(dags, weights, truth), np.asarray(truth, dtype=bool))


def expected_cpdag_counts(
    dags: NDArray[np.bool_], weights: Floats, truth: Dag, identified: Dag | None = None
) -> Counts:
    """The same between CPDAGs, which stand for Markov equivalence classes.

    An edge that is directed in one CPDAG and undirected, or reversed, in the other is half a true
    and half a false positive.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child]. Their CPDAGs are taken here.
    weights : array, shape (m,)
        None negative; they sum to 1.
    truth : array of bool, shape (n, n)
        The true DAG.
    identified : array of bool, shape (n, n), optional
        Pairs whose direction experiments or knowledge tell (`Posterior.identified`): classes are
        then the interventional ones.

    Returns
    -------
    Counts
        Means over the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.expected_cpdag_counts(truth.T[None], np.ones(1), truth)  # Markov equivalent
    Counts(shd=0.0, tp=1.0, fp=0.0)
    """
    dags, weights = checked(dags, weights, truth)
    true_class = cpdag(np.asarray(truth, dtype=bool)[None], identified)[0]
    return _counts(cpdag(dags, identified), weights, true_class)


def expected_skeleton_shd(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> float:
    """The expected number of pairs that are adjacent in just one of draw and truth.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child].
    weights : array, shape (m,)
        None negative; they sum to 1.
    truth : array of bool, shape (n, n)
        The true DAG.

    Returns
    -------
    float
        The mean over the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> dags = np.array([truth.T, np.zeros((2, 2), dtype=bool)])
    >>> metrics.expected_skeleton_shd(dags, np.array([0.75, 0.25]), truth)
    0.25
    """
    dags, weights = checked(dags, weights, truth)
    truth = np.asarray(truth, dtype=bool)
    return _counts(dags | dags.swapaxes(1, 2), weights, truth | truth.T).shd


@dataclass(frozen=True)
class Rates:
    """Of one graph: true and false positives divided by the number of true edges.

    Parameters
    ----------
    tpr : float
        True positives / true edges.
    fprp : float
        False positives / true edges, which may exceed 1.

    Examples
    --------
    >>> from gpnet import metrics
    >>> metrics.Rates(tpr=0.75, fprp=0.25).tpr
    0.75
    """

    tpr: float
    fprp: float


def rates(dag: Dag, truth: Dag) -> Rates:
    """True and false positive rates of one DAG, counted as in `expected_counts`.

    Parameters
    ----------
    dag : array of bool, shape (n, n)
        dag[parent, child].
    truth : array of bool, shape (n, n)
        The true DAG.

    Returns
    -------
    Rates
        nan where the truth has no edges.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> metrics.rates(dag, truth)
    Rates(tpr=0.5, fprp=0.5)
    """
    return _rates(expected_counts(_alone(dag), np.ones(1), truth), truth)


def cpdag_rates(dag: Dag, truth: Dag) -> Rates:
    """True and false positive rates of one CPDAG, counted as in `expected_cpdag_counts`.

    Parameters
    ----------
    dag : array of bool, shape (n, n)
        A DAG, dag[parent, child]. Its CPDAG is taken here.
    truth : array of bool, shape (n, n)
        The true DAG.

    Returns
    -------
    Rates
        nan where the truth has no edges.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> metrics.cpdag_rates(truth.T, truth)  # Markov equivalent
    Rates(tpr=1.0, fprp=0.0)
    """
    return _rates(expected_cpdag_counts(_alone(dag), np.ones(1), truth), truth)


def _alone(dag: Dag) -> NDArray[np.bool_]:
    return np.asarray(dag, dtype=bool)[None]


def _rates(counts: Counts, truth: Dag) -> Rates:
    n_true = int(np.sum(truth))
    return Rates(counts.tp / n_true, counts.fp / n_true) if n_true else Rates(nan, nan)


def _counts(graphs: NDArray[np.bool_], weights: Floats, truth: Dag) -> Counts:
    i, j = np.triu_indices(len(truth), k=1)
    there, back = graphs[:, i, j], graphs[:, j, i]
    adjacent, truly = there | back, truth[i, j] | truth[j, i]
    same = (there == truth[i, j]) & (back == truth[j, i])
    tp = ((adjacent & truly & same).sum(axis=1) + (adjacent & truly).sum(axis=1)) / 2
    fp = adjacent.sum(axis=1) - tp
    etp, efp = float(weights @ tp), float(weights @ fp)
    return Counts(shd=efp + (int(truly.sum()) - etp), tp=etp, fp=efp)
