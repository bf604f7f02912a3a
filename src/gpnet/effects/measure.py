"""The effect of some variables on another: draws of it, and what they say together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Dag, Floats, Node
from gpnet.effects.abduction import Rows, row_weights
from gpnet.effects.actions import Action, Causes, Value, standardised
from gpnet.effects.effect import Effect, Grounds, pooled_quantiles
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.networks import Network, choose_dags, draw_networks, with_parents
from gpnet.effects.quantities import Quantity, Summaries, summarise
from gpnet.graphs.reachability import ancestors
from gpnet.inference.fit_relations import rows_shown

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

MOST_ROWS: Final = 1000  # that are pushed through, the same for all
STEP: Final = 0.02  # of a standard deviation, for slopes
N_SHOWN: Final = 20  # rows of each draw that tell how the target itself is distributed
MOST_DRAWS: Final = 100_000


def measure_effect(
    posterior: "Posterior",
    causes: Causes,
    on: str,
    *,
    do: Sequence[Any] | None,
    direct: bool,
    draws: int,
    seed: int,
) -> Effect:
    """See `Posterior.effect`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    action = Action.of(model, causes, do)
    target = model.modelled("on", on)
    if target in action.causes:
        raise OptionError(f"on: {quote(on)} is among the causes; name another variable")
    holds = _any_effect(model.dags(), action.causes, target, direct=direct)
    (probability,) = posterior.probabilities(holds[:, None])
    grounds = Grounds(
        all(is_identified(posterior)[cause, target] for cause in action.causes),
        left_open(posterior),
        float(if_model_holds(posterior, holds)),
    )
    question = Question(model, action, target, direct, sample_rows(model, MOST_ROWS))
    return question.answer(probability, grounds, draws, seed)


def is_identified(posterior: "Posterior") -> NDArray[np.bool_]:
    """(n, n), symmetric: which pairs an experiment or knowledge tells the order of."""
    none = np.zeros((posterior.n_variables, posterior.n_variables), dtype=bool)
    return none if posterior.identified is None else posterior.identified


def left_open(posterior: "Posterior") -> float:
    """With what probability directions are that only the model tells."""
    return 0.0 if posterior.plain_log_weights is None else posterior.diagnosis.doubt_throughout or 0


def if_model_holds(posterior: "Posterior", events: NDArray[np.bool_]) -> Floats:
    """(...): the probability of events (M, ...) where no direction is left open."""
    plain = posterior.plain_log_weights
    if plain is None:
        return np.asarray(np.tensordot(posterior.weights, events, 1))
    return np.asarray(np.tensordot(np.exp(plain), events[: len(plain)], 1))


def check_draws(draws: int, seed: int) -> None:
    """Two or more, and a seed that is one."""
    for name, value, least in (("draws", draws, 2), ("seed", seed, 0)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name}: a whole number, at least {least}; found {quote(value)}")
    if draws > MOST_DRAWS:
        raise OptionError(f"draws: at most {MOST_DRAWS:,}, found {draws:,}")


def sample_rows(model: LearntModel, most: int) -> NDArray[np.intp]:
    """All rows, or so many, the same whatever the seed."""
    return rows_shown(model.given.n_rows, most)


def were_set(model: LearntModel, rows: NDArray[np.intp]) -> NDArray[np.bool_] | None:
    """(R, n): cells that an experimenter set, if there are any at all."""
    cells = model.given.interventions
    return None if cells is None else cells[rows]


