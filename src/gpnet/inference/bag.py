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

DAGs are drawn for each replicate. The best sets of each node have numbers of their own; the others
change as the most similar sets that have some. Where such a set turns out to be frequent in a
replicate, it gets its own, and the replicates that it concerns are drawn again.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.inference.choose_scales import Scales
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import Weighted, weigh
from gpnet.inference.pointwise_sums import PointwiseSums
from gpnet.inference.reweighted import Reweighted
from gpnet.inference.row_weights import row_weights
from gpnet.runtime.context import RunContext
from gpnet.samplers import Sampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.walks import Dags
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import ScoreTable
from gpnet.scores.model_cache import MODELS
from gpnet.stats.importance_weights import normalised

# With these no edge was off by more than 0.05 from what numbers for all sets give: on three
# networks of ten nodes, Sachs' proteins and six real tables, before predictions were corrected.
N_BEST: Final = 40  # sets of a node, by the table, that have numbers of their own
OFTEN: Final = 0.05  # share of the draws of a replicate from which on others have them, too
RIVAL: Final = 1.0  # nats below a set that is drawn: what is found better than that is drawn anew
N_PASSES: Final = 5  # times that a replicate is drawn from, at most
N_STARTS: Final = 200  # draws of the table that chains of replicates may begin at


def bagged(
    base: Weighted,
    rescorer: Rescorer,
    sampler: Sampler,
    scales: Scales | None,
    *,
    n_replicates: int,
    n_draws: int,
    seed: int,
) -> Weighted:
    """Draws of each replicate in equal numbers, of as many as there was time for; else the base.

    The chain of a draw is the pair of replicates that it is of.
    """
    data, context = rescorer.data, rescorer.context
    score = rescorer.score.proposal()  # whose modes are known

    def sums(of: Dataset) -> PointwiseSums:
        return PointwiseSums(score, row_weights(of, n_replicates, seed), context)

    ranked = np.tile(np.isin(data.names, data.ranked), (n_replicates, 1))
    if scales is not None:
        ranked = scales.of_replicates(sums(scales.given))
    tables = Reweighted(base.table, rescorer, sums(data), ranked, base.rescored)
    starts = base.sample.dags[:: max(1, base.sample.n_draws // N_STARTS)]
    bag = _Bag(tables, sampler, starts, seed)
    tables.add(_best_sets(base.table))
    n_each = max(1, n_draws // n_replicates)
    drawn = bag.settled(n_each, n_replicates, context)
    MODELS.forget(tables.on_both_scales)
    if not drawn:
        return base
    together = _joined(drawn)
    return replace(
        base,
        sample=together.sample,
        log_weights=together.log_weights,
        log_target=base.table.log_scores_of(together.sample.dags),
        missing_mass=None,
        n_replicates=len(drawn),
    )


def _best_sets(table: ScoreTable) -> list[Family]:
    """The best of each node in the table, whatever draws have: any may be best of a replicate."""
    return [family for node in range(table.n_variables) for family in table.best(node, N_BEST)]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Draws of replicates, whose weights add up to the same for each."""

    sample: DagSample
    log_weights: Floats  # (n_draws,)


@dataclass(frozen=True, eq=False)
class _Bag:
    """Draws of replicates."""

    tables: Reweighted
    sampler: Sampler
    starts: Dags  # of the table, of which one is good under any weights
    seed: int

    def settled(self, n_each: int, n_replicates: int, context: RunContext) -> dict[int, _Drawn]:
        """So many of each; drawn again, with numbers, where sets without their own are frequent.

        What is borrowed from another set errs by many nats in some replicates, and what it makes
        too good is what these draw.
        """
        drawn: dict[int, _Drawn] = {}
        todo: Sequence[int] = range(n_replicates)
        for number in range(N_PASSES):
            drawn |= self.draw(n_each, todo, number, context)
            unknown = {i: self.unknown(drawn[i].sample) for i in todo if i in drawn}
            todo = [i for i, families in unknown.items() if families]
            new = list(dict.fromkeys(family for i in todo for family in unknown[i]))
            if context.deadline.passed or not self.tables.add(new):
                break
            others = set(drawn).difference(todo)
            todo += [i for i in sorted(others) if self._rivals(i, drawn[i].sample, new)]
        return dict(sorted(drawn.items()))

    def _rivals(self, replicate: int, sample: DagSample, new: Sequence[Family]) -> bool:
        """Whether one of these sets, now that they have numbers, is as good as what was drawn."""
        table = self.tables.replicate(replicate)
        best = sample.dags[table.log_scores_of(sample.dags).argmax()]
        drawn = [tuple(np.flatnonzero(column).tolist()) for column in best.T]
        least = [table.log_score(*family) - RIVAL for family in enumerate(drawn)]
        return any(table.log_score(v, parents) > least[v] for v, parents in new)

    def unknown(self, sample: DagSample) -> list[Family]:
        """Frequent sets of draws that have no numbers of their own."""
        counts = families(sample)
        return self.tables.unknown([f for f, n in counts.items() if n >= OFTEN * sample.n_draws])

    def draw(
        self, n_each: int, replicates: Sequence[int], number: int, context: RunContext
    ) -> dict[int, _Drawn]:
        """So many of each of these replicates; seeded by a number.

        Those that there was no time for are left out.
        """
        if not self.tables.ready:
            return {}
        mixed = np.random.SeedSequence([self.seed, number])
        seeds = mixed.generate_state(self.tables.n_replicates, np.uint64)
        drawn: dict[int, _Drawn] = {}
        progress = context.progress("drawing replicates")

        def submit(replicate: int) -> "Future[_Drawn]":
            seed = int(seeds[replicate] >> np.uint64(1))
            alone = RunContext(deadline=context.deadline)
            return context.executor.submit(self._draw_one, replicate, n_each, seed, alone)

        def keep(replicate: int, found: _Drawn) -> None:
            if found.sample.n_draws == n_each:  # else the time ended
                drawn[replicate] = found
            progress(len(drawn), len(replicates), 0.0)

        context.executor.in_order(replicates, submit, keep, context.deadline)
        return drawn

    def _draw_one(self, replicate: int, n_draws: int, seed: int, context: RunContext) -> _Drawn:
        table = self.tables.replicate(replicate)
        sample = self.sampler.replicate(
            table, n_draws=n_draws, seed=seed, context=context, known=self.starts
        )
        log_weights = weigh(sample, table)[0]
        return _Drawn(sample, normalised(log_weights) if sample.n_draws else log_weights)


def _joined(drawn: Mapping[int, _Drawn]) -> _Drawn:
    """Replicates are independent, or their pairs are."""
    dags = np.concatenate([one.sample.dags for one in drawn.values()])
    chain = [np.full(one.sample.n_draws, i // 2, np.int32) for i, one in drawn.items()]
    log_weights = np.concatenate([one.log_weights for one in drawn.values()])
    sample = DagSample(dags, np.zeros(len(dags)), np.concatenate(chain), independent=True)
    return _Drawn(sample, log_weights - np.log(len(drawn)))
