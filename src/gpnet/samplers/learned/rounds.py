"""Rounds of draws, each under one penalty, and the sample that they make together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp, softmax

from gpnet.common.types import Floats
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.table import ScoreTable
from gpnet.structure_priors.learned import LearnedPrior


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedDagSample(DagSample):
    """A sample of DAGs with what it learned of gamma."""

    log_prior: Floats  # (n_draws,): log h of the number of edges, see `join`
    gammas: Floats  # (n_draws,): the gamma under which each DAG was drawn
    grid: Floats  # (n_grid,)
    gamma_probabilities: Floats  # (n_grid,): the posterior over the grid


@dataclass(frozen=True)
class Round:
    """Draws under one gamma."""

    sample: DagSample
    gamma: float


def penalised(table: ScoreTable, gamma: float) -> ScoreTable:
    """The table with gamma off the log prior for each parent."""
    nodes = []
    for node, scores in enumerate(table.nodes):
        n_sets = [table.space.n_sets(node=node, size=size) for size in table.space.sizes]
        penalty = gamma * np.repeat(np.array(table.space.sizes), n_sets)
        nodes.append(replace(scores, log_priors=scores.log_priors - penalty))
    return replace(table, nodes=tuple(nodes))


def derived_seed(seed: int, number: int) -> int:
    """A seed of its own for each part of a run."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def join(
    rounds: Sequence[Round],
    prior: LearnedPrior,
    log_z0: Floats,
    probabilities: Floats | None = None,
) -> LearnedDagSample:
    """One chain of all rounds; log h(k) stands where each had its own penalty.

    h(k) = sum over gamma of hyperprior(gamma) exp(-gamma k) / Z0(gamma), for k edges.

    Probabilities of gamma that are not given are averaged over the draws: gamma given a DAG has a
    known distribution.
    """
    dags = np.concatenate([r.sample.dags for r in rounds])
    gammas = np.concatenate([np.full(r.sample.n_draws, r.gamma) for r in rounds])
    n_edges = dags.sum(axis=(1, 2))
    different, place, counts = np.unique(n_edges, return_inverse=True, return_counts=True)
    log_joint = prior.log_joint(different, log_z0)  # few rows, however many draws
    log_h = logsumexp(log_joint, axis=1)[place]
    if probabilities is None:
        probabilities = counts @ softmax(log_joint, axis=1) / len(dags)
    drawn_from = np.concatenate([r.sample.log_density for r in rounds])
    return LearnedDagSample(
        dags,
        drawn_from + gammas * n_edges + log_h,
        np.zeros(len(dags), dtype=np.int32),
        independent=all(r.sample.independent for r in rounds),
        log_prior=log_h,
        warnings=tuple(dict.fromkeys(w for r in rounds for w in r.sample.warnings)),
        diagnostics=moments(prior.grid, probabilities),
        gammas=gammas,
        grid=prior.grid,
        gamma_probabilities=probabilities,
    )


def moments(grid: Floats, probabilities: Floats) -> dict[str, float]:
    """Mean and standard deviation of gamma."""
    mean = float(probabilities @ grid)
    sd = float(np.sqrt(probabilities @ (grid - mean) ** 2))
    return {"gamma_mean": mean, "gamma_sd": sd}
