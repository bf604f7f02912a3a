"""Sampled posteriors and the exact one: reverse K-L divergence by method and number of draws, and
the probability of every DAG at one number of draws.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from rich.table import Table
from scipy.special import logsumexp

import gpnet
from experiments import edges, reference
from experiments.experiment import Key, Place, Row, Settings
from gpnet.common.types import Floats
from gpnet.gp.evidence.qmc import Qmc
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior import metrics
from gpnet.score_table.table import ScoreTable, log_priors, tabulate
from gpnet.scores import GpScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import UniformPrior


def keys(settings: Settings) -> list[Key]:
    return [
        {"method": method, "draws": draws, "seed": seed}
        for draws in settings["draws"]
        for seed in settings["seeds"]
        for method in settings["methods"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    posterior = gpnet.learn(
        reference.four_nodes(),
        draws=key["draws"],
        seed=key["seed"],
        workers=place.workers,
        store=place.folder / "scores.sqlite",
        **(settings["options"] | settings["methods"][key["method"]]),
    )
    exact = exact_table(settings["target_error"])
    shown = key["draws"] == settings["shown"] and key["seed"] == 0
    return {
        "kl": float(f"{distance(posterior, exact):.6g}"),
        "distinct": posterior.diagnosis["distinct_dags"],
        "rounds": len(posterior.diagnosis["rounds"]),
        "exact": edges.write(np.exp(exact_log_distribution(exact))) if shown else None,
        "probabilities": edges.write(distribution(posterior)) if shown else None,
    }


def distribution(posterior: gpnet.Posterior) -> Floats:
    """The probability of each of `all_dags`."""
    dags, weights = metrics.merged(posterior.dags, posterior.weights)
    found = {dag.tobytes(): weight for dag, weight in zip(dags, weights, strict=True)}
    return np.array([found.get(dag.tobytes(), 0.0) for dag in all_dags(posterior.n_variables)])


def exact_log_distribution(exact: ScoreTable) -> Floats:
    """The log probability of each of `all_dags`."""
    scores = exact.log_scores_of(all_dags(exact.n_variables))
    return np.asarray(scores - logsumexp(scores))


def distance(posterior: gpnet.Posterior, exact: ScoreTable) -> float:
    """The reverse K-L divergence to the posterior over all DAGs under the table."""
    return metrics.reverse_kl(distribution(posterior), exact_log_distribution(exact))


@cache
def exact_table(target_error: float) -> ScoreTable:
    """All 32 scores of the four nodes, under the uniform prior: the golden ones, or by qmc."""
    data = reference.four_nodes()
    if not reference.present():
        return accurate_table(data, target_error)
    golden, space = reference.golden_four_nodes(), FullSpace().build(data, UniformPrior())
    log_marginals = []
    for node, name in enumerate(data.names):
        sets = (frozenset(data.names[p] for p in ps) for ps in space.all_parent_sets(node))
        log_marginals.append(np.array([golden[name, parents] for parents in sets]))
    priors = log_priors(space, UniformPrior())
    return ScoreTable.assemble(data.names, space, log_marginals, priors)


def accurate_table(data: gpnet.Dataset, target_error: float) -> ScoreTable:
    """All scores, each with a standard error of at most the target."""
    prior = UniformPrior()
    score = GpScore(evidence=Qmc(target_error=target_error, max_values=2**20))
    return tabulate(data, FullSpace().build(data, prior), score, prior)


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    draws = sorted(rows["draws"].unique())
    table = Table("method", *(f"M = {m:,}" for m in draws), title="mean reverse K-L divergence")
    means = rows.groupby(["method", "draws"])["kl"].mean()
    for method in settings["methods"]:
        table.add_row(method, *(f"{means[method, m]:.4f}" for m in draws))
    # Of these data, hence only where they are at hand.
    for method, number in settings["published"].items() if reference.present() else ():
        cells = (f"{number['kl']}" if m == number["draws"] else "" for m in draws)
        table.add_row(f"{method}, published", *cells)
    yield table
