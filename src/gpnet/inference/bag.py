"""A bagged posterior: the average of the posteriors of the table with its rows reweighted.

A posterior under a model that is not quite right picks one of several explanations that are nearly
as good with certainty, and another half of the rows picks another. The average over bootstrapped
tables does not (Huggins & Miller, Reproducible model selection using bagged posteriors, 2023).

No replicate is scored again. With row weights w the log marginal likelihood of a parent set is, to
first order (RELL: Kishino, Miyata & Hasegawa 1990),

    log Z(w) = log Z(1) + sum_i (w_i - 1) E[l_i],   l_i = log p(y_i | f, noise),

with the expectation over the posterior at w = 1: N numbers for each parent set give any number of
replicates by one product. What second-order terms add is what a replicate gains by fitting its own
rows more closely than the table: the more, the more parents there are. That is the known bias of
bootstrapped scores (Steck & Jaakkola 2003), and is better left out; docs/design.md has the figures.

DAGs are drawn for each replicate. Sets without numbers of their own change as the most similar set
that has some; those that are drawn get their own, until next to no draw has one without.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import Weighted, beside
from gpnet.inference.row_weights import RowWeights, row_weights
from gpnet.runtime.context import RunContext
from gpnet.samplers import Sampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import NodeScores, ScoreTable
from gpnet.scores import Score

OFTEN: Final = 0.005  # share of draws from which on a set has numbers of its own
NEAR: Final = 8.0  # nats below a set that is drawn, up to which a neighbour has, too
N_PILOT: Final = 10  # draws of a replicate that show what it visits
PILOT_STEP: Final = 4  # of so many replicates one is drawn from in a pass
N_PASSES: Final = 6  # of pilot draws, at most
N_STARTS: Final = 200  # draws of the table that chains of replicates may begin at
SETTLED: Final = 0.05  # of draws that may have a set without numbers of its own


def bagged(
    base: Weighted,
    rescorer: Rescorer,
    sampler: Sampler,
    *,
    n_replicates: int,
    n_draws: int,
    seed: int,
) -> Weighted:
    """Draws of each replicate in equal numbers, of as many as there was time for; else the base.

    The chain of a draw is the pair of replicates that it is of.
    """
    weights = row_weights(rescorer.data, n_replicates, seed)
    starts = base.sample.dags[:: max(1, base.sample.n_draws // N_STARTS)]
    bag = _Bag(base.table, rescorer, sampler, base.rescored, weights, starts, seed)
    bag.add(_worth_numbers(base))
    context = rescorer.context
    for number in range(N_PASSES):
        some = range(number % PILOT_STEP, n_replicates, PILOT_STEP)
        pilot = bag.draw(N_PILOT, some, number, context.within("drawing replicates (pilot)"))
        if pilot is None or context.deadline.passed or not bag.add(bag.unknown(pilot)):
            break
    n_each = max(1, n_draws // n_replicates)
    sample = bag.draw(n_each, range(n_replicates), N_PASSES, context)
    if sample is None:
        return base
    return replace(
        base,
        sample=sample,
        log_weights=np.zeros(sample.n_draws),
        log_target=base.table.log_scores_of(sample.dags),
        missing_mass=None,
        n_replicates=sample.n_draws // n_each,
    )


def _worth_numbers(base: Weighted) -> list[Family]:
    """What is often drawn, and its neighbours that are nearly as good."""
    table, sample = base.table, base.sample
    n_often = OFTEN * sample.n_draws
    often = [family for family, n in families(sample).items() if n >= n_often]
    found = dict.fromkeys(often)
    for family in often:
        least = table.log_score(*family) - NEAR
        near = [one for one in beside(table, [family], all_of=True)]
        found |= dict.fromkeys(one for one in near if table.log_score(*one) > least)
    return list(found)


@dataclass(eq=False)
class _Bag:
    """What is known of the replicates, and draws of them."""

    table: ScoreTable
    rescorer: Rescorer
    sampler: Sampler
    known: Mapping[Family, Evidence]
    weights: RowWeights
    starts: NDArray[np.bool_]  # DAGs of the table, of which one is good under any weights
    seed: int

    def __post_init__(self) -> None:
        self._changes: dict[Family, Floats] = {}  # (B,) of each
        self._members = [_members(self.table, node) for node in range(self.table.n_variables)]

    def add(self, wanted: Sequence[Family]) -> bool:
        """Numbers of their own for these, as far as there is time; whether there are new ones."""
        data, context = self.rescorer.data, self.rescorer.context
        score = self.rescorer.score.proposal()  # whose modes are known
        new = [family for family in wanted if family not in self._changes]
        unscored = [family for family in new if family not in self.known]
        evidence = {**self.known, **self.rescorer.by_table(unscored, stage="scoring replicates")}

        def submit(family: Family) -> "Future[Floats]":
            hints = {family[1]: evidence[family]}
            return context.scorers.submit(pointwise, score, data, family, hints)

        def keep(family: Family, rows: Floats) -> None:
            self._changes[family] = self.weights.sums(rows)

        scored = [family for family in new if family in evidence]
        context.scorers.in_order(scored, submit, keep, context.deadline)
        return bool(scored)

    def unknown(self, sample: DagSample) -> list[Family]:
        """Sets of draws that have no numbers of their own; none where they hardly matter."""
        counts = families(sample)
        missing = {family: n for family, n in counts.items() if family not in self._changes}
        if sum(missing.values()) <= SETTLED * sample.n_draws:
            return []
        return list(missing)

    def draw(
        self, n_each: int, replicates: Sequence[int], number: int, context: RunContext
    ) -> DagSample | None:
        """So many of each of these replicates, one after the other; seeded by a number.

        None where there was time for none. Replicates are independent, or their pairs are.
        """
        by_node = self._by_node()
        if not all(by_node):
            return None
        changes = [self._of_node(node, known) for node, known in enumerate(by_node)]
        mixed = np.random.SeedSequence([self.seed, number])
        seeds = mixed.generate_state(self.weights.n_replicates, np.uint64)
        drawn: dict[int, NDArray[np.bool_]] = {}
        progress = context.progress("drawing replicates")

        def draw(replicate: int) -> NDArray[np.bool_]:
            table = self._replicate(changes, replicate)
            alone = RunContext(deadline=context.deadline)
            seed = int(seeds[replicate] >> np.uint64(1))
            known = self.starts[int(table.log_scores_of(self.starts).argmax())]
            return self.sampler.replicate(
                table, n_draws=n_each, seed=seed, context=alone, known=known
            ).dags

        def submit(replicate: int) -> "Future[NDArray[np.bool_]]":
            return context.executor.submit(draw, replicate)

        def keep(replicate: int, dags: NDArray[np.bool_]) -> None:
            drawn[replicate] = dags
            progress(len(drawn), len(replicates), 0.0)

        context.executor.in_order(replicates, submit, keep, context.deadline)
        drawn = {one: dags for one, dags in drawn.items() if len(dags) == n_each}  # no time
        if not drawn:
            return None
        chain = [np.full(len(dags), one // 2, dtype=np.int32) for one, dags in drawn.items()]
        dags = np.concatenate(list(drawn.values()))
        return DagSample(dags, np.zeros(len(dags)), np.concatenate(chain), independent=True)

    def _by_node(self) -> list[list[Parents]]:
        """The sets that have numbers."""
        found: list[list[Parents]] = [[] for _ in self.table.nodes]
        for node, parents in self._changes:
            found[node].append(parents)
        return found

    def _of_node(self, node: Node, known: list[Parents]) -> tuple[Floats, NDArray[np.intp]]:
        """Changes (B, k) of the sets that have numbers, and which of them each set goes with."""
        known.sort(key=lambda parents: -self.table.log_score(node, parents))
        sets = np.zeros((len(known), self.table.n_variables), dtype=np.float32)
        for row, parents in zip(sets, known, strict=True):
            row[list(parents)] = 1
        shared = self._members[node].astype(np.float32) @ sets.T
        apart = self._members[node].sum(axis=1)[:, None] + sets.sum(axis=1) - 2 * shared
        changes = np.column_stack([self._changes[node, parents] for parents in known])
        return changes, np.asarray(apart.argmin(axis=1))

    def _replicate(
        self, changes: Sequence[tuple[Floats, NDArray[np.intp]]], replicate: int
    ) -> ScoreTable:
        """The table under the weights of one replicate."""
        nodes = [
            _moved(scores, of_sets[replicate][place])
            for scores, (of_sets, place) in zip(self.table.nodes, changes, strict=True)
        ]
        return replace(self.table, nodes=tuple(nodes))


def pointwise(
    score: Score, data: Dataset, family: Family, hints: Mapping[Parents, Evidence]
) -> Floats:
    """What a worker does, wherever it is."""
    node, parents = family
    return score.pointwise(data, node, parents, hints)


def _moved(scores: NodeScores, by: Floats) -> NodeScores:
    return replace(scores, log_marginals=scores.log_marginals + by)


def _members(table: ScoreTable, node: Node) -> NDArray[np.bool_]:
    """(n_sets, n): who is in each parent set of the node."""
    return table.nodes[node].members(table.n_variables)
