"""All metrics of a sample at once."""

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag, Floats
from gpnet.posterior.metrics.checks import checked
from gpnet.posterior.metrics.distances import (
    expected_counts,
    expected_cpdag_counts,
    expected_skeleton_shd,
)
from gpnet.posterior.metrics.edge_scores import auroc, average_precision, log_loss
from gpnet.posterior.metrics.weighted import edge_probabilities, merged


def compare(
    dags: NDArray[np.bool_], weights: Floats, truth: Dag, identified: Dag | None = None
) -> dict[str, float]:
    """All metrics that need only a weighted sample of DAGs and the true DAG.

    Parameters
    ----------
    dags : array of bool, shape (m, n, n)
        The draws: dag[parent, child].
    weights : array, shape (m,)
        None negative; they sum to 1.
    truth : array of bool, shape (n, n)
        The true DAG.
    identified : array of bool, shape (n, n), optional
        As for `expected_cpdag_counts`.

    Returns
    -------
    dict of float
        eshd, etp, efp: the expected structural Hamming distance and the expected numbers of true
        and false positives; the same of CPDAGs with the suffix _cpdag; eshd_skeleton, without
        directions; auroc, average_precision and log_loss of the edge probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> found = metrics.compare(np.array([truth, truth.T]), np.array([0.75, 0.25]), truth)
    >>> found["eshd"], found["eshd_skeleton"], found["auroc"]
    (0.25, 0.0, 1.0)
    """
    dags, weights = merged(*checked(dags, weights, truth))
    edges = expected_counts(dags, weights, truth)
    marks = expected_cpdag_counts(dags, weights, truth, identified)
    probabilities = edge_probabilities(dags, weights)
    return {
        "eshd": edges.shd,
        "etp": edges.tp,
        "efp": edges.fp,
        "eshd_cpdag": marks.shd,
        "etp_cpdag": marks.tp,
        "efp_cpdag": marks.fp,
        "eshd_skeleton": expected_skeleton_shd(dags, weights, truth),
        "auroc": auroc(probabilities, truth),
        "average_precision": average_precision(probabilities, truth),
        "log_loss": log_loss(probabilities, truth),
    }
