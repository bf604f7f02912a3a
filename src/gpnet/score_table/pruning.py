"""Which parent sets of a node are worth scoring, told from smaller ones and a surrogate.

A DAG that may take S may take every subset T of S. Where some T scores better by D nats, S can be
left out at a relative cost of some exp(-D). To know that without scoring S, a surrogate q in closed
form says what its log marginal may be, mended by what it errs on sets T one smaller; and pairs of
these say what two parents are worth that do not know of each other. The larger is taken:

    q(S) + max over T of [log p(T) - q(T)],
    max over i, j of log p(S - i) + log p(S - j) - log p(S - i - j).

The surrogate alone misses much on real tables: its noise is normal, and of a size that does not
vary. S is left out if with its prior this is more than D below its best subset. Of the others,
those of few parents that are nearly as good as their best subset are scored at once, and the rest
once they are drawn: the same number is drawn from, as what is drawn too often shows, and what is
too seldom does not. With a parent from outside the candidates, where a search has found nothing, S
is scored at once only if it promises much.

Of a set that was not scored, the prediction stands in for the log marginal further up. No parents,
single ones and pairs of candidates are always scored: what no prediction can see shows there.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node
from gpnet.score_table.search_space import SearchSpace

# Parents of a set that may be left out. Two that help only together show as a pair: on the table of
# wines a pair scored 7 nats above its prediction, as the size of the noise varies with both.
SMALLEST: Final = 3
SMALLEST_OUTSIDE: Final = 2  # with one from outside the candidates
# Nats below its best subset, up to which a set is scored at once. With these, and draws that score
# what they meet, edge probabilities of the paper's networks change by .001 (see `benchmarks`).
CLOSE: Final = 5.0
CLOSE_OUTSIDE: Final = -3.0  # with a parent from outside the candidates
# Only of so few parents are sets scored before they are drawn: where columns nearly repeat each
# other, most of very many larger ones are better than their subsets, and next to none is drawn.
MOST_AT_ONCE: Final = 4
MOST_AT_ONCE_OUTSIDE: Final = 2


class Choice(NamedTuple):
    """Of the sets of one size, in the order of the space."""

    scored: NDArray[np.bool_]  # (n_sets,): are worth it
    predictions: Floats  # (n_sets,): log marginals; nan where there is none
    drawn_from: NDArray[np.bool_]  # (n_sets,): the prediction will do, until it is drawn


class Levels:
    """The parent sets of one node, size by size; `margin` is D, in nats."""

    def __init__(
        self,
        space: SearchSpace,
        node: Node,
        log_priors: Floats,
        margin: float,
        surrogate: Callable[[Node, int], Floats],  # log marginals of all sets of a node and size
    ) -> None:
        self._space, self._node, self._margin = space, node, margin
        self._log_priors, self._surrogate = log_priors, surrogate
        self._m, self._q = len(space.candidates[node]), len(space.plus_one_parents(node))
        self._quick: Floats = np.empty(0)  # the surrogate's, of the size at hand
        self._predictions: Floats = np.empty(0)
        self._error = self._best = _Level(np.empty((1, 0)), np.empty((self._q, 0)))
        self._below = self._twice_below = self._best  # log marginals, known or predicted

    def choose(self, size: int) -> Choice:
        """Of the next size."""
        self._quick = self._surrogate(self._node, size)
        n_sets = len(self._quick)
        self._predictions = np.full(n_sets, np.nan)
        every = np.ones(n_sets, dtype=bool)
        if size < SMALLEST_OUTSIDE:
            return Choice(every, self._predictions, ~every)
        inside = np.arange(n_sets) < comb(self._m, size)
        close = _close(size, inside)
        self._predictions = self._quick + self._over_subsets(self._error, size)
        # Of columns that nearly repeat each other pairs promise far too much: not of sets that are
        # scored only once they are drawn, as very many would be.
        at_once = close > -np.inf
        by_pairs = np.where(at_once, self._second_order(size), np.nan)
        self._predictions = np.fmax(self._predictions, by_pairs)
        # Beside what the prior forbids there may be no best subset, or no prediction: scored.
        with np.errstate(invalid="ignore"):
            best = self._over_subsets(self._best, size) - self._prior(size)
            scored = ~(best - self._predictions > np.minimum(close, self._margin))
            scored |= inside & (size < SMALLEST)
            drawn_from = ~scored & ~(best - self._predictions > self._margin)
        return Choice(scored, self._predictions, drawn_from)

    def record(self, log_marginals: Floats, size: int) -> None:
        """The log marginals of the size that was chosen last; nan where they were not computed."""
        known = np.where(np.isnan(log_marginals), self._predictions, log_marginals)
        scores = np.nan_to_num(log_marginals + self._prior(size), nan=-np.inf)
        if size:
            scores = np.fmax(scores, self._over_subsets(self._best, size))
        self._twice_below, self._below = self._below, self._level(known, size)
        self._error = self._level(known - self._quick, size)
        self._best = self._level(scores, size)

    def _prior(self, size: int) -> Floats:
        places = self._space.positions(self._node, size)
        return self._log_priors[places.start : places.stop]

    def _level(self, values: Floats, size: int) -> "_Level":
        n_inside, n_outside = comb(self._m, size), comb(self._m, size - 1) if size else 0
        return _Level(values[None, :n_inside], values[n_inside:].reshape(self._q, n_outside))

    def _over_subsets(self, below: "_Level", size: int) -> Floats:
        """(n_sets,): of each set the largest number of its subsets one smaller."""
        inside = np.full((1, comb(self._m, size)), np.nan)
        for faces in _faces(self._m, size).T:
            inside = np.fmax(inside, below.inside[:, faces])
        outside = np.repeat(below.inside, self._q, axis=0)
        for faces in _faces(self._m, size - 1).T if size > 1 else ():
            outside = np.fmax(outside, below.outside[:, faces])
        return np.concatenate([inside.ravel(), outside.ravel()])

    def _second_order(self, size: int) -> Floats:
        """(n_sets,): the largest of log p(S - i) + log p(S - j) - log p(S - i - j)."""
        below, twice = self._below, self._twice_below
        inside = np.full((1, comb(self._m, size)), np.nan)
        outside = np.full((self._q, comb(self._m, size - 1)), np.nan)
        for one, other, both in _pairs_of_faces(self._m, size):
            change = below.inside[:, one] + below.inside[:, other] - twice.inside[:, both]
            inside = np.fmax(inside, change)
        for one, other, both in _pairs_of_faces(self._m, size - 1):
            change = below.outside[:, one] + below.outside[:, other] - twice.outside[:, both]
            outside = np.fmax(outside, change)
        for faces in _faces(self._m, size - 1).T:  # without the one from outside, or a candidate
            change = below.outside[:, faces] + below.inside - twice.inside[:, faces]
            outside = np.fmax(outside, change)
        return np.concatenate([inside.ravel(), outside.ravel()])


def _pairs_of_faces(
    m: int, size: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
    """Of each pair i < j, where the sets without i, without j and without both stand."""
    if size < 2:
        return
    faces, smaller = _faces(m, size), _faces(m, size - 1)
    for i, j in combinations(range(size), 2):
        yield faces[:, i], faces[:, j], smaller[faces[:, i], j - 1]


def _close(size: int, inside: NDArray[np.bool_]) -> Floats:
    """Nats below its best subset, up to which a set of so many parents is scored at once."""
    within = CLOSE if size <= MOST_AT_ONCE else -np.inf
    without = CLOSE_OUTSIDE if size <= MOST_AT_ONCE_OUTSIDE else -np.inf
    return np.where(inside, within, without)


class _Level(NamedTuple):
    """Numbers of the sets of one size: of candidates alone, and by the parent from outside."""

    inside: Floats  # (1, C(m, size))
    outside: Floats  # (q, C(m, size - 1))


@lru_cache(maxsize=64)
def _faces(m: int, size: int) -> NDArray[np.intp]:
    """(C(m, size), size): where the set without its i-th member stands among the smaller ones."""
    sets = np.array(list(combinations(range(m), size)), dtype=np.intp).reshape(-1, size)
    return np.stack([_ranks(np.delete(sets, i, axis=1), m) for i in range(size)], axis=1)


def _ranks(sets: NDArray[np.intp], m: int) -> NDArray[np.intp]:
    """(rows,): the place of each sorted set among all of its size, in lexicographic order."""
    size = sets.shape[1]
    choose = np.array([[comb(a, b) for b in range(size + 1)] for a in range(m + 1)], dtype=np.intp)
    after = [choose[m - 1 - sets[:, i], size - i] for i in range(size)]
    return np.asarray(comb(m, size) - 1 - sum(after, np.zeros(len(sets), dtype=np.intp)))
