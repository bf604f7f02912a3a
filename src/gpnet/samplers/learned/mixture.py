"""Exactly, where the inner sampler knows the sum over all DAGs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from gpnet.common.types import Floats
from gpnet.graphs.counting import log_total_weight
from gpnet.runtime.context import RunContext, no_progress
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.progress import Progress, silent
from gpnet.samplers.base import Sampler, check_request
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.learned.rounds import LearnedDagSample, Round, derived_seed, join, penalised
from gpnet.samplers.learned.sums import Sums
from gpnet.score_table.table import ScoreTable
from gpnet.structure_priors.learned import LearnedPrior


class NormalisingSampler(Protocol):
    """A sampler that also knows the sum of exp(log score) over all DAGs."""

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
    ) -> DagSample:
        """As in `Sampler`."""

    def log_normaliser(self, table: ScoreTable) -> float:
        """The log of that sum."""


@dataclass(frozen=True, eq=False)
class GammaPosterior:
    """p(gamma | data) over the grid: hyperprior(gamma) Z(gamma) / Z0(gamma), normalised.

    Z sums over the DAGs of the table under the penalty gamma; Z0 does so without the log
    marginals. Where the search space or the table's own prior restrict the DAGs, both are sums
    over those that are left.
    """

    grid: Floats  # (n_grid,)
    probabilities: Floats  # (n_grid,)
    log_z0: Floats  # (n_grid,): inf where the probability is negligible and nobody computed it
    log_evidence: float  # log of the sum over gamma of hyperprior Z / Z0


@dataclass(frozen=True)
class MixtureSampler(Sampler):
    """gamma from its exact posterior, then DAGs under it: independent if the inner sampler is."""

    prior: LearnedPrior
    sampler: NormalisingSampler

    def gamma_posterior(
        self, table: ScoreTable, *, progress: Progress | None = None
    ) -> GammaPosterior:
        """Exact on the grid; progress counts values of gamma, most of which are never needed."""
        grid = self.prior.grid
        n_edges = comb(table.n_variables, 2)
        sums = Sums(self.prior, *self._functions(table), n_edges)
        while (place := sums.most_promising()) is not None:
            sums.compute(place)
            (progress or silent)(int(sums.known.sum()), len(grid), np.nan)
        log_joint = self.prior.log_hyperprior + sums.log_z - sums.log_z0
        log_joint = np.where(sums.known, log_joint, -np.inf)
        log_z0 = np.where(sums.known, sums.log_z0, np.inf)
        return GammaPosterior(grid, softmax(log_joint), log_z0, float(logsumexp(log_joint)))

    def _functions(
        self, table: ScoreTable
    ) -> tuple[Callable[[float], float], Callable[[float], float]]:
        """log Z and log Z0, as functions of gamma."""
        bare = _without_marginals(table)
        n, most, all_there = table.n_variables, table.space.max_parents, covers_all(table)

        def log_z(gamma: float) -> float:
            return self.sampler.log_normaliser(penalised(table, gamma))

        def log_z0(gamma: float) -> float:
            if all_there:
                return log_total_weight(n, -gamma, most)
            return self.sampler.log_normaliser(penalised(bare, gamma))

        return log_z, log_z0

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
    ) -> LearnedDagSample:
        """So many draws from the mixture; progress counts values of gamma first, then draws."""
        check_request(n_draws, seed)
        context = context or RunContext()
        progress = context.progress("drawing DAGs")
        posterior = self.gamma_posterior(table, progress=progress)
        places = np.random.default_rng(seed).choice(
            len(posterior.grid), size=n_draws, p=posterior.probabilities
        )
        rounds, done = [], 0
        for place, count in zip(*np.unique(places, return_counts=True), strict=True):
            sample = self.sampler.sample(
                penalised(table, posterior.grid[place]),
                n_draws=int(count),
                seed=derived_seed(seed, int(place)),
                context=replace(context, progress=no_progress, deadline=Deadline()),
            )
            rounds.append(Round(sample, float(posterior.grid[place])))
            done += int(count)
            progress(done, n_draws, np.nan)
        return _in_order_of(
            places, join(rounds, self.prior, posterior.log_z0, posterior.probabilities)
        )


def _in_order_of(places: NDArray[np.intp], sample: LearnedDagSample) -> LearnedDagSample:
    """Draws sorted by gamma back in the order in which gamma was drawn, as if one by one."""
    rank = np.argsort(np.argsort(places, kind="stable"))
    return replace(
        sample,
        dags=sample.dags[rank],
        log_density=sample.log_density[rank],
        log_prior=sample.log_prior[rank],
        gammas=sample.gammas[rank],
    )


def _without_marginals(table: ScoreTable) -> ScoreTable:
    nodes = (
        replace(scores, log_marginals=np.zeros_like(scores.log_marginals)) for scores in table.nodes
    )
    return replace(table, nodes=tuple(nodes))


def covers_all(table: ScoreTable) -> bool:
    """Whether every DAG with at most max_parents parents is there, all with the same prior."""
    others = table.n_variables - 1
    n_sets = sum(comb(others, size) for size in range(table.space.max_parents + 1))
    return all(
        not scores.log_priors.any() and len(scores.log_priors) == n_sets for scores in table.nodes
    )
