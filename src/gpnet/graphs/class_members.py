"""DAGs that are Markov equivalent to a given one, and agree with it wherever they must.

The edges that equivalent DAGs disagree on fall into connected parts, and whatever directions are
chosen within one part, the others are free to choose theirs: members are products of parts.

Within a part, a partially directed graph stands for its members: edges that all have, and edges
that are still open. With Meek's (1995) four rules applied, either direction of an open edge leads
to a member.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from gpnet.common.types import Dag, Floats
from gpnet.graphs.equivalence import cpdag, follow_meek

N_TRIED = 4  # random members, for each that is asked for where there are too many to list


@dataclass(frozen=True, eq=False)
class Part:
    """Nodes joined by edges that may be turned round, and the ways to direct all edges there."""

    nodes: NDArray[np.intp]  # (m,)
    members: NDArray[np.bool_]  # (k, m, m)


def class_parts(dag: Dag, may_turn: Dag, *, most: int, rng: np.random.Generator) -> list[Part]:
    """The parts of a DAG's class; each with all members, or `most` drawn uniformly or nearly so.

    `may_turn` (n, n), symmetric, says which edges may be turned round; the others stay.
    """
    either = cpdag(dag[None])[0]
    undirected = either & either.T
    found = []
    for nodes in _connected(undirected):
        inside = np.ix_(nodes, nodes)
        left = undirected[inside] & may_turn[inside]
        if left.any():
            start = _closed(_Partial(dag[inside] & ~left, left))
            found.append(Part(nodes, np.array(_all(start, most) or _drawn(start, most, rng))))
    return found


def combined(
    dag: Dag,
    parts: Sequence[Part],
    weights: Sequence[Floats],
    *,
    most: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.bool_], Floats]:
    """DAGs (k, n, n) with one member of each part, and their weights (k,), which sum to 1.

    All combinations if these are at most `most`, and weigh the product of the weights of their
    members; else so many of equal weight, in which each member is as frequent as its weight says.
    """
    if prod(len(part.members) for part in parts) <= most:
        choices = np.array(list(product(*(range(len(p.members)) for p in parts))), dtype=np.intp)
        factors = [w[choices[:, c]] for c, w in enumerate(weights)]
        weight = np.prod(np.array(factors).reshape(-1, len(choices)), axis=0)
    else:
        choices = np.stack([_spread(one, most, rng) for one in weights], axis=1)
        weight = np.full(most, 1 / most)
    dags = np.repeat(dag[None], len(choices), axis=0)
    for part, chosen in zip(parts, choices.T, strict=True):
        dags[:, part.nodes[:, None], part.nodes] = part.members[chosen]
    return dags, weight


def _spread(weights: Floats, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(n,): members as frequent as their weights say, to within one, in random order."""
    steps = (np.arange(n) + rng.random()) / n
    places = np.minimum(np.searchsorted(np.cumsum(weights), steps), len(weights) - 1)
    return np.asarray(rng.permutation(places))


def _connected(undirected: Dag) -> Iterator[NDArray[np.intp]]:
    """The nodes of each connected part of two or more."""
    _, labels = connected_components(undirected, directed=False)
    for label in np.flatnonzero(np.bincount(labels) > 1):
        yield np.flatnonzero(labels == label)


def _drawn(graph: "_Partial", n_draws: int, rng: np.random.Generator) -> list[Dag]:
    """A member is reached with probability 2^-choices: with weights of 2^choices, uniformly."""
    dags, n_choices = zip(*(_random(graph, rng) for _ in range(N_TRIED * n_draws)), strict=True)
    weights = np.exp2(np.array(n_choices) - max(n_choices))
    picked = rng.choice(len(dags), size=n_draws, p=weights / weights.sum())
    return [dags[i] for i in picked]


@dataclass(frozen=True, eq=False)
class _Partial:
    directed: Dag  # (n, n)
    open: Dag  # (n, n), symmetric


def _all(graph: _Partial, most: int) -> list[Dag] | None:
    """None where there are more."""
    found, waiting = [], [graph]
    while waiting:
        one = waiting.pop()
        if not one.open.any():
            found.append(one.directed)
        else:
            waiting += [_turned(one, way) for way in (False, True)]
        if len(found) + len(waiting) > most:
            return None
    return found


def _random(graph: _Partial, rng: np.random.Generator) -> tuple[Dag, int]:
    """A member, and how many edges were directed by chance."""
    n_choices = 0
    while graph.open.any():
        graph = _turned(graph, bool(rng.random() < 0.5))
        n_choices += 1
    return graph.directed, n_choices


def _turned(graph: _Partial, backwards: bool) -> _Partial:
    """With one more edge directed, and all that follows from it."""
    i, j = np.argwhere(np.triu(graph.open))[0]
    if backwards:
        i, j = j, i
    directed, left = graph.directed.copy(), graph.open.copy()
    directed[i, j] = True
    left[i, j] = left[j, i] = False
    return _closed(_Partial(directed, left))


def _closed(graph: _Partial) -> _Partial:
    return _Partial(*follow_meek(graph.directed, graph.open))
