"""Who stands above whom; arrays only."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from gpnet.common.types import Floats

NOISE = 0.05  # less probable edges do not matter for who comes next
STAYING = 1e-3  # probability that a step in the order must gain: noise moves nobody far
LITTLE = 1e-3  # what a rank costs besides: an edge that is free to move stays at the top


def causal_order(probabilities: Floats) -> NDArray[np.intp]:
    """(n,): the nodes in an order along which as much probability as possible points forward.

    From sources to sinks, then each node to where it is best until none can be bettered. Where all
    edges are those of one DAG, this is a topological order.
    """
    order = _sources_first(np.where(probabilities < NOISE, 0.0, probabilities))
    for _ in range(len(order)):
        moved = [_move(probabilities, order, node) for node in range(len(order))]
        if not any(moved):
            break
    return np.array(order, dtype=np.intp)


def _sources_first(probabilities: Floats) -> list[int]:
    """Again and again the one that least points to, among those that are left.

    Among sources alike: who belongs to those that came last, then who has most children. Who has
    no edges comes last.
    """
    alone = (probabilities + probabilities.T).sum(axis=1) == 0
    rest, order = list(range(len(probabilities))), []
    recent = np.zeros(len(probabilities))  # ties to those before, the last counting most
    while rest:
        among = probabilities[np.ix_(rest, rest)]
        pointed_to = np.round(among.sum(axis=0), 6)
        belongs, children = np.round(recent[rest], 6), among.sum(axis=1)
        best = np.lexsort((-children, -belongs, pointed_to, alone[rest]))[0]
        node = rest.pop(int(best))
        order.append(node)
        recent = recent / 2 + probabilities[node] + probabilities[:, node]
    return order


def _move(probabilities: Floats, order: list[int], node: int) -> bool:
    """Put the node where it is best among the others; whether that is elsewhere."""
    here = order.index(node)
    others = order[:here] + order[here + 1 :]
    # Forward, with `k` others before it: sum of p[others before, node] + p[node, others after].
    before = np.concatenate([[0], np.cumsum(probabilities[others, node])])
    after = np.concatenate([[0], np.cumsum(probabilities[node, others])])
    forward = before + after[-1] - after - STAYING * np.abs(np.arange(len(order)) - here)
    there = int(np.argmax(forward))
    if there == here:
        return False
    order[:] = [*others[:there], node, *others[there:]]
    return True


def rank(n_nodes: int, edges: NDArray[np.intp], weights: Floats) -> NDArray[np.intp]:
    """(n,), from 0: every edge (E, 2) of a DAG goes down at least one rank.

    The weighted sum of all their lengths is the least that is possible (Gansner et al. 1993): a
    linear program whose corners are whole numbers.
    """
    if not len(edges):
        return np.zeros(n_nodes, dtype=np.intp)
    row = np.arange(len(edges))
    rises = np.zeros((len(edges), n_nodes))  # rank of the parent minus that of the child
    rises[row, edges[:, 0]], rises[row, edges[:, 1]] = 1, -1
    costs = LITTLE - weights @ rises
    solved = linprog(costs, A_ub=rises, b_ub=np.full(len(edges), -1.0))
    return np.asarray(np.rint(np.asarray(solved.x)), dtype=np.intp)


def fold(
    ranks: NDArray[np.intp], edges: NDArray[np.intp], widths: Floats, widest: float
) -> NDArray[np.intp]:
    """(n,): the same, with ranks that are too wide cut into several below each other.

    Nodes of a rank never point at each other, so that any cut will do: those with more parents
    than children come first, nearer to their parents.
    """
    n_children = np.bincount(edges[:, 0], minlength=len(ranks))
    n_parents = np.bincount(edges[:, 1], minlength=len(ranks))
    found, n_above = np.empty_like(ranks), 0
    for r in range(int(ranks.max(initial=-1)) + 1):
        members = np.flatnonzero(ranks == r)
        members = members[np.argsort((n_children - n_parents)[members], kind="stable")]
        reach = np.cumsum(widths[members])
        n_rows = int(np.ceil(reach[-1] / widest))
        middle = (reach - widths[members] / 2) / reach[-1]
        found[members] = n_above + (n_rows * middle).astype(np.intp)
        n_above += n_rows
    return np.unique(found, return_inverse=True)[1].reshape(-1)  # a very wide box may skip a row
