"""The recursion and the draw in plain Python, with rejection."""

from functools import cache
from itertools import chain, combinations
from math import log, prod

import numpy as np


def subsets(nodes, smallest=0):
    nodes = sorted(nodes)
    sizes = range(smallest, len(nodes) + 1)
    return map(frozenset, chain.from_iterable(combinations(nodes, k) for k in sizes))


def shares(weights):
    positive = np.maximum(weights, 0.0)
    return positive / positive.sum()


class Twin:
    """Weights exp(log score - best of the node)."""

    def __init__(self, table):
        self.n = table.n_variables
        self.weights, self.offset = [], 0.0
        for node in range(self.n):
            scores = table.nodes[node].log_scores
            self.offset += scores.max()
            sets = map(frozenset, table.space.all_parent_sets(node))
            weights = np.exp(scores - scores.max()).tolist()
            self.weights.append(dict(zip(sets, weights, strict=True)))
        for name in ("sum_within", "term", "z", "sinks", "covered", "next_layers"):
            setattr(self, name, cache(getattr(self, name)))

    def sum_within(self, node, nodes):
        return sum(weight for parents, weight in self.weights[node].items() if parents <= nodes)

    def term(self, layer, nodes):
        """Z(U\\R) prod over R of A_v(U\\R)."""
        rest = nodes - layer
        return self.z(rest) * prod(self.sum_within(v, rest) for v in layer)

    def z(self, nodes):
        if not nodes:
            return 1.0
        return sum((-1) ** (len(r) + 1) * self.term(r, nodes) for r in subsets(nodes, 1))

    def log_normaliser(self):
        return log(self.z(frozenset(range(self.n)))) + self.offset

    # Draws

    def sinks(self, nodes):
        """All sets, and the shares of DAGs that have exactly these sinks."""
        layers = list(subsets(nodes, 1))
        weights = [
            sum((-1) ** len(t - r) * self.term(t, nodes) for t in layers if r <= t) for r in layers
        ]
        return layers, shares(weights)

    def next_layers(self, layer, rest, must_cover):
        layers, weights = self.sinks(rest)
        if must_cover:
            weights = weights * [self.covered(layer, rest, above) for above in layers]
        return layers, shares(weights)

    def covered(self, children, rest, layer):
        return sum(
            (-1) ** len(t) * prod(self.sum_within(v, rest - t) for v in children)
            for t in subsets(layer)
        )

    def draw_parents(self, node, nodes, rng):
        sets = [s for s in self.weights[node] if s <= nodes]
        return sets[rng.choice(len(sets), p=shares([self.weights[node][s] for s in sets]))]

    def draw(self, rng, must_cover=True):
        """Without `must_cover` layers ignore each other: a broken sampler."""
        dag = np.zeros((self.n, self.n), dtype=bool)
        rest = frozenset(range(self.n))
        layers, weights = self.sinks(rest)
        layer = layers[rng.choice(len(layers), p=weights)]
        while rest := rest - layer:
            layers, weights = self.next_layers(layer, rest, must_cover)
            above = layers[rng.choice(len(layers), p=weights)]
            while True:
                parents = {v: self.draw_parents(v, rest, rng) for v in layer}
                if not must_cover or above <= frozenset().union(*parents.values()):
                    break
            for child, found in parents.items():
                dag[list(found), child] = True
            layer = above
        return dag
