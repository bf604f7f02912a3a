"""One number for directions: how often real tables tell none.

Curves, noise and independences tell directions if the model holds. On real tables of known order
they were right little more often than a coin, whatever told them (docs/honesty.md). So with
probability kappa a drawn DAG keeps its adjacencies only, and its edges follow a random order of the
nodes. Orders come in pairs, each with its opposite at half the weight: each edge then points either
way just as often, and the probability of an arrow is

    (1 - kappa) P(A -> B) + kappa / 2 P(A and B adjacent),

without any error of its own. What experiments or knowledge identify stays as it was drawn: both
orders agree with it, and turn all other edges that it leaves two directions, but for a few beside
irregular patterns of known ones (`graphs.opposite_orders`).

KAPPA is fitted to real tables and pairs by `python -m experiments real-tables`, which says how
uncertain it is: 0.73, with a standard error of 0.14; 0.65 with the Tuebingen pairs, on which noise
was chosen. It was 0.75 before, and was left there.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Dag, Floats
from gpnet.graphs.distinct import distinct_rows
from gpnet.graphs.opposite_orders import opposite_orders
from gpnet.inference.settings import AUTO, OFF
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.posterior import Posterior

KAPPA: Final = 0.75
N_VERSIONS: Final = 3  # of a draw: as it is, and along an order and its reverse
MIN_LOG_WEIGHT: Final = -1e6  # of a draw that nothing is left of

Dags = NDArray[np.bool_]


def kappa_of(asked: str | float, *, fitted: bool) -> float:
    """What `doubt` asks for; "auto" is for the score that KAPPA was fitted with."""
    if asked == OFF or (asked == AUTO and not fitted):
        return 0.0
    if asked == AUTO:
        return KAPPA
    if isinstance(asked, str) or not 0 <= asked <= 1:
        expected = f"{quote(AUTO)}, {quote(OFF)} or a probability"
        raise OptionError(f"doubt: expected {expected}, found {quote(asked)}")
    return asked


def with_open_directions(posterior: Posterior, kappa: float, seed: int) -> Posterior:
    """The same posterior with each draw followed, far behind, by its two re-oriented versions."""
    if not kappa:
        return posterior
    rng = np.random.default_rng([seed, *b"orientation"])
    turned = reoriented(posterior.dags, posterior.identified, rng)
    with np.errstate(divide="ignore"):  # at kappa = 1
        shares = np.log([1 - kappa, kappa / 2, kappa / 2])
    log_weights = np.concatenate([share + posterior.log_weights for share in shares])

    def thrice(values: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([values] * N_VERSIONS)

    return replace(
        posterior,
        dags=np.concatenate([posterior.dags, *turned]),
        log_weights=np.maximum(log_weights, MIN_LOG_WEIGHT),
        log_target=thrice(posterior.log_target),
        chain=thrice(posterior.chain),
        gammas=None if posterior.gammas is None else thrice(posterior.gammas),
        local_scores=_with_unscored(posterior.local_scores, np.concatenate(turned)),
        plain_log_weights=posterior.log_weights,
    )


def reoriented(dags: Dags, identified: Dag | None, rng: np.random.Generator) -> tuple[Dags, Dags]:
    """Each of (M, n, n) along a random order of its nodes, and along the opposite one."""
    kept = np.zeros_like(dags) if identified is None else dags & identified
    adjacent = dags | dags.swapaxes(1, 2)
    one, other = opposite_orders(kept, adjacent, rng)
    return _along(adjacent, one), _along(adjacent, other)


def _along(adjacent: Dags, place: NDArray[np.intp]) -> Dags:
    """Every edge from the earlier node to the later one."""
    return np.asarray(adjacent & (place[:, :, None] < place[:, None, :]))


def _with_unscored(known: LocalScores, dags: Dags) -> LocalScores:
    """With the parent sets that have no score, as nobody asked for one."""
    nodes, parents = [known.node], [known.parents]
    for node, places in enumerate(known.places(dags)):
        sets = dags[places < 0, :, node]
        first, _ = distinct_rows(sets)
        nodes.append(np.full(len(first), node, dtype=np.int32))
        parents.append(sets[first])
    unknown = np.full(sum(map(len, nodes[1:])), np.nan)
    numbers: Sequence[Floats] = [
        np.concatenate([getattr(known, name), unknown])
        for name in ("log_marginal", "std_error", "linear", "shaped", "varying")
    ]
    return LocalScores(np.concatenate(nodes), np.concatenate(parents), *numbers)
