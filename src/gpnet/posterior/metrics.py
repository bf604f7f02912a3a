"""How near a weighted sample of DAGs comes to a true DAG.

Everywhere: dags (m, n, n), weights (m,) that sum to 1, truth (n, n), all [parent, child].
Probabilities are of edges, (n, n) or several such (..., n, n); their diagonal has no part.
"""

from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import rankdata

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Dag, Floats
from gpnet.graphs.cycles import directed_cycle
from gpnet.graphs.distinct import blocks, distinct
from gpnet.graphs.equivalence import cpdag

ROUNDING: Final = 1e-6  # that weights may miss a sum of 1 by
# An edge that was never drawn is rare, not impossible: it may not make the loss infinite.
RAREST: Final = 1e-6


def compare(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> dict[str, float]:
    """All of the metrics below that need nothing but a sample and the truth, by their names."""
    dags, weights = merged(*_checked(dags, weights, truth))
    edges = expected_counts(dags, weights, truth)
    marks = expected_cpdag_counts(dags, weights, truth)
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


def merged(dags: NDArray[np.bool_], weights: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """The different DAGs, and what all draws of each weigh together."""
    different, place = distinct(dags)
    return different, np.bincount(place, weights, len(different)).astype(np.float64)


def edge_probabilities(dags: NDArray[np.bool_], weights: Floats) -> Floats:
    """(n, n): what the DAGs with each edge weigh together."""
    n = dags.shape[-1]
    total = np.zeros(n * n)
    for block in blocks(len(dags), n * n):
        total += weights[block] @ dags[block].reshape(-1, n * n)
    return total.reshape(n, n)


# Distances


@dataclass(frozen=True)
class Counts:
    """Expected numbers of edges; with E true ones, shd = fp + (E - tp)."""

    shd: float
    tp: float
    fp: float


def expected_counts(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> Counts:
    """A right edge is a true positive, one between two that are not adjacent a false positive.

    One in the wrong direction is half of each, so that it counts once in the SHD.
    """
    return _counts(*_checked(dags, weights, truth), np.asarray(truth, dtype=bool))


def expected_cpdag_counts(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> Counts:
    """The same between CPDAGs: half of each where two are adjacent and the marks differ."""
    dags, weights = _checked(dags, weights, truth)
    return _counts(cpdag(dags), weights, cpdag(np.asarray(truth, dtype=bool)[None])[0])


def expected_skeleton_shd(dags: NDArray[np.bool_], weights: Floats, truth: Dag) -> float:
    """In how many pairs it differs whether they are adjacent."""
    dags, weights = _checked(dags, weights, truth)
    truth = np.asarray(truth, dtype=bool)
    return _counts(dags | dags.swapaxes(1, 2), weights, truth | truth.T).shd


@dataclass(frozen=True)
class Rates:
    """Of one graph, by the number of true edges E: tp / E, and fp / E, which may exceed 1."""

    tpr: float
    fprp: float


def rates(dag: Dag, truth: Dag) -> Rates:
    """Counted as in `expected_counts`; nan where there are no true edges."""
    return _rates(expected_counts(_alone(dag), np.ones(1), truth), truth)


def cpdag_rates(dag: Dag, truth: Dag) -> Rates:
    """Counted as in `expected_cpdag_counts`."""
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


# Probabilities of edges


def auroc(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """How often an edge has a higher probability than a pair without; ties count half.

    Over all ordered pairs; nan where either there are no edges or nothing else.
    """
    p, is_edge = _pairs(probabilities, truth)
    n_edges, n_others = int(is_edge.sum()), int((~is_edge).sum())
    if not n_edges or not n_others:
        return float("nan")
    wins = rankdata(p)[is_edge].sum() - n_edges * (n_edges + 1) / 2
    return float(wins / (n_edges * n_others))


def average_precision(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean over edges of the share of edges among all pairs as probable as it or more.

    nan where there are no edges.
    """
    p, is_edge = _pairs(probabilities, truth)
    if not is_edge.any():
        return float("nan")
    everyone, edges = np.sort(p), np.sort(p[is_edge])
    n_pairs = len(everyone) - np.searchsorted(everyone, edges)
    n_edges = len(edges) - np.searchsorted(edges, edges)
    return float(np.mean(n_edges / n_pairs))


def log_loss(probabilities: Floats, truth: NDArray[np.bool_]) -> float:
    """The mean over ordered pairs of -log of the probability given to what is true.

    Probabilities stay 1e-6 away from 0 and 1.
    """
    p, is_edge = _pairs(probabilities, truth)
    right = np.where(is_edge, p, 1 - p)
    return float(-np.log(np.clip(right, RAREST, 1 - RAREST)).mean()) if len(p) else float("nan")


def calibration(probabilities: Floats, truth: NDArray[np.bool_], bins: int = 10) -> pd.DataFrame:
    """What was claimed and what came true, where the claims lie in equal bins of [0, 1].

    Columns: `low` and `high` of the bin, `claimed` its mean probability, `true` the share of
    edges, `count` its ordered pairs; bins without any are left out.
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise OptionError(f"bins: a whole number of 1 or more, found {quote(bins)}")
    p, is_edge = _pairs(probabilities, truth)
    place = np.minimum((p * bins).astype(int), bins - 1)
    count = np.bincount(place, minlength=bins)
    filled = np.flatnonzero(count)
    columns = {
        "low": filled / bins,
        "high": (filled + 1) / bins,
        "claimed": np.bincount(place, weights=p, minlength=bins)[filled] / count[filled],
        "true": np.bincount(place, weights=is_edge, minlength=bins)[filled] / count[filled],
        "count": count[filled],
    }
    return pd.DataFrame(columns)


def expected_calibration_error(
    probabilities: Floats, truth: NDArray[np.bool_], bins: int = 10
) -> float:
    """The mean over ordered pairs of |claimed - true| of their bin."""
    frame = calibration(probabilities, truth, bins)
    return float(np.average(np.abs(frame["claimed"] - frame["true"]), weights=frame["count"]))


# A known posterior


def reverse_kl(weights: Floats, log_posterior: Floats) -> float:
    """sum of q log(q / p) over different DAGs, q their weights and log p their log posterior.

    Infinite where q > 0 = p. DAGs without weight may be left out, so that p need not sum to 1.
    """
    weights, log_posterior = np.asarray(weights, dtype=float), np.asarray(log_posterior, float)
    if weights.ndim != 1 or log_posterior.shape != weights.shape:
        raise OptionError(
            f"log_posterior: one number for each of the {len(weights)} weights, "
            f"found the shape {log_posterior.shape}"
        )
    _check_weights(weights)
    if not logsumexp(log_posterior) < ROUNDING:  # nan too
        raise OptionError(
            "log_posterior: expected a distribution that sums to 1; subtract its logsumexp"
        )
    drawn = weights > 0
    q = weights[drawn]
    return float(np.sum(q * (np.log(q) - log_posterior[drawn])))


# Checks


def _checked(
    dags: NDArray[np.bool_], weights: Floats, truth: Dag
) -> tuple[NDArray[np.bool_], Floats]:
    dags, weights = np.asarray(dags, dtype=bool), np.asarray(weights, dtype=float)
    shape = np.shape(truth)
    square = len(shape) == 2 and shape[0] == shape[1]
    if not square or dags.shape[1:] != shape or weights.shape != dags.shape[:1]:
        raise OptionError(
            "dags, weights, truth: of shapes (m, n, n), (m,), (n, n), "
            f"found {dags.shape}, {weights.shape}, {shape}"
        )
    _check_weights(weights)
    columns = [str(node + 1) for node in range(len(truth))]
    if cycle := directed_cycle(np.asarray(truth, dtype=bool), columns):
        raise OptionError(f"truth: contains a directed cycle of columns, {cycle}; give a DAG")
    return dags, weights


def _check_weights(weights: Floats) -> None:
    if not (weights >= 0).all() or not abs(weights.sum() - 1) < ROUNDING:
        raise OptionError(
            f"weights: none negative, and of sum 1; found the sum {weights.sum():.6g}. Divide by it"
        )


def _pairs(probabilities: Floats, truth: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Of all ordered pairs: the probability of an edge, and whether there is one."""
    p, is_edge = np.asarray(probabilities, dtype=float), np.asarray(truth, dtype=bool)
    if p.ndim < 2 or p.shape[-1] != p.shape[-2] or p.shape != is_edge.shape:
        raise OptionError(
            f"probabilities, truth: of the same shape (..., n, n), found {p.shape}, {is_edge.shape}"
        )
    apart = ~np.eye(p.shape[-1], dtype=bool)
    p = p[..., apart].reshape(-1)
    if not ((p >= 0) & (p <= 1 + ROUNDING)).all():
        raise OptionError("probabilities: from 0 to 1")
    return np.minimum(p, 1), is_edge[..., apart].reshape(-1)
