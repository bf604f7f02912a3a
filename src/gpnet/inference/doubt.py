"""Doubt about directions: a stage of its own, after the posterior and before anyone asks it.

Dependence tells which DAGs are possible up to Markov equivalence; which of the equivalent ones it
is, only the model says: shapes of curves and of noise. On real data models are wrong at times. So
with probability THROUGHOUT the model says nothing of directions: a DAG is exchanged for a uniform
one of its Markov equivalence class. With probability ON_MISFIT, edges of variables that do not fit
the model are turned in the same way, and all others stay. Skeletons and v-structures keep their
probabilities, log marginal likelihoods stay as they are, and doubt can be taken off again.

Both numbers were learnt from real pairs of known direction (docs/honesty.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.graphs.class_members import class_members
from gpnet.graphs.distinct import distinct, distinct_rows
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.posterior import Posterior
from gpnet.score_table.table import ScoreTable

THROUGHOUT: Final = 0.12
ON_MISFIT: Final = 0.6
N_HEAVIEST: Final = 100  # unique DAGs that are exchanged each by itself
N_OTHERS: Final = 40  # draws that stand for all others
LISTED: Final = 24  # members of a class that are taken all together, rather than by chance
N_DRAWN: Final = 8  # by chance, where there are more
LEAST_LOG_WEIGHT: Final = -1e6  # of a draw that nothing is left of
OFF: Final = "off"
AUTO: Final = "auto"


@dataclass(frozen=True)
class DoubtLevels:
    """Probabilities that the model says nothing of directions."""

    throughout: float
    on_misfit: float = 0.0  # besides, of edges of variables that do not fit

    @property
    def any(self) -> bool:
        """Whether there is doubt at all."""
        return self.throughout > 0 or self.on_misfit > 0


def levels_of(asked: str | float, *, calibrated: bool) -> DoubtLevels:
    """What `doubt` asks for; "auto" is for scores that the numbers were learnt with."""
    if asked == OFF or (asked == AUTO and not calibrated):
        return DoubtLevels(0.0)
    if asked == AUTO:
        return DoubtLevels(THROUGHOUT, ON_MISFIT)
    if isinstance(asked, str) or not 0 <= asked <= 1:
        expected = f"{quote(AUTO)}, {quote(OFF)} or a probability"
        raise OptionError(f"doubt: expected {expected}, found {quote(asked)}")
    return DoubtLevels(asked)


@dataclass(frozen=True, eq=False)
class Exchanged:
    """DAGs in place of drawn ones."""

    dags: NDArray[np.bool_]  # (K, n, n)
    weights: Floats  # (K,), summing to 1
    origin: NDArray[np.intp]  # (K,): the draw that each came from


def exchange(
    dags: NDArray[np.bool_],
    weights: Floats,
    may_turn: Dag,
    allowed: Callable[[Node, Parents], bool],
    rng: np.random.Generator,
) -> Exchanged:
    """Of weighted draws (M, n, n): each replaced by members of its class whose parents are allowed.

    The heaviest unique DAGs are exchanged one by one; of all others a few, spread evenly over their
    weights, stand for the rest.
    """
    unique, place = distinct(dags)
    share: Floats = np.bincount(place, weights=weights).astype(np.float64)
    first = np.full(len(unique), -1)
    first[place[::-1]] = np.arange(len(dags))[::-1]  # the first draw of each
    found: list[NDArray[np.bool_]] = []
    shares: list[Floats] = []
    origin: list[NDArray[np.intp]] = []
    known: dict[tuple[bytes, bytes], NDArray[np.bool_]] = {}
    for number, weight in _representatives(share, rng):
        dag = unique[number]
        # All that a class with fixed edges depends on.
        key = cpdag(dag[None]).tobytes(), (dag & ~may_turn).tobytes()
        if key not in known:
            members = class_members(dag, may_turn, most=LISTED, n_drawn=N_DRAWN, rng=rng)
            known[key] = members[[_is_allowed(one, allowed) for one in members]]
        kept = known[key] if len(known[key]) else dag[None]
        found.append(kept)
        shares.append(np.full(len(kept), weight / len(kept)))
        origin.append(np.full(len(kept), first[number]))
    return Exchanged(np.concatenate(found), np.concatenate(shares), np.concatenate(origin))


def _representatives(share: Floats, rng: np.random.Generator) -> list[tuple[int, float]]:
    """Numbers of unique DAGs with these shares, and what each of them stands for."""
    order = np.argsort(-share, kind="stable")
    heaviest, others = order[:N_HEAVIEST], order[N_HEAVIEST:]
    found = [(int(number), float(share[number])) for number in heaviest]
    rest = float(share[others].sum())
    if rest > 0:
        steps = rest * (np.arange(N_OTHERS) + rng.random()) / N_OTHERS
        at = np.minimum(np.searchsorted(share[others].cumsum(), steps), len(others) - 1)
        found += [(int(number), rest / N_OTHERS) for number in others[at]]
    return found


def with_doubt(
    posterior: Posterior, table: ScoreTable, levels: DoubtLevels, seed: int
) -> Posterior:
    """The same posterior with exchanged DAGs behind its own, and less weight on these."""
    misfitting = posterior.checks.misfitting() if posterior.checks else []
    rng = np.random.default_rng([seed, *b"doubt"])
    n = posterior.n_variables
    # What experiments or knowledge tell is not in doubt.
    told = np.zeros((n, n), dtype=bool) if posterior.identified is None else posterior.identified
    parts = [(levels.throughout, ~told)]
    if misfitting:
        parts.append(((1 - levels.throughout) * levels.on_misfit, edges_at(misfitting, n) & ~told))
    found = [
        (share, exchange(posterior.dags, posterior.weights, turned, _in_space(table), rng))
        for share, turned in parts
        if share > 0
    ]
    if not found:
        return posterior
    left = 1 - sum(share for share, _ in found)
    new = np.concatenate([exchanged.dags for _, exchanged in found])
    origin = np.concatenate([exchanged.origin for _, exchanged in found])
    weights = np.concatenate([share * exchanged.weights for share, exchanged in found])
    with np.errstate(divide="ignore"):  # of what has no doubt, and of what is nothing but doubt
        log_weights = np.concatenate([np.log(left) + posterior.log_weights, np.log(weights)])
    log_weights = np.maximum(log_weights, LEAST_LOG_WEIGHT)
    # As many edges as before: what the prior makes of their number is the same.
    of_number = posterior.log_target - table.log_scores_of(posterior.dags)
    return replace(
        posterior,
        dags=np.concatenate([posterior.dags, new]),
        log_weights=log_weights - logsumexp(log_weights),
        log_target=np.concatenate(
            [posterior.log_target, table.log_scores_of(new) + of_number[origin]]
        ),
        chain=np.concatenate([posterior.chain, posterior.chain[origin]]),
        gammas=None
        if posterior.gammas is None
        else np.concatenate([posterior.gammas, posterior.gammas[origin]]),
        local_scores=_with_scores_of(new, posterior.local_scores, table),
        plain_log_weights=posterior.log_weights,
    )


def _is_allowed(dag: Dag, allowed: Callable[[Node, Parents], bool]) -> bool:
    sets = (tuple(np.flatnonzero(column).tolist()) for column in dag.T)
    return all(allowed(node, parents) for node, parents in enumerate(sets))


def _in_space(table: ScoreTable) -> Callable[[Node, Parents], bool]:
    """Whether parents were scored, and the prior allows them."""

    @cache
    def allowed(node: Node, parents: Parents) -> bool:
        try:
            return table.log_score(node, parents) > -np.inf
        except OptionError:  # from outside the space
            return False

    return allowed


def _with_scores_of(dags: NDArray[np.bool_], known: LocalScores, table: ScoreTable) -> LocalScores:
    """With the table's numbers for parent sets that were not among the draws."""
    node, parents = [known.node], [known.parents]
    values = [known.log_marginal]
    for v, places in enumerate(known.places(dags)):
        first, _ = distinct_rows(dags[places < 0, :, v])
        sets = dags[places < 0, :, v][first]
        node.append(np.full(len(sets), v, dtype=np.int32))
        parents.append(sets)
        values.append(np.array([_log_marginal(table, v, one) for one in sets]))
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


def _log_marginal(table: ScoreTable, node: Node, parents: NDArray[np.bool_]) -> float:
    return table.log_marginal(node, tuple(np.flatnonzero(parents).tolist()))


def edges_at(nodes: Sequence[Node], n_variables: int) -> Dag:
    """(n, n): between one of these nodes and any other."""
    turned = np.zeros((n_variables, n_variables), dtype=bool)
    turned[list(nodes)] = True
    return turned | turned.T
