"""The effects of all variables on all others, from one set of drawn networks, in one pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node
from gpnet.effects.abduction import Rows, row_weights
from gpnet.effects.actions import Value, curve_values, standardised, usual_contrast
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.matrix import EffectMatrix, PairCurve
from gpnet.effects.measure import (
    check_draws,
    if_model_holds,
    is_identified,
    left_open,
    left_out,
    row_errors,
    sample_rows,
    small_steps,
    were_set,
)
from gpnet.effects.networks import Network, choose_dags, draw_networks, with_parents
from gpnet.effects.quantities import TAILS, summarise
from gpnet.graphs.reachability import ancestors
from gpnet.runtime.context import RunContext

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

MOST_ROWS: Final = 1000  # that are pushed through,
FEWEST_ROWS: Final = 200  # or so many
ROWS_TIMES_PAIRS: Final = 200_000  # where variables are many
LEAST: Final = 0.05  # probability of an effect that has a curve
MOST_CURVES: Final = 1000

Pair = tuple[Node, Node]  # cause and target


def measure_all(
    posterior: "Posterior",
    *,
    draws: int,
    seed: int,
    curves: bool = False,
    context: RunContext | None = None,
) -> EffectMatrix:
    """See `Posterior.effects`; `OutOfTimeError` where the time of the context ends."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    n, rng = len(model.names), np.random.default_rng([seed, *b"effects"])
    leads = ancestors(model.dags())
    p, std_error = posterior._probabilities(leads)
    modelled = np.array([not model.given.is_exogenous(v) for v in range(n)])
    pairs = _pairs_with_curves(p * modelled) if curves else []
    work = _Pass.of(model, pairs)
    chosen = choose_dags(model, draws, rng)
    found, dag, levels, paths = [], [], [], []
    for network in draw_networks(model, chosen, seed, with_parents, context):
        push = _Push(work, network, np.random.default_rng(rng.integers(2**63)))
        found.append(push.numbers())
        levels.append(push.levels)
        paths.append(np.repeat(ancestors(network.dag[None]), network.n, axis=0))
        dag += [network.number] * network.n
    drawn = np.concatenate(found)  # (T, 2, n, n)
    row_error = row_errors((work.by_row / len(drawn)).reshape(n * n, -1), model.given.n_rows)
    flat, groups = drawn.reshape(len(drawn), 2, -1), np.array(dag)
    start, end = zip(*work.contrasts, strict=True)
    return EffectMatrix(
        model.names,
        start,
        end,
        p,
        std_error,
        summarise(flat[:, 0], groups, rng, row_error),
        summarise(flat[:, 1], groups, rng),
        modelled,
        len(drawn),
        len(work.rows),
        if_model_holds(posterior, leads),
        is_identified(posterior),
        left_open(posterior),
        _curves(work, levels, drawn[:, 0], np.concatenate(paths)),
    )


def _pairs_with_curves(p: Floats) -> list[Pair]:
    """Whose effect is not negligible, the most probable first."""
    order = np.argsort(-p, axis=None, kind="stable")[:MOST_CURVES]
    causes, targets = np.unravel_index(order, p.shape)
    each = zip(causes.tolist(), targets.tolist(), strict=True)
    return [pair for pair in each if p[pair] >= LEAST]


def _curves(
    work: "_Pass", levels: list[dict[Pair, Floats]], contrasts: Floats, paths: NDArray[np.bool_]
) -> tuple[PairCurve, ...]:
    found = []
    for pair in work.pairs:
        level = np.concatenate([one[pair] for one in levels])  # (T, V)
        low, high = np.quantile(level, TAILS, axis=0)
        values, (cause, target) = tuple(work.values[pair[0]]), pair
        drawn = contrasts[:, cause, target], paths[:, cause, target]
        found.append(PairCurve(cause, target, values, level.mean(axis=0), low, high, *drawn))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Pass:
    """What is set to which values, and the rows that are pushed through."""

    model: LearntModel
    rows: NDArray[np.intp]  # (R,)
    contrasts: list[tuple[Value, Value]]  # of each variable
    pairs: list[Pair]  # that have curves
    values: Mapping[Node, list[Value]]  # of their causes
    by_row: Floats  # (n, n, R): contrasts, added up over draws

    @classmethod
    def of(cls, model: LearntModel, pairs: list[Pair]) -> "_Pass":
        """The quartiles of each cause, and as many values as its curve needs."""
        n = len(model.names)
        rows = sample_rows(model, n_rows(n))
        contrasts = [usual_contrast(model, v) for v in range(n)]
        causes = sorted({cause for cause, _ in pairs})
        values = {v: _values(model, v, contrasts[v]) for v in causes}
        return cls(model, rows, contrasts, pairs, values, np.zeros((n, n, len(rows))))

    def targets(self, cause: Node) -> list[Node]:
        """That have a curve of this cause."""
        return [target for other, target in self.pairs if other == cause]


