"""Metrics: how near a weighted sample of DAGs comes to a true DAG.

Everywhere: dags (m, n, n), weights (m,) that sum to 1, truth (n, n), all [parent, child].
Probabilities are of edges, (n, n) or several such (..., n, n); the diagonal is ignored.
"""

from gpnet.posterior.metrics.comparison import compare
from gpnet.posterior.metrics.distances import (
    Counts,
    Rates,
    cpdag_rates,
    expected_counts,
    expected_cpdag_counts,
    expected_skeleton_shd,
    rates,
)
from gpnet.posterior.metrics.divergence import reverse_kl
from gpnet.posterior.metrics.edge_scores import (
    auroc,
    average_precision,
    calibration,
    expected_calibration_error,
    log_loss,
)
from gpnet.posterior.metrics.weighted import edge_probabilities, merged

__all__ = [
    "Counts",
    "Rates",
    "auroc",
    "average_precision",
    "calibration",
    "compare",
    "cpdag_rates",
    "edge_probabilities",
    "expected_calibration_error",
    "expected_counts",
    "expected_cpdag_counts",
    "expected_skeleton_shd",
    "log_loss",
    "merged",
    "rates",
    "reverse_kl",
]
