"""Posteriors to test with: enumerated ones, whose every number is known, and odd ones."""

import numpy as np

from gpnet.graphs.dag import is_acyclic, random_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.posterior import LocalScores, Posterior
from gpnet.posterior.relations import FittedRelations

ODD_NAMES = ("<script>", 'quote "," comma', "π 🧬", "two\nlines", "\x1b[31m\ufffe")


def local_scores(n, *, seed=0, scale=1.5):
    """(n, 2^n): a log marginal for each node and each set of parents, bit j standing for j."""
    return np.random.default_rng(seed).normal(scale=scale, size=(n, 2**n))


def codes_of(dags):
    """(n, M): each node's parents as a number."""
    return dags.transpose(2, 0, 1) @ (1 << np.arange(dags.shape[1]))


def scores_of(scores, std_error=0.0):
    """Of all sets of all nodes."""
    n = len(scores)
    node = np.repeat(np.arange(n), 2**n)
    parents = np.tile(np.arange(2**n)[:, None] >> np.arange(n) & 1, (n, 1)).astype(bool)
    std_error, linear, shaped, varying = np.full(
        (4, len(node)), [[std_error], [0.25], [0.125], [0.375]]
    )
    return LocalScores(node, parents, scores.reshape(-1), std_error, linear, shaped, varying)


def posterior_of(dags, *, scores=None, log_weights=None, names=None, **others):
    """Of these DAGs, weighted as given or equally."""
    n = dags.shape[1]
    scores = local_scores(n) if scores is None else scores
    log_weights = np.zeros(len(dags)) if log_weights is None else log_weights
    given = {
        "names": tuple("ABCDEFGHIJ"[:n]) if names is None else names,
        "dags": dags,
        "log_weights": log_weights - np.logaddexp.reduce(log_weights),
        "log_target": scores[np.arange(n)[:, None], codes_of(dags)].sum(axis=0),
        "chain": np.zeros(len(dags), dtype=np.int32),
        "independent": True,
        "local_scores": scores_of(scores),
    }
    return Posterior(**(given | others))


def enumerated(n, **others):
    """Every DAG of n nodes, with its exact probability for a weight."""
    dags, scores = all_dags(n), local_scores(n)
    log_target = scores[np.arange(n)[:, None], codes_of(dags)].sum(axis=0)
    return posterior_of(dags, scores=scores, log_weights=log_target, **others)


def thinned(n, *, n_draws=200, edge_probability=None, seed=0, names=None, **others):
    """Draws that each hold some edges of one random DAG, the odd ones reversed: for large n."""
    rng = np.random.default_rng(seed)
    dag = random_dag(n, edge_probability or 2.5 / n, rng)
    dags = dag & (rng.random((n_draws, n, n)) < rng.uniform(0.05, 1.3, (n, n)))
    parent, child = np.argwhere(dag)[::2].T
    for draw in dags[::3]:  # a reversed edge alone may close a directed cycle: then it is left out
        i = rng.integers(len(parent))
        a, b = parent[i], child[i]
        draw[a, b], draw[b, a] = False, True
        draw[b, a] = is_acyclic(draw)
    return Posterior(
        **{
            "names": tuple(f"V{i + 1}" for i in range(n)) if names is None else names,
            "dags": dags,
            "log_weights": np.full(n_draws, -np.log(n_draws)),
            "log_target": rng.normal(size=n_draws),
            "chain": np.zeros(n_draws, dtype=np.int32),
            "independent": True,
            "local_scores": zero_scores(dags),
            **others,
        }
    )


def zero_scores(dags):
    """Of all parent sets that occur, where no number matters."""
    sets = [np.unique(dags[:, :, node], axis=0) for node in range(dags.shape[1])]
    node, parents = np.repeat(np.arange(len(sets)), [len(s) for s in sets]), np.concatenate(sets)
    zeros = np.zeros(len(node))
    return LocalScores(node, parents, *[zeros] * 5)


def checks_of(parents, *, n_shown=60, seed=0, **others):
    """Of variables with these parents, (n, n) with row v for v; numbers as they come."""
    rng = np.random.default_rng(seed)
    parents = np.asarray(parents, dtype=bool)
    n = len(parents)
    has = parents.any(axis=1)
    given = {
        "parents": parents,
        "linear": np.where(has, rng.random(n), np.nan),
        "shaped": rng.random(n),
        "varying": np.where(has, rng.random(n), 0.0),
        "fitted": rng.normal(50, 10, (n, n_shown)),
        "residual": rng.standard_normal((n, n_shown)),
        "parent_p": np.where(has, rng.uniform(0.05, 1, n), np.nan),
        "other": np.full(n, -1, dtype=np.int32),
        "other_p": np.full(n, np.nan),
    }
    return ModelChecks(**(given | others))


def fits_of(families, n, *, n_values=4, n_shown=3, **others):
    """Of these nodes and parents, with numbers as they come."""
    parents = np.zeros((len(families), n), dtype=bool)
    for row, (_, these) in enumerate(families):
        parents[row, list(these)] = True
    fit, parent = (index.astype(np.int32) for index in np.nonzero(parents))
    rng = np.random.default_rng(0)
    mean = rng.standard_normal((len(fit), n_values))
    given = {
        "node": np.array([node for node, _ in families], dtype=np.int32),
        "parents": parents,
        "fit": fit,
        "parent": parent,
        "x": np.sort(rng.standard_normal((len(fit), n_values))),
        "mean": mean,
        "low": mean - 1,
        "high": mean + 1,
        "shown": rng.standard_normal((n_shown, n)),
        "residual": rng.standard_normal((len(fit), n_shown)),
    }
    return FittedRelations(**(given | others))
