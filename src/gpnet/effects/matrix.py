"""The effects of all variables on all others, from one set of drawn networks."""

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import one_of, quote
from gpnet.common.types import Floats
from gpnet.effects.abduction import Rows, row_weights
from gpnet.effects.actions import Value, standardised, usual_contrast
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.measure import check_draws, row_errors, sample_rows, small_steps, were_set
from gpnet.effects.networks import Network, choose_dags, draw_networks, with_parents
from gpnet.effects.quantities import Summaries, summarise
from gpnet.graphs.reachability import ancestors

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

MOST_ROWS: Final = 1000  # that are pushed through


@dataclass(frozen=True, eq=False, repr=False)
class EffectMatrix:
    """For each cause and target: is there an effect, and how large is it; in the table's units.

    Each cause goes from its lower to its upper quartile, a categorical one from its first level to
    its last.
    """

    names: tuple[str, ...]
    start: tuple[Value, ...]
    end: tuple[Value, ...]
    probability: Floats  # (n, n): of a directed path, [cause, target]
    probability_error: Floats
    contrast: Summaries  # (n n,) each: by cause, then by target
    derivative: Summaries  # the same, of mean slopes; nan for causes with levels
    modelled: NDArray[np.bool_]  # (n,): what can be a target
    n_draws: int
    n_rows: int

    def matrix(self, what: str = "mean") -> pd.DataFrame:
        """One number of each pair: the index is the cause, the columns are the target.

        "probability"; "mean", "low", "high", "sd", "mean_error" or "structural_share" of the
        contrast; or "derivative", its mean slope.
        """
        choices = ("probability", *vars(self.contrast), "derivative")
        if what not in choices:
            raise OptionError(f"what: {one_of(choices)}; found {quote(what)}")
        n = len(self.names)
        found = self.probability if what == "probability" else None
        if found is None:
            numbers = self.derivative.mean if what == "derivative" else getattr(self.contrast, what)
            found = numbers.reshape(n, n)
        index = pd.Index(self.names, name="cause", dtype=object)
        columns = pd.Index(self.names, name="target", dtype=object)
        return pd.DataFrame(np.array(found), index=index, columns=columns)

    def frame(self) -> pd.DataFrame:
        """A row for each cause and target, the most probable effects first."""
        n = len(self.names)
        causes, targets = (index.ravel() for index in np.indices((n, n)))
        names = np.array(self.names, dtype=object)
        columns = {
            "cause": names[causes],
            "target": names[targets],
            "probability": self.probability.ravel(),
            "probability_error": self.probability_error.ravel(),
            "from": np.array(self.start, dtype=object)[causes],
            "to": np.array(self.end, dtype=object)[causes],
            **vars(self.contrast),
            "derivative": self.derivative.mean,
            "derivative_low": self.derivative.low,
            "derivative_high": self.derivative.high,
        }
        kept = (causes != targets) & self.modelled[targets]
        found: pd.DataFrame = pd.DataFrame(columns)[kept]
        order = ["probability", "cause", "target"]
        found = found.sort_values(order, ascending=[False, True, True])
        return found.reset_index(drop=True)

    def __repr__(self) -> str:
        return f"<EffectMatrix of {len(self.names)} variables: {self.n_draws} draws>"

    def _repr_html_(self) -> str:
        table = self.matrix().to_html(float_format=lambda x: f"{x:.3g}")
        return f"<p>{escape(repr(self))}</p>{table}"


def measure_all(posterior: "Posterior", *, draws: int, seed: int) -> EffectMatrix:
    """See `Posterior.effects`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    n, rng = len(model.names), np.random.default_rng([seed, *b"effects"])
    contrasts = [usual_contrast(model, v) for v in range(n)]
    rows = sample_rows(model, MOST_ROWS)
    chosen = choose_dags(model, draws, rng)
    found, dag, by_row = [], [], np.zeros((n, n, len(rows)))
    for network in draw_networks(model, chosen, seed, with_parents):
        one = np.random.default_rng(rng.integers(2**63))
        found.append(_push(model, network, contrasts, rows, by_row, one))
        dag += [network.number] * network.n
    drawn = np.concatenate(found)  # (T, 2, n, n)
    row_error = row_errors((by_row / len(drawn)).reshape(n * n, -1), model.given.n_rows)
    flat, groups = drawn.reshape(len(drawn), 2, -1), np.array(dag)
    p, std_error = posterior._probabilities(ancestors(model.dags()))
    start, end = zip(*contrasts, strict=True)
    return EffectMatrix(
        model.names,
        start,
        end,
        p,
        std_error,
        summarise(flat[:, 0], groups, rng, row_error),
        summarise(flat[:, 1], groups, rng),
        np.array([not model.given.is_exogenous(v) for v in range(n)]),
        len(drawn),
        len(rows),
    )


def _push(
    model: LearntModel,
    network: Network,
    contrasts: list[tuple[Value, Value]],
    rows: NDArray[np.intp],
    by_row: Floats,
    rng: np.random.Generator,
) -> Floats:
    """(K, 2, n, n): contrasts and slopes by cause and target; 0 where no path leads.

    Contrasts in each row are added to `by_row` (n, n, R).
    """
    data, z, n = network.data, network.data.standardised()[rows], len(network.dag)
    fewer = len(rows) < data.n_rows
    state = Rows.of(network, z, were_set(model, rows), rng, centred=fewer)
    weights = row_weights(network.n, len(z), data.n_rows, rng)
    found = np.zeros((network.n, 2, n, n))
    for cause in np.flatnonzero(network.dag.any(axis=1)).tolist():
        ends = standardised(data, cause, contrasts[cause])[None, :, None]
        given, steps = ends, None
        if not model.levels(cause):
            steps = small_steps(model, state, cause)
            around = data.from_measured(cause, steps)
            given = np.concatenate([np.broadcast_to(ends, around.shape), around], axis=1)
        under = state.under({cause: given})
        for target, y in under.items():
            if target != cause:
                moved = _differences(data.to_measured(target, y), steps)
                found[:, :, cause, target] = np.einsum("kcr,kr->kc", moved, weights)
                by_row[cause, target] += moved[:, 0].sum(axis=0)
    return found


def _differences(y: Floats, steps: Floats | None) -> Floats:
    """(K, 2, R): the contrast and the slope in each row, of a target (K, 2 or 4, R)."""
    contrast = y[:, 1] - y[:, 0]
    if steps is None:
        return np.stack([contrast, np.full_like(contrast, np.nan)], axis=1)
    slope = (y[:, 3] - y[:, 2]) / (steps[:, 1] - steps[:, 0])
    return np.stack([contrast, slope], axis=1)
