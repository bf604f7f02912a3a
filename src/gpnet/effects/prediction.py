"""A variable in new rows given its parents there, averaged over parent sets and functions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from gpnet.common.errors import OptionError
from gpnet.common.messages import quoted
from gpnet.common.types import Dag, Floats, Node
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.measure import check_draws, sample_rows
from gpnet.effects.networks import Network, choose_dags, draw_networks, with_parents
from gpnet.effects.new_rows import NewRows
from gpnet.effects.noise import MOST_ROWS, noise_of
from gpnet.effects.quantities import TAILS
from gpnet.stats.smooth_density import SmoothDensity

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

N_NOISES: Final = 20  # draws of the noise for each function
BLOCK: Final = 500  # rows at once


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """One variable in R rows, in the units of the table."""

    target: str
    mean: Floats  # (R,)
    low: Floats  # (R,): with high, 90% of the predictive distribution
    high: Floats
    mean_error: Floats  # (R,): of the computation of the mean
    log_density: Floats  # (R,): of the value in the row; nan where there is none, or by ranks

    def frame(self) -> pd.DataFrame:
        """A row for each."""
        numbers = {k: v for k, v in vars(self).items() if k != "target"}
        return pd.DataFrame(numbers, index=pd.RangeIndex(1, len(self.mean) + 1, name="row"))

    def __repr__(self) -> str:
        return f"<Prediction of {self.target} in {len(self.mean):,} rows>"

    def _repr_html_(self) -> str:
        return self.frame().to_html(float_format=lambda x: f"{x:.4g}")


def predict(
    posterior: "Posterior", source: Any, target: str, *, draws: int, seed: int
) -> Prediction:
    """See `Posterior.predict`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    node, rows = model.modelled("target", target), NewRows.of(model, source)
    rng = np.random.default_rng([seed, *b"predict"])
    chosen = choose_dags(model, draws, rng, only=node)
    rows.require({int(j) for one in chosen for j in np.flatnonzero(one.dag[:, node])})
    networks = list(draw_networks(model, chosen, seed, with_parents))
    shown = sample_rows(model, MOST_ROWS)
    noises = [noise_of(model, network, {node}, shown, rng)[node] for network in networks]
    parts = []
    for start in range(0, len(rows), BLOCK):
        some = NewRows(model, rows.values[start : start + BLOCK])
        parts.append(_predict_some(networks, noises, some, node, rng))
    return Prediction(target, *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _predict_some(
    networks: list[Network],
    noises: list[SmoothDensity],
    rows: NewRows,
    node: Node,
    rng: np.random.Generator,
) -> tuple[Floats, ...]:
    """Mean, low, high, error of the mean, and log density, (R,) each."""
    samples, means, densities = [], [], []
    for network, noise in zip(networks, noises, strict=True):
        z = rows.standardised(network.data)
        fitted = _fitted(network, node, z)
        drawn = fitted[:, None] + noise.draw((network.n, N_NOISES, len(z)), rng)
        y = network.data.to_measured(node, drawn)
        samples.append(y.reshape(-1, len(z)))
        means.append(y.mean(axis=1))
        densities.append(_log_density(network, node, rows, z[:, node] - fitted, noise))
    pooled, each = np.concatenate(samples), np.concatenate(means)
    low, high = np.quantile(pooled, TAILS, axis=0)
    every = np.concatenate(densities)
    log_density = logsumexp(every, axis=0) - np.log(len(every))
    return pooled.mean(axis=0), low, high, each.std(axis=0) / np.sqrt(len(each)), log_density


def _fitted(network: Network, node: Node, z: Floats) -> Floats:
    """(K, R): the functions of the node in rows z (R, n); 0 without parents."""
    if node not in network.functions:
        return np.zeros((network.n, len(z)))
    return network.functions[node].at([z[None, :, j] for j in network.parents(node)])


def _log_density(
    network: Network, node: Node, rows: NewRows, left: Floats, noise: SmoothDensity
) -> Floats:
    """(K, R), in the units of the table."""
    scale = network.data.log_density_scale(node, rows.values[:, node])
    if scale is None:
        return np.full(left.shape, np.nan)
    known = np.isfinite(left)
    found = noise.log_density(np.where(known, left, 0.0)) + scale
    return np.where(known, found, np.nan)


def log_predictive(
    posterior: "Posterior", source: Any, *, draws: int, seed: int
) -> "pd.Series[float]":
    """See `Posterior.log_predictive`."""
    model = LearntModel.of(posterior)
    check_draws(draws, seed)
    data = model.completed[0]
    ranks = [v for v in range(len(data.names)) if data.transform_of(v) == "rank-normal"]
    ranked = (*data.ranked, *(data.names[v] for v in ranks))
    if ranked:
        raise OptionError(
            f"log_predictive: {quoted(ranked)} was learnt from by ranks, which have "
            "no density; learn with transform='none' or 'log'"
        )
    rows, rng = NewRows.of(model, source), np.random.default_rng([seed, *b"log"])
    rows.require(range(len(model.names)))
    modelled = {v for v in range(len(model.names)) if not model.given.is_exogenous(v)}
    shown, total = sample_rows(model, MOST_ROWS), []

    def needed(dag: Dag) -> set[Node]:
        return with_parents(dag) & modelled

    for network in draw_networks(model, choose_dags(model, draws, rng), seed, needed):
        noises, z = noise_of(model, network, modelled, shown, rng), rows.standardised(network.data)
        each = [
            _log_density(network, v, rows, z[:, v] - _fitted(network, v, z), noises[v])
            for v in sorted(modelled)
        ]
        total.append(np.sum(each, axis=0))
    every = np.concatenate(total)
    index = pd.RangeIndex(1, len(rows) + 1, name="row")
    return pd.Series(logsumexp(every, axis=0) - np.log(len(every)), index, name="log_density")
