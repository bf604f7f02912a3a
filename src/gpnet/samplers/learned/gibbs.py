"""By Markov chains, where no sum over all DAGs can be had."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Floats
from gpnet.graphs.counting import log_total_weight
from gpnet.runtime.context import RunContext
from gpnet.samplers.base import Sampler, check_request, cut_short
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.learned.rounds import (
    LearnedDagSample,
    Round,
    derived_seed,
    join,
    moments,
    penalised,
)
from gpnet.samplers.walks import agreement
from gpnet.score_table.table import ScoreTable
from gpnet.stats.convergence import r_hat_warnings
from gpnet.structure_priors.learned import LearnedPrior


class SteppingSampler(Protocol):
    """A sampler by one Markov chain, of one replica, that can be told where to start."""

    @property
    def n_replicas(self) -> int:
        """Of its chain."""

    def sample(
        self, table: ScoreTable, *, n_draws: int, seed: int = 0, start: Dag | None = None
    ) -> DagSample:
        """As in `Sampler`; from the DAG `start` where given."""


@dataclass(frozen=True)
class GibbsSampler(Sampler):
    """By turns: some draws of DAGs under gamma, and gamma given the last of them.

    Z0 is that of all DAGs with at most `max_parents` parents: a restricted search space is taken
    for a search that found those that matter, not for knowledge. A warning says so.

    The inner chain must keep its distribution from the DAG where the last round ended. One with
    tempered replicas beside it does not, as these would have to keep theirs from round to round:
    `PartitionSampler(n_chains=1, temperatures=(1.0,), with_orders=False)` does.
    """

    prior: LearnedPrior
    sampler: SteppingSampler
    n_chains: int = 1
    draws_per_round: int = 10  # of DAGs, before gamma is drawn again
    burn_in: int = 0  # rounds

    def __post_init__(self) -> None:
        for name, least in {"n_chains": 1, "draws_per_round": 1, "burn_in": 0}.items():
            if getattr(self, name) < least:
                raise OptionError(f"{name}: {least} or more, found {getattr(self, name)}")
        if self.sampler.n_replicas > 1:
            raise OptionError(
                f"the inner sampler: expected one replica, found {self.sampler.n_replicas}; take "
                "it without temperatures, and partitions without orders (with_orders=False)"
            )

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
    ) -> LearnedDagSample:
        """So many draws, as even a share of each chain as can be; progress counts rounds."""
        check_request(n_draws, seed)
        context = context or RunContext()
        warnings = _check_table(table)
        shares = [(n_draws + c) // self.n_chains for c in reversed(range(self.n_chains))]
        n_rounds = self.burn_in - (-shares[0] // self.draws_per_round)
        log_z0 = self._log_z0(table)
        chains = [_Alternation(self, log_z0, derived_seed(seed, i)) for i in range(self.n_chains)]
        done, progress = 0, context.progress("drawing DAGs")
        while done < n_rounds and not context.deadline.passed:
            context.executor.map(lambda chain: chain.advance(table), chains)
            done += 1
            progress(done, n_rounds, np.nan)
        if done <= self.burn_in:
            context.check_deadline("the scores were computed, before every chain had drawn a DAG")
        samples = [join(chain.rounds[self.burn_in :], self.prior, log_z0) for chain in chains]
        shares = [min(share, one.n_draws) for share, one in zip(shares, samples, strict=True)]
        return _side_by_side(samples, shares, (*warnings, *cut_short(sum(shares), n_draws)))

    def _log_z0(self, table: ScoreTable) -> Floats:
        n, most = table.n_variables, table.space.max_parents
        return np.array([log_total_weight(n, -gamma, most) for gamma in self.prior.grid])


class _Alternation:
    """One chain, from a gamma drawn from its hyperprior."""

    def __init__(self, settings: GibbsSampler, log_z0: Floats, seed: int) -> None:
        self._settings, self._log_z0, self._seed = settings, log_z0, seed
        self._rng = np.random.default_rng(seed)
        self._log_weights = settings.prior.log_hyperprior
        self.rounds: list[Round] = []

    def advance(self, table: ScoreTable) -> None:
        prior, rounds = self._settings.prior, self.rounds
        gamma = float(self._rng.choice(prior.grid, p=softmax(self._log_weights)))
        sample = self._settings.sampler.sample(
            penalised(table, gamma),
            n_draws=self._settings.draws_per_round,
            seed=derived_seed(self._seed, len(rounds)),
            start=rounds[-1].sample.dags[-1] if rounds else None,
        )
        if sample.n_chains > 1:
            raise OptionError(f"the inner sampler: expected one chain, found {sample.n_chains}")
        self._log_weights = prior.log_joint(sample.dags[-1].sum(), self._log_z0)
        # R-hat of so few draws under one gamma tells nothing; that of all draws comes at the end.
        told = tuple(w for w in sample.warnings if w not in r_hat_warnings(sample.diagnostics))
        rounds.append(Round(replace(sample, warnings=told), gamma))


def _check_table(table: ScoreTable) -> tuple[str, ...]:
    """Warnings; refuses a structure prior that penalises edges on its own."""
    priors = np.concatenate([scores.log_priors for scores in table.nodes])
    if np.isfinite(priors[priors != 0]).any():
        raise OptionError(
            "a learned edge penalty: expected a table whose log priors are 0 or -inf, found others"
        )
    n = table.n_variables
    restricted = any(len(candidates) < n - 1 for candidates in table.space.candidates)
    if not restricted and not priors.any():
        return ()
    return (
        f"learned edge penalty: its normaliser counts all DAGs with at most "
        f"{table.space.max_parents} parents, also those outside the search space",
    )


def _side_by_side(
    chains: Sequence[LearnedDagSample], shares: Sequence[int], warnings: tuple[str, ...]
) -> LearnedDagSample:
    """The first so many draws of each chain, one after the other."""
    first = chains[0]

    def side_by_side(name: str) -> NDArray[Any]:
        parts = zip(chains, shares, strict=True)
        return np.concatenate([getattr(chain, name)[:share] for chain, share in parts])

    probabilities = np.mean([chain.gamma_probabilities for chain in chains], axis=0)
    agreed = agreement([chain.dags[: shares[-1]] for chain in chains])
    told = (*warnings, *(w for chain in chains for w in chain.warnings), *r_hat_warnings(agreed))
    return replace(
        first,
        dags=side_by_side("dags"),
        log_density=side_by_side("log_density"),
        log_prior=side_by_side("log_prior"),
        chain=np.repeat(np.arange(len(chains), dtype=np.int32), shares),
        independent=False,
        warnings=tuple(dict.fromkeys(told)),
        diagnostics=moments(first.grid, probabilities) | agreed,
        gammas=side_by_side("gammas"),
        gamma_probabilities=probabilities,
    )
