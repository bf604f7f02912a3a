"""From draws under a cheap score to weighted draws under the one that is meant (Algorithm 1)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.types import Floats, Node
from gpnet.gp.evidence import Evidence
from gpnet.graphs.distinct import distinct
from gpnet.inference.drawn_sets import DrawnSets, families
from gpnet.runtime.context import RunContext
from gpnet.samplers import Sampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import ScoreTable
from gpnet.stats.importance_weights import GOOD_K, GOOD_SHARE, effective_sample_size, pareto_k

EQUAL_SHARE: Final = 0.9
N_PILOT: Final = 1000  # draws that show where the posterior lies
N_SETTLE: Final = 50  # pilot draws at most, until next to none of them has a predicted score
FARTHEST: Final = 2.0  # nats by which predictions are moved at once
SETTLED: Final = 0.1  # of them, that may have one
OFTEN: Final = 0.25  # of pilot draws: sets one parent away from what so many have are scored
BESIDE: Final = 10.0  # nats below it, up to which such a set is worth drawing again
N_PILOT_AGAIN: Final = 3000  # with the scores of what the first ones visited


@dataclass(frozen=True)
class Health:
    """The health of the weights of one round."""

    effective_share: float  # effective size of the weights / number of draws
    k_hat: float  # of the Pareto distribution of the largest weights
    n_new_sets: int  # scored in this round, as no round before had met them

    @property
    def good(self) -> bool:
        """Whether averages over these draws can be trusted.

        Weights that are next to equal have no tail to speak of, whatever its shape.
        """
        if self.effective_share >= EQUAL_SHARE:
            return True
        return self.effective_share >= GOOD_SHARE and not self.k_hat > GOOD_K


@dataclass(frozen=True, eq=False)
class Weighted:
    """Draws and what turns them into the posterior."""

    sample: DagSample
    table: ScoreTable  # with the accurate log marginals of all that was visited
    log_weights: Floats  # (n_draws,)
    log_target: Floats  # (n_draws,): log marginals + log prior
    rescored: dict[Family, Evidence]  # of all that was scored again
    rounds: tuple[Health, ...] = ()  # the last is that of these draws
    missing_mass: float | None = (
        None  # mass of DAGs never drawn, where the drawn weigh what they score
    )
    share_unscored: float = 0.0  # of the weight: draws with a set that there was no time to score
    n_replicates: int = 0  # that the draws are of; 0 where they are of the table itself

    def share_with(self, some: Sequence[Family]) -> float:
        """The share of the weight that draws with any of these parent sets have."""
        has = _holding(self.sample.dags, some)
        return min(1.0, float(softmax(self.log_weights)[has].sum()))  # more only by rounding


def _holding(dags: NDArray[np.bool_], some: Sequence[Family]) -> NDArray[np.bool_]:
    """(n_dags,): which have any of these parent sets."""
    has = np.zeros(len(dags), dtype=bool)
    for node, parents in some:
        column = np.isin(np.arange(dags.shape[1]), parents)
        has |= (dags[:, :, node] == column).all(axis=1)
    return has


def weigh(sample: DagSample, table: ScoreTable) -> tuple[Floats, Floats]:
    """log weights and log target of the draws, where the table has the scores that are meant.

    The weight of a draw is target / the density that it really came from, which also takes away
    what the sampler does by itself: order MCMC its bias towards DAGs of many orders.
    """
    log_target = table.log_scores_of(sample.dags)
    if sample.log_prior is not None:
        log_target = log_target + sample.log_prior
    return log_target - sample.log_density, log_target


@dataclass(frozen=True, eq=False)
class Settled:
    """A table of which draws meet hardly any prediction."""

    table: ScoreTable
    pilot: DagSample  # draws from it
    scored: dict[Family, Evidence]  # by its score, as they were drawn


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table that is ready to be drawn from."""

    table: ScoreTable  # with accurate scores of what pilot draws visited
    pilot: DagSample | None  # the last ones
    scoring: DrawnSets  # that knows what was scored


