"""A small search for good DAGs, for tests that need one and care little how good it is."""

import numpy as np


def greedy_orders(table, *, n_iterations, n_chains, seed, context=None):
    """From random orders, swap any two nodes while that helps; the best DAG of each."""
    rng = np.random.default_rng(seed)
    return [climb(table, rng.permutation(table.n_variables), n_iterations) for _ in range(n_chains)]


def climb(table, order, n_iterations):
    parts = best_parents(table, order)
    n = len(order)
    swaps = [(i, j) for i in range(n) for j in range(i)]
    improved = True
    while improved:
        improved = False
        for i, j in swaps:
            other = order.copy()
            other[[i, j]] = other[[j, i]]
            new = best_parents(table, other)
            if sum(new[1]) > sum(parts[1]) + 1e-9:
                order, parts, improved = other, new, True
    return parts[0]


def best_parents(table, order):
    """The best DAG of an order, and the log scores of its nodes."""
    n = table.n_variables
    dag, scores = np.zeros((n, n), bool), []
    before = np.zeros(n + 1, bool)
    before[-1] = True  # plus one -1: none
    for node in order:
        part = table.nodes[node]
        inside = sum(1 << k for k, c in enumerate(part.candidates) if before[c])
        fits = (part.masks & ~np.uint64(inside)) == 0
        best = np.argmax(np.where(fits & before[part.plus_one], part.log_scores, -np.inf))
        chosen = [c for k, c in enumerate(part.candidates) if int(part.masks[best]) >> k & 1]
        chosen += [part.plus_one[best]] if part.plus_one[best] >= 0 else []
        dag[chosen, node] = True
        scores.append(part.log_scores[best] if fits.any() else -np.inf)
        before[node] = True
    return dag, scores
