"""Plain Python twins of the targets, all DAGs of few nodes one by one, and random tables."""

from functools import cache
from itertools import chain, combinations, permutations, product
from math import log

import numpy as np
from scipy.special import logsumexp
from scipy.stats import chi2

from gpnet.graphs.dag import is_acyclic
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable


def full_space(n, max_parents=None):
    others = tuple(tuple(u for u in range(n) if u != v) for v in range(n))
    return SearchSpace(others, n - 1 if max_parents is None else max_parents)


def random_table(space, spread, seed, forbid=None):
    """Log scores uniform over `spread` nats; -inf where forbid(node, parents)."""
    rng = np.random.default_rng(seed)
    n = space.n_variables
    marginals = [-spread * rng.random(space.n_sets(node=v)) for v in range(n)]
    priors = [np.zeros(len(column)) for column in marginals]
    for v in range(n):
        for i, parents in enumerate(space.all_parent_sets(v)):
            if forbid is not None and forbid(v, parents):
                priors[v][i] = -np.inf
    return ScoreTable.assemble([f"x{v}" for v in range(n)], space, marginals, priors)


def near_ties(space, spread, seed, forbid=None):
    """As above, but the best sets of a node are within some nats: many DAGs of some weight."""
    table = random_table(space, spread, seed, forbid)
    rng = np.random.default_rng(seed + 1)
    marginals = []
    for scores in table.nodes:
        tied = rng.random(len(scores.masks)) < 0.5
        marginals.append(np.where(tied, -4 * rng.random(len(tied)), scores.log_marginals))
    return ScoreTable.assemble(
        table.names, space, marginals, [scores.log_priors for scores in table.nodes]
    )


@cache
def all_dags(n):
    """(n_dags, n, n), by choosing none, one or the other direction for each pair."""
    pairs = list(combinations(range(n), 2))
    found = []
    for ways in product(range(3), repeat=len(pairs)):
        dag = np.zeros((n, n), dtype=bool)
        for (a, b), way in zip(pairs, ways, strict=True):
            if way == 1:
                dag[a, b] = True
            elif way == 2:
                dag[b, a] = True
        if is_acyclic(dag):
            found.append(dag)
    return np.array(found)


def in_space(space, dag):
    for v in range(len(dag)):
        parents = set(np.flatnonzero(dag[:, v]).tolist())
        outside = parents - set(space.candidates[v])
        if len(parents) > space.max_parents or len(outside) > space.plus_one:
            return False
    return True


def enumerated(table):
    """The DAGs of the support and their log probabilities."""
    dags = np.array([dag for dag in all_dags(table.n_variables) if in_space(table.space, dag)])
    scores = table.log_scores_of(dags)
    dags, scores = dags[scores > -np.inf], scores[scores > -np.inf]
    return dags, scores - logsumexp(scores)


def sets_that_fit(table, node, before, layer=None):
    """The sets within `before` that hit the layer, if there is one, with their log scores."""
    return {
        parents: table.log_score(node, parents)
        for parents in table.space.all_parent_sets(node)
        if set(parents) <= set(before) and (layer is None or set(parents) & set(layer))
    }


def log_partition(table, elements):
    """The weight of an ordered partition, set by set."""
    total = 0.0
    for e, element in enumerate(elements):
        before = list(chain.from_iterable(elements[:e]))
        layer = elements[e - 1] if e else None
        for node in element:
            total += logsumexp([-np.inf, *sets_that_fit(table, node, before, layer).values()])
    return total


def log_order(table, order):
    """The weight of an order, set by set."""
    return sum(
        logsumexp([-np.inf, *sets_that_fit(table, node, order[:i]).values()])
        for i, node in enumerate(order)
    )


def n_linear_extensions(dag):
    """Of all orders, those with every parent before its child."""
    edges = np.argwhere(dag)
    return sum(
        all(order.index(a) < order.index(b) for a, b in edges)
        for order in permutations(range(len(dag)))
    )


def codes(dags):
    """One number for each DAG."""
    n = dags.shape[1]
    return dags.reshape(len(dags), -1) @ (2 ** np.arange(n * n, dtype=np.int64))


def chi_square(chain, table, *, min_expected=20, log_p=None):
    """The p-value of the draws of a chain under their own distribution; rare DAGs make one cell.

    The draws must be thinned until they are nearly independent.
    """
    dags, log_posterior = enumerated(table)
    log_p = log_posterior if log_p is None else log_p
    p = np.exp(log_p - logsumexp(log_p))
    place = {code: i for i, code in enumerate(codes(dags).tolist())}
    drawn = np.array([place[code] for code in codes(chain.dags).tolist()])
    observed = np.bincount(drawn, minlength=len(p)).astype(float)
    expected = p * len(drawn)
    often = expected >= min_expected
    cells = [(observed[often], expected[often])]
    rest = expected[~often].sum()
    if rest > min_expected:
        cells.append((observed[~often].sum(keepdims=True), np.array([rest])))
    o, e = (np.concatenate(part) for part in zip(*cells, strict=True))
    if len(o) < 2:
        raise ValueError("one cell: nothing to test")
    return float(chi2.sf(((o - e) ** 2 / e).sum(), len(o) - 1))


def log_probabilities_by_orders(table):
    """Log probability of each enumerated DAG under order MCMC: score times linear extensions."""
    dags, log_p = enumerated(table)
    extended = log_p + np.array([log(n_linear_extensions(dag)) for dag in dags])
    return extended - logsumexp(extended)