@dataclass(frozen=True)
class Rounds:
    """Drawing and weighting, in rounds of one seed each, until the weights are good.

    Where they are poor, the accurate log marginals of the sets that were visited enter the table,
    and the sampler draws again from a distribution nearer to the target. What pilot draws visited
    enters before the first round. Without a rescorer the table's scores are those that are meant,
    and one round does.
    """

    sampler: Sampler
    rescorer: Rescorer | None
    n_draws: int
    seeds: Sequence[int]
    context: RunContext = field(default_factory=RunContext)

    def run(self, start: "Prepared | ScoreTable") -> Weighted:
        """The last round's draws."""
        prepared = start if isinstance(start, Prepared) else self.prepare(start)
        table, scoring = prepared.table, prepared.scoring
        rounds: list[Health] = []
        for number, seed in enumerate(self.seeds, start=1):
            which = f" (round {number})" if number > 1 else ""
            sample = self._draw(table, seed, self.context.within(f"drawing DAGs{which}"))
            found = scoring.score(sample, stage=f"scoring what was drawn{which}")
            table = table.with_log_marginals(found)
            weighted = _weighted(sample, table, scoring.known)
            rounds.append(_health(weighted.log_weights, len(found)))
            unscored = [f for f in families(sample) if f not in scoring.known]
            if rounds[-1].good or not self.rescorer or self.context.deadline.passed:
                break
            if not sample.independent:
                table = self._met_by_pilots(table, scoring, seed)
        share = weighted.share_with(unscored) if self.rescorer else 0.0
        return replace(weighted, rounds=tuple(rounds), share_unscored=share)

    def _met_by_pilots(self, table: ScoreTable, scoring: DrawnSets, seed: int) -> ScoreTable:
        """With accurate scores of what as many quick draws visit, until their weights are good.

        Chains that agree may take minutes: not while what they meet has still to be scored. Each
        quick one begins where a search of its own ends, as theirs do, and sees what they will see.
        """
        for again in np.random.SeedSequence(seed).generate_state(len(self.seeds), np.uint64):
            pilot = self.pilot(table, int(again), self.n_draws)
            found = scoring.score(pilot)
            table = table.with_log_marginals(found)
            good = _health(weigh(pilot, table)[0], len(found)).good
            if good or self.context.deadline.passed:
                break
        return table

    def pilot(
        self,
        table: ScoreTable,
        seed: int,
        n_draws: int = N_PILOT,
        earlier: DagSample | None = None,
    ) -> DagSample:
        """A few draws that show where the posterior lies, as earlier ones showed it before."""
        context = self.context.within("drawing DAGs (pilot)")
        n_draws = min(n_draws, self.n_draws)
        known = None
        if earlier is not None:
            known = earlier.dags[table.log_scores_of(earlier.dags).argmax()]
        return self.sampler.pilot(table, n_draws=n_draws, seed=seed, context=context, known=known)

    def settle(self, table: ScoreTable, seed: int, earlier: DagSample | None = None) -> "Settled":
        """What pilot draws visit is scored, until next to all of it was; then what is beside it.

        By the score of the table. What was predicted too high is visited until it is known; what
        was predicted too low never is, and shows only beside what is drawn often.
        """
        pilot, scored = self.pilot(table, seed, earlier=earlier), dict[Family, Evidence]()
        for again in np.random.SeedSequence(seed).generate_state(N_SETTLE, np.uint64).tolist():
            if self.rescorer is None or self.context.deadline.passed:
                break
            wanted = [family for family in families(pilot) if not table.is_computed(*family)]
            settled = _holding(pilot.dags, wanted).mean() <= SETTLED
            if settled:
                wanted = beside(table, often_drawn(pilot))
                if not wanted:
                    break
            found = self.rescorer.by_table(wanted, stage="scoring what was drawn (pilot)")
            table, scored = table.with_log_marginals(found), scored | found
            if settled and not _may_matter(table, often_drawn(pilot), found):
                break
            pilot = self.pilot(table, again, earlier=pilot)
        return Settled(table, pilot, scored)

    def prepare(
        self, table: ScoreTable, pilot: DagSample | None = None, scoring: DrawnSets | None = None
    ) -> "Prepared":
        """With accurate scores of what pilot draws visit, one after the other.

        `scoring` may know some already, of a smaller space.
        """
        if self.rescorer is None or pilot is None:
            return Prepared(table, pilot, DrawnSets(self.rescorer))
        scoring = scoring or DrawnSets(self.rescorer)
        for number, seed in enumerate(self.seeds):
            if number:
                pilot = self.pilot(table, seed, N_PILOT_AGAIN, pilot)
            found = scoring.score(pilot)
            table = _mended(table, found).with_log_marginals(found)
            good = _health(weigh(pilot, table)[0], len(found)).good
            if good or self.context.deadline.passed:
                break
        return Prepared(table, pilot, scoring)

    def _draw(self, table: ScoreTable, seed: int, context: RunContext) -> DagSample:
        return self.sampler.sample(table, n_draws=self.n_draws, seed=seed, context=context)


