"""Given rows as they would have been, and new rows from the networks that were learnt."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Floats, Node
from gpnet.effects.abduction import Rows
from gpnet.effects.actions import Value, checked_value, standardised
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.measure import check_draws, sample_rows
from gpnet.effects.networks import Network, choose_dags, draw_networks, with_parents
from gpnet.effects.new_rows import NewRows
from gpnet.effects.noise import MOST_ROWS, noise_of
from gpnet.effects.quantities import TAILS

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

MOST_SIMULATED = 10**7


def counterfactual(
    posterior: "Posterior", source: Any, do: Mapping[str, Any], *, draws: int, seed: int
) -> pd.DataFrame:
    """See `Posterior.counterfactual`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    settings = checked_settings(model, do)
    if not settings:
        raise OptionError("do: what is set to which value, as in {'A': 1.5}; found nothing")
    rows, n = NewRows.of(model, source), len(model.names)
    rows.require(range(n))
    rng = np.random.default_rng([seed, *b"counterfactual"])
    found: list[list[Floats]] = [[] for _ in range(n)]
    for network in draw_networks(model, choose_dags(model, draws, rng), seed, with_parents):
        data = network.data
        state = Rows.of(network, rows.standardised(data), None, rng)
        given = {v: standardised(data, v, [x])[None, :, None] for v, x in settings.items()}
        under = state.under(given)
        for v in range(n):
            z = under.get(v, state.natural[v][:, None])[:, 0]
            shape = network.n, len(rows)
            found[v].append(np.broadcast_to(data.to_measured(v, z), shape))
    return _told(model, rows, [np.concatenate(each) for each in found])


def _told(model: LearntModel, rows: NewRows, drawn: list[Floats]) -> pd.DataFrame:
    """A line for each row and variable that is a number."""
    parts = []
    for v, draws in enumerate(drawn):
        if model.levels(v):
            continue
        low, high = np.quantile(draws, TAILS, axis=0)
        numbers = {"actual": rows.values[:, v], "mean": draws.mean(axis=0)}
        error = draws.std(axis=0) / np.sqrt(len(draws))
        numbers |= {"low": low, "high": high, "mean_error": error}
        names = {"row": np.arange(1, len(rows) + 1), "variable": model.names[v]}
        parts.append(pd.DataFrame({**names, **numbers}))
    return pd.concat(parts).sort_values("row", kind="stable").reset_index(drop=True)


def checked_settings(model: LearntModel, do: Mapping[str, Any] | None) -> dict[Node, Value]:
    """Names and values that a user gives, as numbers of variables and sound values."""
    if do is None:
        return {}
    if not isinstance(do, Mapping):
        raise OptionError(f"do: a mapping as in {{'A': 1.5}}; found {quote(do)}")
    nodes = {model.column("do", name): value for name, value in do.items()}
    return {node: checked_value(model, node, value) for node, value in nodes.items()}


def simulate(
    posterior: "Posterior", n: int, do: Mapping[str, Any] | None, *, draws: int, seed: int
) -> pd.DataFrame:
    """See `Posterior.simulate`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 1 <= n <= MOST_SIMULATED:
        raise OptionError(
            f"n: a whole number of rows, at most {MOST_SIMULATED:,}; found {quote(n)}"
        )
    settings = checked_settings(model, do)
    rng = np.random.default_rng([seed, *b"simulate"])
    chosen = choose_dags(model, draws, rng)
    each = -(-n // sum(one.n for one in chosen))  # rows from each draw of functions
    parts = [
        _simulated(model, network, settings, each, rng)
        for network in draw_networks(model, chosen, seed, with_parents)
    ]
    values = rng.permutation(np.concatenate(parts))[:n]
    frame = pd.DataFrame(values, columns=list(model.names))
    for v, name in enumerate(model.names):
        levels = model.levels(v)
        if levels:
            frame[name] = np.array(levels, dtype=object)[values[:, v].round().astype(int)]
    return frame


def _simulated(
    model: LearntModel,
    network: Network,
    settings: Mapping[Node, Value],
    each: int,
    rng: np.random.Generator,
) -> Floats:
    """(K each, n), in the user's units: noise is drawn anew, exogenous columns row by row."""
    data, shape, n = network.data, (network.n, each), len(network.order)
    modelled = {v for v in range(n) if not model.given.is_exogenous(v)}
    noises = noise_of(model, network, modelled, sample_rows(model, MOST_ROWS), rng)
    drawn: dict[Node, Floats] = {}
    rows = rng.integers(data.n_rows, size=shape)
    for v in network.order:
        if v in settings:
            drawn[v] = np.full(shape, standardised(data, v, [settings[v]])[0])
        elif v not in modelled:
            drawn[v] = data.standardised()[rows, v]
        else:
            drawn[v] = noises[v].draw(shape, rng)
            if v in network.functions:
                columns = [drawn[parent] for parent in network.parents(v)]
                drawn[v] = drawn[v] + network.functions[v].at(columns)
    return np.stack([data.to_measured(v, drawn[v]).ravel() for v in range(n)], axis=1)
