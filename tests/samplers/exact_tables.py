"""Small tables of every kind, with all their DAGs."""

from dataclasses import replace

import numpy as np
from scipy.special import logsumexp
from scipy.stats import chi2

from gpnet.graphs.enumeration import all_dags
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable


def full_space(n, max_parents=None):
    candidates = tuple(tuple(v for v in range(n) if v != node) for node in range(n))
    return SearchSpace(candidates, n - 1 if max_parents is None else max_parents)


def restricted_space(n, plus_one=False):
    """A ring: each node has its two neighbours as candidates."""
    ring = tuple(tuple(sorted({(v - 1) % n, (v + 1) % n} - {v})) for v in range(n))
    return SearchSpace(ring, n - 1, plus_one)


def random_table(space, spread, seed=0):
    """Log scores spread evenly over so many nats, far from zero."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.uniform(-1000 - spread, -1000, space.n_sets(node=v)) for v in range(space.n_variables)
    ]
    names = [f"V{v + 1}" for v in range(space.n_variables)]
    return ScoreTable.assemble(names, space, columns, [np.zeros_like(c) for c in columns])


def with_knowledge(table):
    """0 -> 1 required, 2 -> 3 forbidden."""
    nodes = list(table.nodes)
    for node, parent, required in [(1, 0, True), (3, 2, False)]:
        sets = table.space.all_parent_sets(node)
        refused = np.array([(parent in parents) != required for parents in sets])
        log_priors = np.where(refused, -np.inf, nodes[node].log_priors)
        nodes[node] = replace(nodes[node], log_priors=log_priors)
    return replace(table, nodes=tuple(nodes))


def tables(n, spread):
    return {
        "full": random_table(full_space(n), spread, seed=1),
        "few parents": random_table(full_space(n, 2), spread, seed=2),
        "restricted": random_table(restricted_space(n), spread, seed=3),
        "plus one": random_table(restricted_space(n, plus_one=True), spread, seed=4),
        "knowledge": with_knowledge(random_table(full_space(n), spread, seed=5)),
    }


KINDS = list(tables(4, 1.0))


def in_space(space, dags):
    """Which of the DAGs have only parent sets of the space."""
    found = np.ones(len(dags), dtype=bool)
    bits = 1 << np.arange(space.n_variables)
    for node in range(space.n_variables):
        sets = [sum(1 << p for p in parents) for parents in space.all_parent_sets(node)]
        found &= np.isin(bits @ dags[:, :, node].T, sets)
    return found


def probabilities_by_enumeration(table):
    """All DAGs of the table that are possible, their probabilities, and log Z."""
    dags = all_dags(table.n_variables)
    dags = dags[in_space(table.space, dags)]
    log_scores = table.log_scores_of(dags)
    dags, log_scores = dags[log_scores > -np.inf], log_scores[log_scores > -np.inf]
    log_z = logsumexp(log_scores)
    return dags, np.exp(log_scores - log_z), log_z


def closures(dags):
    """[ancestor, descendant] of each DAG."""
    reached = dags.copy()
    for middle in range(dags.shape[1]):
        reached |= reached[:, :, middle, None] & reached[:, None, middle, :]
    return reached


def codes(dags):
    """A number for each DAG."""
    bits = 1 << np.arange(dags.shape[1] ** 2, dtype=np.int64)
    return dags.reshape(len(dags), -1) @ bits


def chi_square_p_value(draws, dags, probabilities):
    """How likely draws are to be at least that far from it; cells below 5 go together."""
    order = np.argsort(codes(dags))
    place = np.searchsorted(codes(dags)[order], codes(draws))
    assert (codes(dags)[order][np.minimum(place, len(dags) - 1)] == codes(draws)).all()
    counts = np.bincount(place, minlength=len(dags))
    expected = probabilities[order] * len(draws)
    large = expected >= 5
    counts = np.append(counts[large], counts[~large].sum())
    expected = np.append(expected[large], expected[~large].sum())
    counts, expected = counts[expected > 0], expected[expected > 0]
    if expected[-1] < 1e-6 * len(draws) and counts[-1] == 0:
        counts, expected = counts[:-1], expected[:-1]
    statistic = ((counts - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, len(counts) - 1) if len(counts) > 1 else 1.0