def often_drawn(sample: DagSample) -> list[Family]:
    """The parent sets that many of the draws have."""
    fewest = OFTEN * len(sample.dags)
    return [family for family, n_draws in families(sample).items() if n_draws >= fewest]


def beside(table: ScoreTable, some: Sequence[Family], *, all_of: bool = False) -> list[Family]:
    """What is allowed, one parent away from these, and has no score of its own; sorted.

    Or all of it, whether it has one or not.
    """
    found = {one for family in some for one in _one_away(table, family)}
    return sorted(family for family in found if all_of or not table.is_computed(*family))


def _one_away(table: ScoreTable, family: Family) -> Iterator[Family]:
    """With one parent less, or a candidate more, as far as the prior allows them."""
    node, parents = family
    fewer = (tuple(p for p in parents if p != one) for one in parents)
    may_grow = len(parents) < table.space.cap(node)
    added = [c for c in table.space.candidates[node] if c not in parents] if may_grow else []
    more = (tuple(sorted((*parents, one))) for one in added)
    for near in chain(fewer, more):
        if table.log_prior(node, near) > -np.inf:
            yield node, near


def _may_matter(table: ScoreTable, some: Sequence[Family], found: Collection[Family]) -> bool:
    """Whether one of those found is nearly as good as the set that it is one parent away from."""
    return any(
        near in found and table.log_score(*near) > table.log_score(*family) - BESIDE
        for family in some
        for near in _one_away(table, family)
    )


def _mended(table: ScoreTable, found: dict[Family, Evidence]) -> ScoreTable:
    """Predictions moved by what those err, in the middle, that were scored.

    By node and number of parents: whatever a parent from outside is, much the same is wrong. Not
    far: what is never drawn shows no error.
    """
    errors: dict[tuple[Node, int], list[float]] = {}
    for (node, parents), evidence in found.items():
        if not table.is_computed(node, parents):
            error = evidence.value - table.log_marginal(node, parents)
            errors.setdefault((node, len(parents)), []).append(error)
    middle = {key: float(np.median(of)) for key, of in errors.items()}
    return table.with_predictions_moved(
        {key: min(max(error, -FARTHEST), FARTHEST) for key, error in middle.items()}
    )


def _weighted(sample: DagSample, table: ScoreTable, rescored: dict[Family, Evidence]) -> Weighted:
    log_weights, log_target = weigh(sample, table)
    return Weighted(sample, table, log_weights, log_target, rescored)


def weigh_unique_dags(weighted: Weighted) -> Weighted:
    """Where next to all DAGs that matter were drawn, give each the weight that its score says.

    Relative weights are then exact, and all that is missing is the mass of DAGs that were never
    drawn. Good & Turing: it is about the weight of those that were drawn once; of a chain, of
    those that it visited once, however long it stayed. Done where that is less than half of what
    chance may do to a probability, 1 / sqrt(draws).
    """
    sample = weighted.sample
    _, place = distinct(sample.dags)
    counts, n_draws = np.bincount(place)[place], len(place)
    visits = counts if sample.independent else _visits(place, sample.chain)
    once = float(softmax(weighted.log_weights)[visits == 1].sum())
    missing_mass = max(once, 1 / n_draws)
    if missing_mass > 0.5 / np.sqrt(n_draws):
        return weighted
    return replace(
        weighted, log_weights=weighted.log_target - np.log(counts), missing_mass=missing_mass
    )


def _visits(place: NDArray[np.intp], chain: NDArray[np.int32]) -> NDArray[np.intp]:
    """(n_draws,): how often chains came to the DAG of each draw; staying there counts once."""
    came = np.ones(len(place), dtype=bool)
    came[1:] = (place[1:] != place[:-1]) | (chain[1:] != chain[:-1])
    return np.asarray(np.bincount(place[came])[place])


def _health(log_weights: Floats, n_new_sets: int) -> Health:
    share = effective_sample_size(log_weights) / len(log_weights)
    return Health(share, pareto_k(log_weights), n_new_sets)
