"""Weighted draws against the posterior by enumeration of all DAGs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from gpnet.gp.evidence import Evidence
from gpnet.graphs.enumeration import all_dags
from gpnet.inference import importance_rounds
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import (
    SETTLED,
    Health,
    Rounds,
    weigh,
    weigh_unique_dags,
)
from gpnet.samplers import ExactSampler, OrderSampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.learned import MixtureSampler
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, log_priors
from gpnet.structure_priors import EdgePenalty, LearnedPrior, UniformPrior
from tests.contexts import PASSED, context

N = 4
NAMES = ("A", "B", "C", "D")
SPACE = SearchSpace(tuple(tuple(v for v in range(N) if v != node) for node in range(N)), N - 1)
DAGS = all_dags(N)
DRAWS = 20_000


def table_of(log_marginals, prior=None):
    return ScoreTable.assemble(
        NAMES, SPACE, log_marginals, log_priors(SPACE, prior or UniformPrior())
    )


class Accurate:
    """Stands for a rescorer: knows the right log marginals, and counts what it was asked."""

    def __init__(self, log_marginals, *, knows=lambda family: True):
        self.table, self.knows, self.asked = table_of(log_marginals), knows, []

    def rescore(self, families, *, roughly=(), stage):
        families = [*families, *roughly]
        self.asked += [family for family in families if family not in self.asked]
        return {
            (node, parents): Evidence(self.table.log_marginal(node, parents), 0.0, "told")
            for node, parents in families
            if self.knows((node, parents))
        }

    def by_table(self, families, *, stage):
        return self.rescore(families, stage=stage)

    def known_by_table(self, families):
        return {}


@pytest.fixture
def right():
    rng = np.random.default_rng(3)
    return [rng.normal(0, 2, SPACE.n_sets(node=node)) for node in range(N)]


def blurred(log_marginals, sd):
    rng = np.random.default_rng(4)
    return [column + rng.normal(0, sd, len(column)) for column in log_marginals]


def edges(dags, weights):
    return np.tensordot(weights, dags, 1)


def test_weighting_leads_to_the_posterior_that_is_meant(right):
    cheap = table_of(blurred(right, 0.6))
    weighted = Rounds(ExactSampler(), Accurate(right), DRAWS, seeds=[1]).run(cheap)
    exact = edges(DAGS, softmax(table_of(right).log_scores_of(DAGS)))
    found = edges(weighted.sample.dags, softmax(weighted.log_weights))
    assert np.abs(found - exact).max() < 0.02  # 5 standard errors at an effective share of 0.6
    unweighted = np.abs(weighted.sample.edge_frequencies() - exact).max()
    assert unweighted > 0.04  # the cheap table alone would not do


def test_good_weights_need_one_round_and_each_set_is_scored_once(right):
    accurate = Accurate(right)
    weighted = Rounds(ExactSampler(), accurate, 1000, seeds=[1, 2, 3]).run(
        table_of(blurred(right, 0.1))
    )
    assert len(weighted.rounds) == 1
    assert weighted.rounds[0].good
    assert len(accurate.asked) == len(set(accurate.asked)) == weighted.rounds[0].n_new_sets


def test_poor_weights_are_remedied_by_drawing_again(right):
    accurate = Accurate(right)
    weighted = Rounds(ExactSampler(), accurate, DRAWS, seeds=[1, 2, 3, 4, 5]).run(
        table_of(blurred(right, 2.0))
    )
    shares = [health.effective_share for health in weighted.rounds]
    assert shares[0] < 0.5 < 0.9 < shares[-1]
    assert len(set(accurate.asked)) == len(accurate.asked)  # no set twice in all rounds
    exact = edges(DAGS, softmax(table_of(right).log_scores_of(DAGS)))
    found = edges(weighted.sample.dags, softmax(weighted.log_weights))
    assert np.abs(found - exact).max() < 0.02


def predicted(right, too_high):
    """Half of the sets of two parents and more are predictions."""
    columns = [column.copy() for column in right]
    predictions = [np.full(len(column), np.nan) for column in right]
    for node, column in enumerate(columns):
        for place, parents in enumerate(SPACE.all_parent_sets(node)):
            if len(parents) >= 2 and place % 2:
                column[place] += too_high
                predictions[node][place] = column[place]
    priors = log_priors(SPACE, UniformPrior())
    return ScoreTable.assemble(NAMES, SPACE, columns, priors, predictions)


def test_what_was_predicted_too_high_is_scored_until_draws_meet_hardly_any(right):
    accurate, table = Accurate(right), predicted(right, too_high=8.0)
    settled = Rounds(ExactSampler(), accurate, 1000, seeds=[1]).settle(table, seed=1)
    met = [family for family in families(settled.pilot) if not settled.table.is_computed(*family)]
    share = np.mean([any(_has(dag, one) for one in met) for dag in settled.pilot.dags])
    assert share <= SETTLED
    assert {*settled.scored} == {*accurate.asked}
    for (node, parents), evidence in settled.scored.items():
        assert evidence.value == settled.table.log_marginal(node, parents)
        assert not table.is_computed(node, parents)
    # The control: draws from the predictions meet them.
    before = families(ExactSampler().sample(table, n_draws=1000, seed=1))
    assert any(not table.is_computed(*family) for family in before)


@pytest.mark.parametrize("often", [importance_rounds.OFTEN, 2.0])
def test_what_was_predicted_far_too_low_shows_beside_what_is_drawn(right, often, monkeypatch):
    """Three parents of which one does nothing, where the two that do were predicted not to."""
    monkeypatch.setattr(importance_rounds, "OFTEN", often)  # 2: never, the control
    node, best, larger = 3, (0, 1), (0, 1, 2)
    right = [column.copy() for column in right]
    right[node][SPACE.index(node, best)], right[node][SPACE.index(node, larger)] = 40.0, 30.0
    columns, predictions = right[node].copy(), [np.full(len(column), np.nan) for column in right]
    place = SPACE.index(node, best)
    columns[place] = predictions[node][place] = -100.0
    priors = log_priors(SPACE, UniformPrior())
    table = ScoreTable.assemble(NAMES, SPACE, [*right[:node], columns], priors, predictions)
    settled = Rounds(ExactSampler(), Accurate(right), 1000, seeds=[1]).settle(table, seed=1)
    share = np.mean([_has(dag, (node, best)) for dag in settled.pilot.dags])
    assert (share > 0.9) == (often < 1)
    assert settled.table.is_computed(node, best) == (often < 1)


def _has(dag, family):
    node, parents = family
    return tuple(np.flatnonzero(dag[:, node]).tolist()) == parents


def test_without_predictions_nothing_is_scored_to_settle(right):
    accurate = Accurate(right)
    settled = Rounds(ExactSampler(), accurate, 1000, seeds=[1]).settle(table_of(right), seed=1)
    assert not accurate.asked
    assert len(settled.pilot.dags) == 1000


class Counting:
    """Chains by name, whose long draws are counted."""

    def __init__(self):
        self.n_long = self.n_quick = 0

    def sample(self, table, *, n_draws, seed, context):
        self.n_long += 1
        drawn = ExactSampler().sample(table, n_draws=n_draws, seed=seed)
        return replace(drawn, independent=False)

    def pilot(self, table, *, n_draws, seed, context, known=None):
        self.n_quick += 1
        return ExactSampler().sample(table, n_draws=n_draws, seed=seed)


def test_quick_draws_come_before_long_chains_once_weights_are_poor(right):
    """One round was poor, and one more does: all that is met between was met by quick draws."""
    chains = Counting()
    rounds = Rounds(chains, Accurate(right), DRAWS, [1, 2, 3, 4, 5])
    weighted = rounds.run(table_of(blurred(right, 2.0)))
    assert [health.good for health in weighted.rounds] == [False, True]
    assert chains.n_long == 2
    assert 1 <= chains.n_quick <= 5
    exact = edges(DAGS, softmax(table_of(right).log_scores_of(DAGS)))
    found = edges(weighted.sample.dags, softmax(weighted.log_weights))
    assert np.abs(found - exact).max() < 0.02


def test_rounds_end_when_their_number_is_spent(right):
    weighted = Rounds(ExactSampler(), Accurate(right), 200, seeds=[1]).run(
        table_of(blurred(right, 4.0))
    )
    assert len(weighted.rounds) == 1
    assert not weighted.rounds[0].good


@pytest.mark.parametrize(
    ("share", "k_hat", "good"),
    [
        (0.6, 0.1, True),
        (0.4, 0.1, False),
        (0.6, 0.8, False),
        (0.95, 2.0, True),
        (0.6, np.nan, True),
    ],
)
def test_what_good_weights_are(share, k_hat, good):
    assert Health(share, k_hat, 0).good == good


def test_no_rescorer_one_round_of_equal_weights(right):
    weighted = Rounds(ExactSampler(), None, 100, seeds=[1, 2]).run(table_of(right))
    assert len(weighted.rounds) == 1
    assert np.ptp(weighted.log_weights) < 1e-9
    assert weighted.rescored == {}


def test_weights_take_away_the_bias_of_orders(right):
    sampler = OrderSampler(n_chains=2)
    weighted = Rounds(sampler, Accurate(right), DRAWS, seeds=[1]).run(table_of(right))
    exact = edges(DAGS, softmax(table_of(right).log_scores_of(DAGS)))
    found = edges(weighted.sample.dags, softmax(weighted.log_weights))
    assert np.abs(found - exact).max() < 0.03
    assert np.abs(weighted.sample.edge_frequencies() - exact).max() > 0.03


def test_a_learned_penalty_stays_in_the_target(right):
    """p(dag) = sum over gamma of hyperprior exp(-gamma k) / Z0(gamma), by enumeration."""
    prior = LearnedPrior.beta(step=0.5)
    n_edges = DAGS.sum(axis=(1, 2))
    penalties = np.exp(-np.multiply.outer(prior.grid, n_edges))
    averaged = np.exp(prior.log_hyperprior) @ (penalties / penalties.sum(axis=1, keepdims=True))
    exact = edges(DAGS, softmax(table_of(right).log_scores_of(DAGS) + np.log(averaged)))
    sampler = MixtureSampler(prior, ExactSampler())
    weighted = Rounds(sampler, Accurate(right), DRAWS, seeds=[1]).run(table_of(blurred(right, 0.3)))
    found = edges(weighted.sample.dags, softmax(weighted.log_weights))
    assert np.abs(found - exact).max() < 0.02


def test_what_there_was_no_time_for_is_told_with_its_weight(right):
    accurate = Accurate(right, knows=lambda family: family[0] != 2 or family[1] == ())
    late = context(deadline=PASSED)
    weighted = Rounds(ExactSampler(), accurate, 2000, seeds=[1, 2], context=late).run(
        table_of(blurred(right, 2.0))
    )
    has = weighted.sample.dags[:, :, 2].any(axis=1)
    assert weighted.share_unscored == pytest.approx(softmax(weighted.log_weights)[has].sum())
    assert 0 < weighted.share_unscored < 1
    assert len(weighted.rounds) == 1  # no time is left for another


def test_families_of_a_chain_most_frequent_first(right):
    chain = ExactSampler().sample(table_of(right, EdgePenalty(1.0)), n_draws=500)
    found = families(chain)
    assert sum(found.values()) == N * 500
    assert list(found.values()) == sorted(found.values(), reverse=True)
    for (node, parents), count in found.items():
        column = np.isin(np.arange(N), parents)
        assert count == (chain.dags[:, :, node] == column).all(axis=1).sum()


# Each DAG by its score


def settled(right, n_draws, penalty=0.0):
    table = table_of(right, EdgePenalty(penalty))
    weighted = Rounds(ExactSampler(), None, n_draws, seeds=[1]).run(table)
    return weigh_unique_dags(weighted), softmax(table.log_scores_of(DAGS))


def test_where_next_to_all_was_drawn_weights_are_exact(right):
    weighted, exact = settled(right, DRAWS)
    chances = {dag.tobytes(): p for dag, p in zip(DAGS, exact, strict=True)}
    seen = {dag.tobytes() for dag in weighted.sample.dags}
    truly_missing = 1 - sum(chances[dag] for dag in seen)
    assert 0.3 * truly_missing < weighted.missing_mass < 3 * truly_missing  # Good & Turing
    weights = softmax(weighted.log_weights)
    for dag in seen:
        mine = [d.tobytes() == dag for d in weighted.sample.dags]
        assert weights[mine].sum() == pytest.approx(chances[dag] / (1 - truly_missing))


def test_error_bars_cover_what_was_never_drawn(right):
    for n_draws in (5_000, 20_000):
        weighted, exact = settled(right, n_draws, penalty=1.0)
        found = edges(weighted.sample.dags, softmax(weighted.log_weights))
        off = np.abs(found - edges(DAGS, exact))
        assert off.max() < 2 * weighted.missing_mass
        by_chance = np.abs(weighted.sample.edge_frequencies() - edges(DAGS, exact)).max()
        assert off.max() < by_chance  # the better estimate of the two


def test_where_much_was_never_drawn_draws_count_one_by_one(right):
    weighted, _ = settled([column / 10 for column in right], 1000)
    assert weighted.missing_mass is None
    assert np.ptp(weighted.log_weights) < 1e-9


def test_a_chain_that_stays_has_not_seen_more(right):
    """Each draw of a short run ten times, as of a chain that sticks: as much mass is missing."""
    table = table_of(right, EdgePenalty(1.0))
    weighted = Rounds(ExactSampler(), None, 2000, seeds=[1]).run(table)
    slow = DagSample(
        weighted.sample.dags.repeat(10, axis=0),
        weighted.sample.log_density.repeat(10),
        np.zeros(20_000, dtype=np.int32),
    )
    log_weights, log_target = weigh(slow, table)
    stuck = replace(weighted, sample=slow, log_weights=log_weights, log_target=log_target)
    as_if_new = replace(stuck, sample=replace(slow, independent=True))
    assert weigh_unique_dags(stuck).missing_mass is None  # too much for 20 000 draws
    assert (
        weigh_unique_dags(as_if_new).missing_mass == 1 / 20_000
    )  # the control: what sticking would feign