def n_rows(n: int) -> int:
    """At most so many rows stand for all, so that work grows little faster than pairs do."""
    return int(np.clip(ROWS_TIMES_PAIRS // n**2, FEWEST_ROWS, MOST_ROWS))


def _values(model: LearntModel, cause: Node, ends: tuple[Value, Value]) -> list[Value]:
    """Of a curve, the ends of the contrast among them."""
    found = curve_values(model, cause)
    return found if model.levels(cause) else sorted({*found, *ends})


class _Push:
    """The rows under one network, each cause set in turn."""

    def __init__(self, work: _Pass, network: Network, rng: np.random.Generator) -> None:
        data, rows = network.data, work.rows
        z = data.standardised()[rows]
        self._work, self._network = work, network
        fewer = len(rows) < data.n_rows
        self._state = Rows.of(network, z, were_set(work.model, rows), rng, centred=fewer)
        self._weights = row_weights(network.n, len(z), data.n_rows, rng)
        self._shifts: dict[Node, Floats] = {}
        self.levels = {pair: self._natural(pair) for pair in work.pairs}  # (K, V) of each

    def numbers(self) -> Floats:
        """(K, 2, n, n): contrasts and slopes by cause and target; 0 where no path leads."""
        n = len(self._network.dag)
        found = np.zeros((self._network.n, 2, n, n))
        for cause in np.flatnonzero(self._network.dag.any(axis=1)).tolist():
            self._set(cause, found)
        return found

    def _set(self, cause: Node, found: Floats) -> None:
        model, data = self._work.model, self._network.data
        values = [*self._work.contrasts[cause], *self._work.values.get(cause, ())]
        given, steps = standardised(data, cause, values)[None, :, None], None
        if not model.levels(cause):
            steps = small_steps(model, self._state, cause)
            around = data.from_measured(cause, steps)
            shape = len(around), len(values), around.shape[2]
            given = np.concatenate([around, np.broadcast_to(given, shape)], axis=1)
        under = self._state.under({cause: given})
        first = given.shape[1] - len(values)  # of the values, after the small steps
        curved = self._work.targets(cause)
        for target, z in under.items():
            if target == cause:
                continue
            y = data.to_measured(target, z)
            moved = _differences(y[:, first:], y[:, :first], steps)
            found[:, :, cause, target] = np.einsum("kcr,kr->kc", moved, self._weights)
            self._work.by_row[cause, target] += moved[:, 0].sum(axis=0)
            if target in curved:
                level = np.einsum("kvr,kr->kv", y[:, first + 2 :], self._weights)
                self.levels[cause, target] = level + self._left_out(target)

    def _natural(self, pair: Pair) -> Floats:
        """Where the cause changes nothing, the mean of the target stays what it is."""
        (cause, target), data = pair, self._network.data
        y = data.to_measured(target, self._state.natural[target])
        level = (y * self._weights).sum(axis=1, keepdims=True) + self._left_out(target)
        return np.repeat(level, len(self._work.values[cause]), axis=1)

    def _left_out(self, target: Node) -> Floats:
        """What rows that are not used add to the mean of a target; worked out once."""
        if target not in self._shifts:
            self._shifts[target] = left_out(self._state, self._work.rows, target)
        return self._shifts[target]


def _differences(ends: Floats, around: Floats, steps: Floats | None) -> Floats:
    """(K, 2, R): the contrast and the slope in each row, of a target at those values (K, ., R)."""
    contrast = ends[:, 1] - ends[:, 0]
    if steps is None:
        return np.stack([contrast, np.full_like(contrast, np.nan)], axis=1)
    slope = (around[:, 1] - around[:, 0]) / (steps[:, 1] - steps[:, 0])
    return np.stack([contrast, slope], axis=1)
