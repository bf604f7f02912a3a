"""What is known about weighted draws, in numbers by their names in the diagnosis."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.messages import quote
from gpnet.common.types import Dag
from gpnet.graphs.distinct import distinct
from gpnet.inference.importance_rounds import Weighted
from gpnet.samplers.walks import of_edges
from gpnet.score_table.search_space import SearchSpace
from gpnet.stats.convergence import draws_by_chain, effective_draws, split_r_hat

DISPUTED: Final = 0.1  # difference between chains in the probability of an edge


def in_numbers(weighted: Weighted) -> dict[str, Any]:
    """All of them."""
    return {
        **_of_weights(weighted),
        **_of_chains(weighted),
        **of_borders(weighted),
        **_of_scores(weighted),
    }


def _of_weights(weighted: Weighted) -> dict[str, Any]:
    last, n_draws = weighted.rounds[-1], weighted.sample.n_draws
    return {
        "draws": n_draws,
        "distinct_dags": len(distinct(weighted.sample.dags)[0]),
        "effective_share": last.effective_share,
        "effective_size": last.effective_share * n_draws,
        "k_hat": last.k_hat,
        "missing_mass": weighted.missing_mass,
        "rounds": [vars(health) for health in weighted.rounds],
    }


def _of_chains(weighted: Weighted) -> dict[str, Any]:
    """R-hat and effective draws of edges and of the log target; how far chains are apart."""
    sample = weighted.sample
    if sample.independent:
        return {"independent": True, "chains": 1}
    draws = draws_by_chain(sample.chain)
    target = weighted.log_target[draws]
    edges = [of_edges(sample.dags[:, v][draws]) for v in range(sample.dags.shape[1])]
    return {
        "independent": False,
        "chains": sample.n_chains,
        "max_r_hat": max(r_hat for r_hat, _ in edges),
        "r_hat_log_target": float(split_r_hat(target)),
        "min_effective_draws": min(n_effective for _, n_effective in edges),
        "effective_draws_log_target": float(effective_draws(target)),
        **_of_disputes(weighted),
    }


def _of_disputes(weighted: Weighted) -> dict[str, Any]:
    """How far chains differ in the probability of an edge, as weighted; and in which by much."""
    sample, edges, names = weighted.sample, [], weighted.table.names
    for c in range(sample.n_chains):
        mine = sample.chain == c
        weights = softmax(weighted.log_weights[mine])
        edges.append(np.tensordot(weights, sample.dags[mine], 1))
    apart = np.ptp(np.stack(edges), axis=0)
    worst = [divmod(int(i), len(names)) for i in np.argsort(-apart, axis=None, kind="stable")]
    disputed = [edge for edge in worst if apart[edge] > DISPUTED]
    return {
        "chains_differ_by": float(apart.max()),
        "disputed_edges": [f"{quote(names[a])} -> {quote(names[b])}" for a, b in disputed],
    }


def of_borders(weighted: Weighted) -> dict[str, Any]:
    """What the space left out, and how much of the posterior lies where it ends."""
    space, dags = weighted.table.space, weighted.sample.dags
    weights, full = softmax(weighted.log_weights), _full(weighted)
    n = space.n_variables
    outside = dags & ~_offered(space)
    # What knowledge rules out is no restriction of the search.
    excluded = space.excluded or ((),) * n
    left = [n - 1 - len(set(out) - {v}) for v, out in enumerate(excluded)]
    restricted = any(len(c) < k for c, k in zip(space.candidates, left, strict=True))
    return {
        "max_parents": space.max_parents,
        "share_at_max_parents": float(weights @ full.any(axis=1)),
        "nodes_at_max_parents": (weights @ full).tolist(),
        "space_restricted": restricted,
        "most_candidates": max(map(len, space.candidates), default=0),
        "share_from_outside": float(weights @ outside.any(axis=(1, 2))),
    }


def _full(weighted: Weighted) -> NDArray[np.bool_]:
    """(n_draws, n): which nodes have as many parents as the space allows, and might have more."""
    space, dags = weighted.table.space, weighted.sample.dags
    caps = np.array([space.cap(node) for node in range(space.n_variables)])
    return np.asarray((dags.sum(axis=1) == caps) & (caps < space.n_variables - 1))


def _offered(space: SearchSpace) -> Dag:
    """(n, n), [parent, child]: the candidates."""
    offered = np.zeros((space.n_variables, space.n_variables), dtype=bool)
    for node, candidates in enumerate(space.candidates):
        offered[list(candidates), node] = True
    return offered


def _of_scores(weighted: Weighted) -> dict[str, Any]:
    rescored = weighted.rescored
    errors = [one.std_error for one in rescored.values() if not np.isnan(one.std_error)]
    doubtful = [family for family, evidence in rescored.items() if evidence.warnings]
    return {
        "sets_in_table": weighted.table.n_computed,
        "sets_scored_again": len(rescored),
        "sets_with_doubtful_score": len(doubtful),
        "share_with_doubtful_score": weighted.share_with(doubtful),
        "largest_score_error": max(errors, default=None),
        "share_unscored": weighted.share_unscored,
    }
