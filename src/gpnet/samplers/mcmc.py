"""What the chains share: starts in the support, a run of several, diagnostics."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar, Self

import numpy as np

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Floats
from gpnet.graphs.dag import is_acyclic
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.samplers.base import Sampler, SamplerSettings, check_request, cut_short
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.temperatures import FEWEST, SHARES, Betas, find_betas
from gpnet.samplers.walks import Dags, Drawn, Pieces, agreement, draw, every_second
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.subset_tables import check_memory_of_sums, fill_tables, memory_of_sums
from gpnet.score_table.table import ScoreTable, no_dag
from gpnet.stats.convergence import FEW_DRAWS, R_HAT_LIMIT, r_hat_warnings


@dataclass(frozen=True)
class ChainSampler(Sampler):
    """Several chains from different starts, each of them tempered."""

    n_chains: int = 4
    thin: int | None = None  # steps between draws; twenty a node unless given
    burn_in: int | None = None  # steps before the first draw; a fifth of the others unless given
    # The first must be 1, the one that is drawn from; None for as many as trial chains ask for.
    temperatures: tuple[float, ...] | None = (1.0,)
    # The R-hat up to which chains that do not agree go on, each time twice as long as before.
    go_on: tuple[float, ...] = ()

    moves: ClassVar[tuple[str, ...]] = ()  # as the core numbers them

    def __post_init__(self) -> None:
        if self.n_chains < 1:
            raise OptionError(f"n_chains: 1 or more, found {self.n_chains}")
        if self.thin is not None and self.thin < 1:
            raise OptionError(f"thin: 1 or more, found {self.thin}")
        if self.burn_in is not None and self.burn_in < 0:
            raise OptionError(f"burn_in: 0 or more, found {self.burn_in}")
        ladder = self.temperatures
        if ladder is None:
            return
        if not ladder or ladder[0] != 1 or not all(1 <= t < np.inf for t in ladder):
            raise OptionError(
                f"temperatures: expected 1 and then others of 1 or more, found {ladder}"
            )

    @classmethod
    def from_settings(cls, settings: SamplerSettings) -> Self:
        """Takes the number of chains and the steps between draws."""
        return cls(n_chains=settings.n_chains, thin=settings.thin)

    def memory_needed(self, space: SearchSpace, *, workers: int) -> int:
        """For tables over the subsets of candidates."""
        return memory_of_sums(space)

    @classmethod
    def check_space(cls, space: SearchSpace) -> None:
        """These tables must fit."""
        check_memory_of_sums(space)

    def alone(self) -> Self:
        """One chain of one replica."""
        return replace(self, n_chains=1, temperatures=(1.0,))

    @property
    def n_replicas(self) -> int:
        """Of a chain, at least: one of them is drawn from."""
        return FEWEST if self.temperatures is None else len(self.temperatures)

    @abstractmethod
    def start_ladder(
        self, tables: "ChainTables", starts: Dags, betas: Betas, seed: int
    ) -> _core.Chain:
        """A chain of the core, with a replica of each beta from its start."""

    def n_steps_before(self, n_nodes: int, burn_in: int) -> int:
        """Steps of all that comes before the chains begin."""
        return burn_in if self.temperatures is None else 0

    def plan_chains(
        self, tables: "ChainTables", seeds: Sequence[int], n_steps: int, pieces: Pieces
    ) -> "ChainPlan":
        """What every chain of a run is made of, after so many steps of looking for it."""
        betas = self.find_betas(tables, seeds, n_steps, pieces)
        return ChainPlan(
            len(betas), lambda starts, seed: self.start_ladder(tables, starts, betas, seed)
        )

    def find_betas(
        self, tables: "ChainTables", seeds: Sequence[int], n_steps: int, pieces: Pieces
    ) -> Betas:
        """1 / temperature of each replica, as given or as trial chains tell."""
        if self.temperatures is not None:
            return tuple(1 / t for t in self.temperatures)

        def start(betas: Betas, number: int) -> _core.Chain:
            starts = _starts(tables, len(betas), seeds[2 * number], None)
            return self.start_ladder(tables, starts, betas, seeds[2 * number + 1])

        def walk(chain: _core.Chain, part: int) -> None:
            pieces.run([chain.advance], [part])

        return find_betas(start, walk, n_steps)

    def log_density(self, dags: Dags, log_scores: Floats) -> tuple[Floats, tuple[str, ...]]:
        """The log density that the draws follow, and what is approximate about it."""
        return log_scores, ()

    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        context: RunContext | None = None,
        start: Dag | None = None,
        starts: Sequence[Dag] | None = None,
    ) -> DagSample:
        """So many draws in all; every chain begins at `start`, or at its own of `starts`.

        At a random DAG, if neither is given.
        """
        check_request(n_draws, seed)
        _check_start(table, start)
        context = context or RunContext()
        tables = ChainTables(table, context.executor)
        thin, burn_in = self.steps(table.n_variables, -(-n_draws // self.n_chains))
        before = self.n_steps_before(table.n_variables, burn_in)
        pieces = Pieces(context, total=before + self.n_chains * burn_in + n_draws * thin)
        n_seeds = 2 * (self.n_chains + len(SHARES))
        seeds = np.random.SeedSequence(seed).generate_state(n_seeds, np.uint64).tolist()
        plan = self.plan_chains(tables, seeds[2 * self.n_chains :], before, pieces)
        chains = []
        for c in range(self.n_chains):
            begin = starts[c] if start is None and starts else start
            of_replicas = _starts(tables, plan.n_replicas, seeds[2 * c + 1], begin)
            chains.append(plan.start(of_replicas, seeds[2 * c]))
        pieces.run([chain.advance for chain in chains], [burn_in] * len(chains))
        run = draw(chains, n_draws, thin, pieces)
        if not all(len(scores) for _, scores in run):
            pieces.check_deadline()
        run = self._gone_on(run, chains, thin, context)
        dags = np.concatenate([dags for dags, _ in run])
        log_density, warnings = self.log_density(dags, np.concatenate([s for _, s in run]))
        owner = np.repeat(np.arange(len(run), dtype=np.int32), [len(s) for _, s in run])
        found = self._diagnostics(chains, plan.n_replicas, run)
        return DagSample(
            dags,
            log_density,
            owner,
            warnings=(*warnings, *r_hat_warnings(found), *cut_short(len(dags), n_draws)),
            diagnostics=found,
        )

    def _gone_on(
        self, run: list[Drawn], chains: Sequence[_core.Chain], thin: int, context: RunContext
    ) -> list[Drawn]:
        """As far as is worth it: each time as long again, and every second draw is kept."""
        for limit in self.go_on:
            n_draws = sum(len(scores) for _, scores in run)
            agreed = agreement([dags for dags, _ in run])
            r_hat, n_effective = agreed.get("max_r_hat", inf), agreed.get("min_effective_draws", 0)
            will_do = r_hat <= R_HAT_LIMIT and n_effective >= FEW_DRAWS
            if will_do or r_hat > limit or context.deadline.passed:
                break
            later = draw(chains, n_draws, thin, Pieces(context, total=n_draws * thin))
            if [len(scores) for _, scores in later] != [len(scores) for _, scores in run]:
                break  # no time
            run = [every_second(*both) for both in zip(run, later, strict=True)]
            thin *= 2
        return run

    def steps(self, n_nodes: int, n_draws: int) -> tuple[int, int]:
        """Steps between draws, and before the first of so many of one chain."""
        thin = self.thin or 20 * n_nodes
        burn_in = n_draws * thin // 5 if self.burn_in is None else self.burn_in
        return thin, burn_in

    def _diagnostics(
        self,
        chains: Sequence[_core.Chain],
        n_replicas: int,
        run: Sequence[tuple[Dags, Floats]],
    ) -> dict[str, float]:
        found = {"n_node_terms": float(sum(chain.n_terms for chain in chains))}
        found["n_replicas"] = float(n_replicas)
        found |= _rates("accepted", self.moves, [(c.tried, c.accepted) for c in chains])
        pairs = [f"replicas_{k}_{k + 1}" for k in range(n_replicas - 1)]
        exchanges = [(c.exchanges_tried, c.exchanges_accepted) for c in chains]
        found |= _rates("exchanged", pairs, exchanges)
        return found | agreement([dags for dags, _ in run])


@dataclass(frozen=True)
class ChainPlan:
    """What the chains of a run have in common."""

    n_replicas: int
    start: Callable[[Dags, int], _core.Chain]  # from the start of each replica, and a seed


class ChainTables:
    """What the chains of one table share."""

    def __init__(self, table: ScoreTable, executor: Workers) -> None:
        self.table = table
        self.sums = fill_tables(_core.ParentSums, table, executor)

    def set_scores(self) -> _core.SetScores:
        """The scores by parent set, for chains that walk from DAG to DAG."""
        space = self.table.space
        scores = _core.SetScores(space.n_variables, space.max_parents)
        for node, column in enumerate(self.table.nodes):
            scores.set_node(
                node, column.candidates, space.plus_one_parents(node), column.log_scores
            )
        return scores


def steps_to_trade(tables: ChainTables) -> int:
    """Of replicas, before they trade places.

    Places are cheap to trade. Measured (breast cancer, 30 columns): with n // 4 all chains had
    found the best mode after a fifth of the default's draws, with n one of four had not.
    """
    return max(1, tables.table.n_variables // 4)


# Starts


def _check_start(table: ScoreTable, start: Dag | None) -> None:
    if start is None:
        return
    n = table.n_variables
    if start.shape != (n, n) or start.dtype != np.bool_:
        raise OptionError(
            f"start: expected booleans of shape {(n, n)}, found {start.dtype} of {start.shape}"
        )
    if not is_acyclic(start):
        raise OptionError("start: expected a DAG, found a cycle")
    if table.log_scores_of(start[None])[0] == -np.inf:
        raise OptionError("start: a DAG that the structure prior excludes")


def _starts(tables: ChainTables, n_replicas: int, seed: int, start: Dag | None) -> Dags:
    """(n_replicas, n, n): one for each replica, from random orders."""
    if start is not None:
        return np.repeat(start[None], n_replicas, axis=0)
    seeds = np.random.SeedSequence(seed).generate_state(n_replicas, np.uint64).tolist()
    found = []
    for one in seeds:
        dag, stuck = tables.sums.random_start(one)
        if stuck:
            raise no_dag(tables.table, sorted(stuck))
        found.append(dag)
    return np.array(found)


# Diagnostics


def _rates(
    what: str, names: Sequence[str], counts: Sequence[tuple[list[int], list[int]]]
) -> dict[str, float]:
    """Accepted / tried of each kind, over all chains; without those never tried."""
    found = {}
    for k, name in enumerate(names):
        n_tried = sum(tried[k] for tried, _ in counts if k < len(tried))
        if n_tried:
            yes = sum(accepted[k] for _, accepted in counts if k < len(accepted))
            found[f"{what}_{name}"] = yes / n_tried
    return found
