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

from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.inference.choose_scales import Scales
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import Weighted, beside, weigh
from gpnet.inference.pointwise_sums import PointwiseSums
from gpnet.inference.reweighted import Reweighted
from gpnet.inference.row_weights import row_weights
from gpnet.runtime.context import RunContext
from gpnet.samplers import Sampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.scores.model_cache import MODELS
from gpnet.stats.importance_weights import normalised

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
    tables.add(_worth_numbers(base))
    for number in range(N_PASSES):
        some = range(number % PILOT_STEP, n_replicates, PILOT_STEP)
        pilot = bag.draw(N_PILOT, some, number, context.within("drawing replicates (pilot)"))
        if pilot is None or context.deadline.passed or not tables.add(bag.unknown(pilot.sample)):
            break
    n_each = max(1, n_draws // n_replicates)
    drawn = bag.draw(n_each, range(n_replicates), N_PASSES, context)
    MODELS.forget(tables.on_both_scales)
    if drawn is None:
        return base
    return replace(
        base,
        sample=drawn.sample,
        log_weights=drawn.log_weights,
        log_target=base.table.log_scores_of(drawn.sample.dags),
        missing_mass=None,
        n_replicates=drawn.sample.n_draws // n_each,
    )


def _worth_numbers(base: Weighted) -> list[Family]:
    """What is often drawn, and its neighbours that are nearly as good; and every root."""
    table, sample = base.table, base.sample
    n_often = OFTEN * sample.n_draws
    often = [family for family, n in families(sample).items() if n >= n_often]
    found = dict.fromkeys(often)
    for family in often:
        least = table.log_score(*family) - NEAR
        near = beside(table, [family], all_of=True)
        found |= dict.fromkeys(one for one in near if table.log_score(*one) > least)
    return list(found)


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
    starts: NDArray[np.bool_]  # DAGs of the table, of which one is good under any weights
    seed: int

    def unknown(self, sample: DagSample) -> list[Family]:
        """Sets of draws that have no numbers of their own; none where they hardly matter."""
        counts = families(sample)
        missing = self.tables.unknown(list(counts))
        if sum(counts[family] for family in missing) <= SETTLED * sample.n_draws:
            return []
        return missing

    def draw(
        self, n_each: int, replicates: Sequence[int], number: int, context: RunContext
    ) -> _Drawn | None:
        """So many of each of these replicates, one after the other; seeded by a number.

        None where there was time for none.
        """
        if not self.tables.ready:
            return None
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
        return _joined(drawn) if drawn else None

    def _draw_one(self, replicate: int, n_draws: int, seed: int, context: RunContext) -> _Drawn:
        table = self.tables.replicate(replicate)
        known = self.starts[int(table.log_scores_of(self.starts).argmax())]
        sample = self.sampler.replicate(
            table, n_draws=n_draws, seed=seed, context=context, known=known
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
