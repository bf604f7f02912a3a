"""DAGs that are Markov equivalent to a given one, and agree with it wherever they must.

A partially directed graph stands for them: edges that all have, and edges that are still open.
With Meek's (1995) four rules applied, either direction of an open edge leads to a member.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag
from gpnet.graphs.equivalence import cpdag, follow_meek

N_TRIED = 4  # random members, for each that is asked for where there are too many to list


def class_members(
    dag: Dag, may_turn: Dag, *, most: int, n_drawn: int | None = None, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """(k, n, n): all members if these are at most `most`; else some drawn uniformly, or nearly so.

    `may_turn` (n, n), symmetric, says which edges may be turned round; the others stay. As many are
    drawn as would have been listed, unless `n_drawn` says otherwise.
    """
    either = cpdag(dag[None])[0]
    open_edges = either & either.T & may_turn
    # Rules look no further than at the nodes around an open edge.
    near = open_edges.any(axis=0) @ (dag | dag.T | np.eye(len(dag), dtype=bool))
    part = np.ix_(near, near)
    start = _closed(_Partial((dag & ~open_edges)[part], open_edges[part]))
    found = _all(start, most) or _drawn(start, n_drawn or most, rng)
    dags = np.repeat(dag[None], len(found), axis=0)
    dags[:, *part] = found
    return dags


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
