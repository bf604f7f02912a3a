"""What parent sets that were never scored could change.

Given the parents of all other nodes, a node takes the set S with probability score(S) / Z, where Z
sums over all sets without descendants of the node; or with no probability, if S has one. Averaged
over some draws, that is what DAGs with S weigh, relative to those of the table; summed over the
sets that hold one parent, what they add to the probability of its edge.

With predicted scores it is a first guess. Sets drawn in proportion to their parts of it are then
scored, and the mean of score by prediction mends it, whatever the predictions are worth.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from gpnet.common.types import Floats, Node, Parents
from gpnet.graphs.distinct import distinct_rows
from gpnet.graphs.reachability import ancestors
from gpnet.inference.importance_rounds import Weighted
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import NodeScores, ScoreTable

N_SCORED: Final = 40  # parent sets that are scored afterwards
N_DAGS: Final = 200  # draws that are looked at
MISSED: Final = 0.1  # change of an edge's probability by sets without a score, that is too much
MOST_TO_SCORE: Final = 30_000  # of them, that are scored without being asked for: some minutes


@dataclass(frozen=True)
class LeftOut:
    """What was left out, and what it could change."""

    n_sets: int = 0
    largest_change: float = 0.0  # of the probability of an edge, at most; an estimate


NOTHING: Final = LeftOut()


def left_out(weighted: Weighted, rescorer: Rescorer, seed: int) -> LeftOut:
    """From sets that are scored by the rescorer, under the score that filled the table.

    Where its time is over before one is, predictions have to do.
    """
    table, rng = weighted.table, np.random.default_rng([seed, *b"left out"])
    n_sets = sum(int(unscored(scores).sum()) for scores in table.nodes)
    if not n_sets:
        return NOTHING
    reached = ancestors(_some_dags(weighted, rng))
    added = [_added(table, node, reached[:, node]) for node in range(table.n_variables)]
    each = np.concatenate([one.mass for one in added])
    if not each.sum() > 0:
        return LeftOut(n_sets)
    ends = np.cumsum([len(one.mass) for one in added])
    chosen: list[tuple[Family, float]] = []
    for place in rng.choice(len(each), N_SCORED, p=each / each.sum()).tolist():
        node = int(np.searchsorted(ends, place, side="right"))
        i = place - int(ends[node] - len(added[node].mass))
        chosen.append(((node, added[node].parents(i)), float(added[node].predicted[i])))
    scored = rescorer.rescore(list(dict(chosen)), stage="scoring what was left out")
    met = [(one, guess) for one, guess in chosen if one in scored]
    ratios = [np.exp(min(scored[one].value - guess, 700.0)) for one, guess in met] or [1.0]
    largest = max(float((one.mass @ one.members).max(initial=0.0)) for one in added)
    return LeftOut(n_sets, min(1.0, largest * float(np.mean(ratios))))


def unscored(scores: NodeScores) -> NDArray[np.bool_]:
    """(n_sets,): allowed, and left out, or predicted and never drawn."""
    return np.asarray(~scores.computed & (scores.log_priors > -np.inf))


@dataclass(frozen=True, eq=False)
class _Added:
    """By the sets of one node that were left out."""

    members: NDArray[np.bool_]  # (n_sets, n)
    mass: Floats  # (n_sets,): relative to the posterior, by the next
    predicted: Floats  # (n_sets,): log marginals

    def parents(self, i: int) -> Parents:
        return tuple(np.flatnonzero(self.members[i]).tolist())


def _added(table: ScoreTable, node: Node, descendants: NDArray[np.bool_]) -> _Added:
    """`descendants` (n_dags, n) of the node, in some draws."""
    of = table.nodes[node]
    members = _members(table, node)
    first, place = distinct_rows(descendants)
    share = np.bincount(place) / len(descendants)
    may_be = members.astype(np.float32) @ descendants[first].T.astype(np.float32) == 0
    normalisers = logsumexp(np.where(may_be, of.log_scores[:, None], -np.inf), axis=0)
    out = unscored(of)
    log_scores = np.nan_to_num((of.predictions + of.log_priors)[out], nan=-np.inf)
    relative = np.exp(np.minimum(log_scores[:, None] - normalisers, 0.0))
    mass = np.where(may_be[out], relative, 0.0) @ share
    return _Added(members[out], mass, of.predictions[out])


def _some_dags(weighted: Weighted, rng: np.random.Generator) -> NDArray[np.bool_]:
    weights = softmax(weighted.log_weights)
    return np.asarray(weighted.sample.dags[rng.choice(len(weights), N_DAGS, p=weights)])


def _members(table: ScoreTable, node: Node) -> NDArray[np.bool_]:
    """(n_sets, n): who is in each parent set of the node."""
    return table.nodes[node].members(table.n_variables)
