"""What parent sets that were left out of the table could change.

Let P be a drawn parent set of a node, in draws of weight w, and S a larger set that was left out.
Whatever the other nodes' parents are: where the node may take S it may take P, and the two weigh
as their scores do. So all DAGs with S weigh at most

    w exp(score(S) - score(P)),

relative to those of the table. Summed over the sets that hold one parent, that bounds what they add
to the probability of its edge; with predicted scores it is a first guess. Sets drawn in proportion
to their parts of it are then scored, and the mean of score by prediction mends it, whatever the
predictions are worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.types import Floats, Node, Parents
from gpnet.graphs.distinct import distinct_rows
from gpnet.inference.importance_rounds import Weighted
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import ScoreTable

N_SCORED: Final = 40  # parent sets that are scored afterwards
N_DRAWN_SETS: Final = 50  # of a node, the most frequent: the others bound next to nothing


@dataclass(frozen=True)
class LeftOut:
    """What was left out, and what it could change."""

    n_sets: int = 0
    largest_change: float = 0.0  # of the probability of an edge, at most; an estimate


def left_out(weighted: Weighted, rescorer: Rescorer, seed: int) -> LeftOut:
    """From sets that are scored by the rescorer, under the score that filled the table."""
    table = weighted.table
    n_sets = sum(int(scores.left_out.sum()) for scores in table.nodes)
    bounds = [_bounds(weighted, node) for node in range(table.n_variables)]
    each = np.concatenate([one.bound for one in bounds])
    total = float(each.sum())
    if not total > 0:
        return LeftOut(n_sets)
    rng = np.random.default_rng([seed, *b"left out"])
    ends = np.cumsum([len(one.bound) for one in bounds])
    chosen: list[tuple[Family, float]] = []
    for place in rng.choice(len(each), N_SCORED, p=each / total).tolist():
        node = int(np.searchsorted(ends, place, side="right"))
        i = place - int(ends[node] - len(bounds[node].bound))
        chosen.append(((node, bounds[node].parents(i)), float(bounds[node].predicted[i])))
    scored = rescorer.rescore(list(dict(chosen)), stage="scoring what was left out")
    ratios = [np.exp(min(scored[one].value - guess, 700.0)) for one, guess in chosen]
    largest = max(float((one.bound @ one.members).max(initial=0.0)) for one in bounds)
    return LeftOut(n_sets, min(1.0, largest * float(np.mean(ratios))))


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Of the sets of one node that were left out."""

    members: NDArray[np.bool_]  # (n_sets, n)
    bound: Floats  # (n_sets,): of the posterior, by the next
    predicted: Floats  # (n_sets,): log marginals

    def parents(self, i: int) -> Parents:
        return tuple(np.flatnonzero(self.members[i]).tolist())


def _bounds(weighted: Weighted, node: Node) -> _Bounds:
    table = weighted.table
    of = table.nodes[node]
    missing = np.flatnonzero(of.left_out)
    predicted = of.predictions[missing]
    members = _members(table, node, missing)
    log_ratio, heaviest = np.full(len(missing), -np.inf), np.zeros(len(missing))
    for parents, weight, log_score in _drawn(weighted, node) if len(missing) else ():
        holds = members[:, list(parents)].all(axis=1) & (weight > heaviest)
        log_ratio[holds], heaviest[holds] = np.log(weight) - log_score, weight
    bound = np.exp(np.minimum(log_ratio + predicted + of.log_priors[missing], 0.0))
    return _Bounds(members, np.nan_to_num(bound), predicted)


def _drawn(weighted: Weighted, node: Node) -> Sequence[tuple[Parents, float, float]]:
    """The parent sets of the draws, their weights and log scores in the table."""
    dags, weights = weighted.sample.dags, softmax(weighted.log_weights)
    first, place = distinct_rows(dags[:, :, node])
    share = np.bincount(place, weights=weights)
    found = []
    for i in np.argsort(-share, kind="stable")[:N_DRAWN_SETS]:
        parents = tuple(np.flatnonzero(dags[first[i], :, node]).tolist())
        found.append((parents, float(share[i]), weighted.table.log_score(node, parents)))
    return found


def _members(table: ScoreTable, node: Node, some: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(n_sets, n): who is in each of some parent sets of the node."""
    of = table.nodes[node]
    masks, plus_one = of.masks[some], of.plus_one[some]
    members = np.zeros((len(some), table.n_variables), dtype=bool)
    for j, candidate in enumerate(of.candidates):
        members[:, candidate] = (masks >> np.uint64(j)) & np.uint64(1)
    outside = np.flatnonzero(plus_one >= 0)
    members[outside, plus_one[outside]] = True
    return members
