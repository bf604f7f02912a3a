"""Doubt about directions: a stage of its own, after the posterior and before anyone asks it.

Dependence tells which DAGs are possible up to Markov equivalence; which of the equivalent ones it
is, only the model says: shapes of curves and of noise. On real data models are wrong at times, and
some of that can be seen. So

- where values repeat, as in columns that were measured and rounded, evidence for one member of an
  equivalence class over another counts for a share of its nats only (`worth_if_rounded`), and edges
  are turned at random within the class with probability `if_rounded`, however strong it is;
- where residuals depend on parents, edges at the variable are turned at random within the class,
  with a probability that grows with how clear the dependence is (`on_misfit`);
- throughout, with a small probability, the model says nothing of directions;
- columns that are exogenous only because they have few values, and not because the user said so,
  may be effects as well: their edges are turned at random with probability `if_assumed`.

Skeletons and v-structures keep their probabilities, log marginal likelihoods stay as they are, and
doubt can be taken off again. The numbers were learnt from real pairs of known direction
(docs/honesty.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.errors import OptionError
from gpnet.common.messages import count, quote
from gpnet.common.types import Dag, Floats, Node
from gpnet.data.dataset import Dataset
from gpnet.graphs.class_members import combined
from gpnet.graphs.distinct import distinct, distinct_rows
from gpnet.inference.equivalent_dags import ScoreSets, Space
from gpnet.inference.settings import AUTO, OFF
from gpnet.inference.verdict import with_problem
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.model_checks import ALPHA
from gpnet.posterior.posterior import Posterior
from gpnet.score_table.table import ScoreTable
from gpnet.stats.importance_weights import normalised

THROUGHOUT: Final = 0.22
IF_ASSUMED: Final = 0.5  # that nobody knows better: causes are likelier, but no data say so
# P-values of residuals against parents below which edges are turned, and how often then.
ON_MISFIT: Final = ((ALPHA, 0.3), (0.001, 0.6))
WORTH_IF_ROUNDED: Final = 0.125  # of a nat for one direction
IF_ROUNDED: Final = 0.4  # how often edges are turned there besides
DISTINCT: Final = 0.95  # of the rows: where fewer values are, the column is rounded
N_HEAVIEST: Final = 100  # unique DAGs that are exchanged each by itself
N_OTHERS: Final = 40  # draws that stand for all others
N_OTHERS_IF_ROUNDED: Final = 300  # the same, where they stand for the whole posterior
COMBINED: Final = 32  # members of a class, at most, that stand in for one DAG
LEAST_LOG_WEIGHT: Final = -1e6  # of a draw that nothing is left of


@dataclass(frozen=True)
class DoubtLevels:
    """How far the model is believed when it tells directions."""

    throughout: float  # probability that it says nothing of them
    # Besides, at variables whose residuals depend on their parents: (p-value, probability), ...
    on_misfit: tuple[tuple[float, float], ...] = ()
    worth_if_rounded: float = 1.0  # of a nat of evidence, at variables whose values repeat
    if_assumed: float = 0.0  # besides, at columns that are exogenous by default alone
    if_rounded: float = 0.0  # besides, at variables whose values repeat

    @property
    def any(self) -> bool:
        """Whether there may be doubt at all."""
        return self.throughout > 0 or bool(self.on_misfit) or self.worth_if_rounded < 1

    def most(self, besides: float = 0.0) -> float:
        """Probability of an arrow that only the model tells, at most, with so much more doubt."""
        return 1 - self.throughout / 2 - (1 - self.throughout) * besides / 2

    def at(self, p_value: float) -> float:
        """Of a variable whose residuals depend on its parents with this p-value; nan: has none."""
        return max((level for below, level in self.on_misfit if p_value < below), default=0.0)


def levels_of(asked: str | float, *, calibrated: bool) -> DoubtLevels:
    """What `doubt` asks for; "auto" is for scores that the numbers were learnt with."""
    if asked == OFF or (asked == AUTO and not calibrated):
        return DoubtLevels(0.0)
    if asked == AUTO:
        return DoubtLevels(THROUGHOUT, ON_MISFIT, WORTH_IF_ROUNDED, IF_ASSUMED, IF_ROUNDED)
    if isinstance(asked, str) or not 0 <= asked <= 1:
        expected = f"{quote(AUTO)}, {quote(OFF)} or a probability"
        raise OptionError(f"doubt: expected {expected}, found {quote(asked)}")
    return DoubtLevels(asked)


def rounded_columns(data: Dataset) -> list[Node]:
    """Modelled columns in which values repeat, as they hardly do in continuous ones.

    Of rows in which nobody set the variable: experiments set few values.
    """
    modelled = [v for v in range(data.n_variables) if not data.is_exogenous(v)]
    columns = {v: _measured(data.rows_of(v), v) for v in modelled}
    return [v for v, x in columns.items() if len(np.unique(x)) < DISTINCT * len(x)]


def _measured(data: Dataset, node: Node) -> Floats:
    """The values that are not filled in for missing ones."""
    x = data.values[:, node]
    return x if data.gaps is None else x[~data.gaps[:, node]]


@dataclass(frozen=True, eq=False)
class Exchanged:
    """DAGs in place of drawn ones, or these themselves."""

    dags: NDArray[np.bool_]  # (K, n, n)
    weights: Floats  # (K,), summing to 1
    origin: NDArray[np.intp]  # (K,): the draw that each came from


def exchange(
    drawn: Exchanged,
    may_turn: Dag,
    space: Space,
    rng: np.random.Generator,
    *,
    worth: float = 0.0,
    n_others: int = N_OTHERS,
) -> Exchanged:
    """Each DAG replaced by members of its class that are in the space and agree elsewhere.

    Members weigh exp(worth x log score): alike if that is 0. The heaviest unique DAGs are exchanged
    one by one; of all others a few, spread evenly over their weights, stand for the rest.
    """
    unique, place = distinct(drawn.dags)
    share: Floats = np.bincount(place, weights=drawn.weights).astype(np.float64)
    first = np.full(len(unique), -1)
    first[place[::-1]] = np.arange(len(drawn.dags))[::-1]  # the first draw of each
    chosen = _representatives(share, n_others, rng)
    parts = {number: space.parts(unique[number], may_turn, rng) for number, _ in chosen}
    space.complete([family for some in parts.values() for one in some for family in one.families])
    parts = {
        number: [one for one in map(space.with_scores, some) if one is not None]
        for number, some in parts.items()
    }
    found, weights, origin = [], [], []
    for number, weight in chosen:
        given = [one.part for one in parts[number]]
        of_parts = [softmax(worth * space.log_scores_of_part(one)) for one in parts[number]]
        dags, each = combined(unique[number], given, of_parts, most=COMBINED, rng=rng)
        found.append(dags)
        weights.append(weight * each)
        origin.append(np.full(len(dags), drawn.origin[first[number]]))
    return Exchanged(np.concatenate(found), np.concatenate(weights), np.concatenate(origin))


def _representatives(
    share: Floats, n_others: int, rng: np.random.Generator
) -> list[tuple[int, float]]:
    """Numbers of unique DAGs with these shares, and what each of them stands for."""
    order = np.argsort(-share, kind="stable")
    heaviest, others = order[:N_HEAVIEST], order[N_HEAVIEST:]
    found = [(int(number), float(share[number])) for number in heaviest]
    rest = float(share[others].sum())
    if rest > 0:
        steps = rest * (np.arange(n_others) + rng.random()) / n_others
        at = np.minimum(np.searchsorted(share[others].cumsum(), steps), len(others) - 1)
        found += [(int(number), rest / n_others) for number in others[at]]
    return found


def with_doubt(
    posterior: Posterior,
    table: ScoreTable,
    levels: DoubtLevels,
    seed: int,
    rounded: Sequence[Node] = (),
    assumed: Sequence[Node] = (),
    score_sets: ScoreSets | None = None,
) -> Posterior:
    """The same posterior with exchanged DAGs behind its own, and less weight on these, or none.

    `assumed` are nodes that have no parents by default, and may have some all the same.
    `score_sets` scores what the table left out; where its time ends first, DAGs that need more are
    not among the exchanged ones, and the verdict says so.
    """
    rng = np.random.default_rng([seed, *b"doubt"])
    unscored = frozenset(assumed if levels.if_assumed else ())
    n, space = posterior.n_variables, Space(table, unscored, score_sets)
    # What experiments or knowledge tell is not in doubt.
    told = posterior.identified
    free = np.ones((n, n), dtype=bool) if told is None else ~told
    plain = Exchanged(posterior.dags, posterior.weights, np.arange(posterior.n_draws))
    believed, lessened = plain, bool(rounded) and levels.worth_if_rounded < 1
    if lessened:
        turned, worth = edges_at(rounded, n) & free, levels.worth_if_rounded
        believed = exchange(plain, turned, space, rng, worth=worth, n_others=N_OTHERS_IF_ROUNDED)
    found = [
        (share, exchange(believed, turned & free, space, rng))
        for share, turned in _at_random(posterior, levels, rounded, assumed)
    ]
    left = max(0.0, 1 - sum(share for share, _ in found))
    if lessened:
        found.append((left, believed))
    if not found:
        return posterior
    new = np.concatenate([exchanged.dags for _, exchanged in found])
    origin = np.concatenate([exchanged.origin for _, exchanged in found])
    weights = np.concatenate([share * exchanged.weights for share, exchanged in found])
    with np.errstate(divide="ignore"):  # of what has no doubt, and of what is nothing but doubt
        own = np.log(0.0 if lessened else left) + posterior.log_weights
        log_weights = np.concatenate([own, np.log(weights)])
    log_weights = np.maximum(log_weights, LEAST_LOG_WEIGHT)
    # As many edges as before: what the prior makes of their number is the same.
    of_number = posterior.log_target - space.table.log_scores_of(posterior.dags)
    return replace(
        posterior,
        dags=np.concatenate([posterior.dags, new]),
        log_weights=normalised(log_weights),
        log_target=np.concatenate(
            [posterior.log_target, space.log_scores(new) + of_number[origin]]
        ),
        chain=np.concatenate([posterior.chain, posterior.chain[origin]]),
        gammas=None
        if posterior.gammas is None
        else np.concatenate([posterior.gammas, posterior.gammas[origin]]),
        local_scores=_with_scores_of(new, posterior.local_scores, space),
        plain_log_weights=posterior.log_weights,
        diagnosis=_told(posterior.diagnosis, space.n_missing),
    )


def _told(diagnosis: Diagnosis, n_missing: int) -> Diagnosis:
    """With what there was no time for; as a note, where the time was told to be over before."""
    if not n_missing:
        return diagnosis
    what = (
        f"the time budget ended before {count(n_missing, 'parent set')} of equivalent DAGs could "
        "be scored, so that doubt about directions knows only some of these DAGs"
    )
    if diagnosis.converged is False:
        return replace(diagnosis, notes=(*(diagnosis.notes or ()), what))
    more_time = "run again with a larger time budget, the scores are kept"
    return with_problem(diagnosis, f"{what}; {more_time}")


def _at_random(
    posterior: Posterior, levels: DoubtLevels, rounded: Sequence[Node], assumed: Sequence[Node]
) -> list[tuple[float, Dag]]:
    """How often which edges (n, n) are turned at random.

    A variable with a higher level is doubted whenever one with a lower level is.
    """
    n, parts = posterior.n_variables, []
    if levels.throughout > 0:
        parts.append((levels.throughout, np.ones((n, n), dtype=bool)))
    p_values = posterior.checks.parent_p.tolist() if posterior.checks else [1.0] * n
    doubted = np.array([levels.at(p) for p in p_values])
    doubted[list(rounded)] = np.maximum(doubted[list(rounded)], levels.if_rounded)
    doubted[list(assumed)] = levels.if_assumed
    for low, high in pairwise([0.0, *sorted({*doubted[doubted > 0].tolist()})]):
        share = (1 - levels.throughout) * (high - low)
        parts.append((share, edges_at(np.flatnonzero(doubted >= high).tolist(), n)))
    return parts


def _with_scores_of(dags: NDArray[np.bool_], known: LocalScores, space: Space) -> LocalScores:
    """With the table's numbers for parent sets that were not among the draws."""
    node, parents = [known.node], [known.parents]
    values = [known.log_marginal]
    for v, places in enumerate(known.places(dags)):
        first, _ = distinct_rows(dags[places < 0, :, v])
        sets = dags[places < 0, :, v][first]
        node.append(np.full(len(sets), v, dtype=np.int32))
        parents.append(sets)
        names = [tuple(np.flatnonzero(one).tolist()) for one in sets]
        values.append(np.array([space.log_marginal(v, parents) for parents in names]))
    n_new = sum(map(len, node)) - len(known.node)
    unknown = np.full(n_new, np.nan)
    return LocalScores(
        np.concatenate(node),
        np.concatenate(parents),
        np.concatenate(values),
        *(
            np.concatenate([getattr(known, name), unknown])
            for name in ("std_error", "linear", "shaped", "varying")
        ),
    )


def edges_at(nodes: Sequence[Node], n_variables: int) -> Dag:
    """(n, n): between one of these nodes and any other."""
    turned = np.zeros((n_variables, n_variables), dtype=bool)
    turned[list(nodes)] = True
    return turned | turned.T
