"""What a learner is, and how DAGs without scores become a posterior."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import gpnet
from baselines.environment import python_of
from gpnet.common.types import Floats
from gpnet.graphs.distinct import distinct
from gpnet.posterior import metrics
from gpnet.posterior.local_scores import LocalScores

NEAR = 1e-6  # nats that nearness counts: it only decides between DAGs of the same weight


@dataclass(frozen=True)
class Resources:
    """What a fit may take; no number depends on it."""

    workers: int | None = None  # None: all cores
    store: Path | None = None  # a file for scores, for learners that keep some


class Learner(Protocol):
    """`LEARNERS[name](**options).fit(data, resources)`."""

    def __init__(self, **options: Any) -> None: ...

    def fit(self, data: gpnet.Dataset, resources: Resources) -> gpnet.Posterior:
        """The posterior over the DAGs of the data, or what the learner has in its place."""
        ...


ONE_CORE = Resources(workers=1)


def timed_fit(
    learner: Learner, data: gpnet.Dataset, resources: Resources = ONE_CORE
) -> tuple[gpnet.Posterior, float]:
    """With the seconds it took, of one core unless said; an environment is made before."""
    if folder := getattr(learner, "folder", None):
        python_of(folder)
    since = monotonic()
    return learner.fit(data, resources), monotonic() - since


def posterior_of(
    names: Sequence[str],
    dags: NDArray[np.bool_],
    weights: Floats | None = None,
    *,
    settings: dict[str, Any],
) -> gpnet.Posterior:
    """Of DAGs (m, n, n) that have no scores; of equal weight unless given.

    The log target, by which the best DAG is found, is the log of the total weight of a DAG; of
    several of the same weight, the one nearest to the edge probabilities comes first.
    """
    dags = np.asarray(dags, dtype=bool)
    weights = np.full(len(dags), 1 / len(dags)) if weights is None else np.asarray(weights, float)
    dags, weights = dags[weights > 0], weights[weights > 0]
    _, place = distinct(dags)
    together = np.bincount(place, weights)[place]
    far = np.abs(dags - metrics.edge_probabilities(dags, weights)).sum(axis=(1, 2))
    return gpnet.Posterior(
        names=tuple(names),
        dags=dags,
        log_weights=np.log(weights),
        log_target=np.log(together) - NEAR * far,
        chain=np.zeros(len(dags), dtype=np.int32),
        independent=True,
        local_scores=_unscored(dags),
        settings=settings,
    )


def _unscored(dags: NDArray[np.bool_]) -> LocalScores:
    """All parent sets of the DAGs, each with the log marginal 0."""
    n = dags.shape[1]
    sets = [np.unique(dags[:, :, node], axis=0) for node in range(n)]
    nodes = np.repeat(np.arange(n, dtype=np.int32), [len(one) for one in sets])
    unknown = np.full(len(nodes), np.nan)
    return LocalScores(nodes, np.concatenate(sets), np.zeros(len(nodes)), *[unknown] * 4)