def _any_effect(
    dags: NDArray[np.bool_], causes: Sequence[Node], target: Node, *, direct: bool
) -> NDArray[np.bool_]:
    """(M,): whether an edge, or a directed path, leads from one of the causes to the target."""
    paths = dags if direct else ancestors(dags)
    return np.asarray(paths[:, list(causes), target].any(axis=1))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What one network says, K draws of each."""

    level: Floats  # (K, V): the mean of the target under each setting
    slope: Floats  # (K,)
    shown: Floats  # (K N_SHOWN, V): some rows of the target
    rows: Floats  # (V - 1, R), summed: the contrast, and by how much each setting changes rows


@dataclass(frozen=True, eq=False)
class Question:
    """Which effect is asked for, and the rows to answer it with."""

    model: LearntModel
    action: Action
    target: Node
    direct: bool
    rows: NDArray[np.intp]  # (R,)

    @property
    def settings(self) -> list[tuple[Value, ...]]:
        """(V,): start and end of the contrast, then those of the curve."""
        return [self.action.start, self.action.end, *self.action.steps(self.model)]

    @property
    def has_slope(self) -> bool:
        """Of one cause that is a number."""
        return len(self.action.causes) == 1 and not self.model.levels(self.action.causes[0])

    def answer(self, probability: Any, grounds: Grounds, n_draws: int, seed: int) -> Effect:
        """From so many draws of functions, or one more."""
        rng = np.random.default_rng([seed, *b"effect"])
        chosen = choose_dags(self.model, n_draws, rng)
        found, dag, any_effect = [], [], []
        for network in draw_networks(self.model, chosen, seed, self._needed):
            found.append(self._push(network, np.random.default_rng(rng.integers(2**63))))
            dag += [network.number] * network.n
            causes = self.action.causes
            any_effect += [self._holds(network.dag, causes)] * network.n
        level = np.concatenate([one.level for one in found])
        numbers = np.column_stack([level[:, 1] - level[:, 0], level[:, 2:]])
        by_row = np.sum([one.rows for one in found], axis=0) / len(level)
        errors = row_errors(by_row, self.model.given.n_rows)
        groups = np.array(dag)
        both = summarise(numbers, groups, rng, errors)
        slopes = np.concatenate([one.slope for one in found])[:, None]
        slope = summarise(slopes, groups, rng).at(0) if self.has_slope else None
        return Effect(
            causes=tuple(self.model.names[v] for v in self.action.causes),
            on=self.model.names[self.target],
            direct=self.direct,
            probability=probability,
            start=self.action.start,
            end=self.action.end,
            contrast=both.at(0),
            contrast_if_any=_given(numbers[:, :1], groups, np.array(any_effect), rng),
            derivative=slope,
            values=tuple(self.settings[2:]),
            curve=_without_first(both),
            quantiles=pooled_quantiles(np.concatenate([one.shown for one in found])[:, 2:]),
            draws=numbers[:, 0],
            n_dags=len(chosen),
            n_rows=len(self.rows),
            grounds=grounds,
        )

    def _holds(self, dag: Dag, causes: Sequence[Node]) -> bool:
        return bool(_any_effect(dag[None], causes, self.target, direct=self.direct)[0])

    def _needed(self, dag: Dag) -> set[Node]:
        """Nodes on the way from causes to the target; all, where rows have to be made natural."""
        if self.model.given.interventions is not None and not self.direct:
            return with_parents(dag)
        if not self._holds(dag, self.action.causes):
            return set()
        if self.direct:
            return {self.target}
        paths = ancestors(dag[None])[0]
        down = paths[list(self.action.causes)].any(axis=0)
        up = paths[:, self.target].copy()
        up[self.target] = True
        return set(np.flatnonzero(down & up).tolist())

    def _push(self, network: Network, rng: np.random.Generator) -> Drawn:
        data, z = network.data, network.data.standardised()[self.rows]
        fewer = len(self.rows) < data.n_rows
        rows = Rows.of(network, z, were_set(self.model, self.rows), rng, centred=fewer)
        values = self.settings
        given: dict[Node, Floats] = {
            node: standardised(data, node, [value[i] for value in values])[None, :, None]
            for i, node in enumerate(self.action.causes)
        }
        weights = row_weights(network.n, len(z), data.n_rows, rng)
        under = self._target_under(rows, given)
        shape = network.n, len(values), len(z)
        y = np.broadcast_to(data.to_measured(self.target, under), shape)
        level = np.einsum("kvr,kr->kv", y, weights) + left_out(rows, self.rows, self.target)
        some = rng.integers(len(z), size=N_SHOWN)
        shown = y[:, :, some].transpose(0, 2, 1).reshape(-1, len(values))
        slope = self._slope(rows, weights) if self.has_slope else np.zeros(network.n)
        natural = data.to_measured(self.target, rows.natural[self.target])[:, None]
        changes = np.concatenate([y[:, 1:2] - y[:, :1], y[:, 2:] - natural], axis=1)
        return Drawn(level, slope, shown, changes.sum(axis=0))

    def _target_under(self, rows: Rows, settings: Mapping[Node, Floats]) -> Floats:
        found = rows.under(settings)
        return found.get(self.target, rows.natural[self.target][:, None])

    def _slope(self, rows: Rows, weights: Floats) -> Floats:
        """(K,): what a small step of the cause, from where it is, does to the target."""
        data, (cause,) = rows.network.data, self.action.causes
        ends = small_steps(self.model, rows, cause)
        given = {cause: data.from_measured(cause, ends)}
        y = data.to_measured(self.target, self._target_under(rows, given))
        if y.shape[1] == 1:  # nothing was changed
            return np.zeros(rows.network.n)
        slope = (y[:, 1] - y[:, 0]) / (ends[:, 1] - ends[:, 0])
        return np.asarray((slope * weights).sum(axis=1))


def left_out(state: Rows, used: NDArray[np.intp], target: Node) -> Floats:
    """(K, 1): by how much the mean of a variable over all rows differs from that of those used."""
    data = state.network.data
    if len(used) == data.n_rows or data.interventions is not None:
        return np.zeros((1, 1))
    natural = data.to_measured(target, state.natural[target])
    every = data.to_measured(target, data.standardised()[:, target])
    return np.asarray(every.mean() - natural.mean(axis=1, keepdims=True))


def row_errors(by_row: Floats, n_all: int) -> Floats:
    """(Q,): errors of means over R rows (Q, R) that stand for all; none if these are all."""
    n_rows = by_row.shape[1]
    return np.asarray(by_row.std(axis=1) * np.sqrt((1 - n_rows / n_all) / n_rows))


def small_steps(model: LearntModel, rows: Rows, cause: Node) -> Floats:
    """(K, 2, R): a little below and above where the cause is, within its range; user's units."""
    observed = model.observed(cause)
    at = rows.network.data.to_measured(cause, rows.natural[cause])
    step = STEP * float(observed.std())
    low, high = float(observed.min()), float(observed.max())
    return np.stack([np.clip(at - step, low, high - step), np.clip(at + step, low + step, high)], 1)


def _given(
    draws: Floats, dag: NDArray[np.intp], holds: NDArray[np.bool_], rng: np.random.Generator
) -> Quantity | None:
    """In the DAGs that have an effect."""
    if not holds.any():
        return None
    return summarise(draws[holds], dag[holds], rng).at(0)


def _without_first(numbers: Summaries) -> Summaries:
    return Summaries(**{name: array[1:] for name, array in vars(numbers).items()})
