"""The learned edge penalty against sums over all DAGs and all values of gamma.

Chi-square tests are at a false-alarm rate of 1e-4, with fixed seeds.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from gpnet import load_table, simulate
from gpnet.common.errors import OptionError
from gpnet.graphs.dag import is_acyclic
from gpnet.samplers import ExactSampler, OrderSampler, PartitionSampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.learned import GibbsSampler, MixtureSampler
from gpnet.samplers.learned.rounds import penalised
from gpnet.samplers.learned.sums import below_convex
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import LearnedPrior, UniformPrior
from tests.contexts import context
from tests.samplers.exact_tables import (
    KINDS,
    chi_square_p_value,
    codes,
    full_space,
    probabilities_by_enumeration,
    random_table,
    tables,
)

FALSE_ALARM = 1e-4
PRIOR = LearnedPrior.beta()
MIXTURE = MixtureSampler(PRIOR, ExactSampler())


def log_priors_of(table, dags):
    bare = (
        replace(scores, log_marginals=np.zeros_like(scores.log_marginals)) for scores in table.nodes
    )
    return replace(table, nodes=tuple(bare)).log_scores_of(dags)


class Enumerated:
    """Everything by sums over all DAGs."""

    def __init__(self, table, prior=PRIOR, normalised=True):
        self.dags, _, _ = probabilities_by_enumeration(table)
        penalties = np.multiply.outer(self.dags.sum(axis=(1, 2)), prior.grid)
        log_priors = log_priors_of(table, self.dags)[:, None] - penalties
        self.log_z0 = logsumexp(log_priors, axis=0) * normalised
        log_scores = table.log_scores_of(self.dags)
        log_joint = prior.log_hyperprior + log_scores[:, None] - penalties - self.log_z0
        self.log_density = logsumexp(log_joint, axis=1)
        self.probabilities = softmax(self.log_density)
        self.gamma_probabilities = softmax(logsumexp(log_joint, axis=0))
        self.log_evidence = logsumexp(log_joint)

    def edges(self):
        return np.einsum("d,dij->ij", self.probabilities, self.dags)


@pytest.mark.parametrize("spread", [1.0, 100.0, 2000.0])
@pytest.mark.parametrize("kind", KINDS)
def test_gamma_against_enumeration(spread, kind):
    table = tables(4, spread)[kind]
    expected, found = Enumerated(table), MIXTURE.gamma_posterior(table)
    np.testing.assert_allclose(
        found.probabilities, expected.gamma_probabilities, rtol=1e-9, atol=1e-14
    )
    assert found.log_evidence == pytest.approx(expected.log_evidence, rel=0, abs=1e-9)
    known = np.isfinite(found.log_z0)
    np.testing.assert_allclose(found.log_z0[known], expected.log_z0[known], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_mixture(kind):
    table = tables(4, 3.0)[kind]
    expected = Enumerated(table)
    chain = MIXTURE.sample(table, n_draws=100_000, seed=2)
    assert chi_square_p_value(chain.dags, expected.dags, expected.probabilities) > FALSE_ALARM
    log_density = dict(zip(codes(expected.dags), expected.log_density, strict=True))
    np.testing.assert_allclose(
        chain.log_density, [log_density[code] for code in codes(chain.dags)], rtol=0, atol=1e-9
    )
    assert chain.independent
    mean = expected.gamma_probabilities @ PRIOR.grid
    assert chain.diagnostics["gamma_mean"] == pytest.approx(mean, abs=1e-9)
    error = chain.diagnostics["gamma_sd"] / np.sqrt(chain.n_draws)
    assert abs(chain.gammas.mean() - mean) < 4 * error  # by chance once in 16 000


def test_a_prior_without_its_normaliser_fails():
    table = tables(4, 3.0)["full"]
    wrong = Enumerated(table, normalised=False)
    chain = MIXTURE.sample(table, n_draws=100_000, seed=2)
    assert chi_square_p_value(chain.dags, wrong.dags, wrong.probabilities) < FALSE_ALARM


def test_draws_lie_in_random_order_and_do_not_depend_on_workers():
    table = tables(5, 3.0)["plus one"]
    one = MIXTURE.sample(table, n_draws=2000, seed=3)
    two = MIXTURE.sample(table, n_draws=2000, seed=3, context=context(2))
    np.testing.assert_array_equal(one.dags, two.dags)
    assert abs(np.corrcoef(one.gammas[1:], one.gammas[:-1])[0, 1]) < 5 / np.sqrt(2000)
    # DAGs under a large gamma have few edges: the two belong together, draw by draw.
    assert np.corrcoef(one.gammas, one.dags.sum(axis=(1, 2)))[0, 1] < -0.1


@pytest.mark.parametrize(("n", "spread"), [(4, 3.0), (5, 100.0), (8, 10.0)])
def test_a_finer_grid_gives_the_same(n, spread):
    table, finer = random_table(full_space(n), spread), LearnedPrior.beta(step=0.0625)
    found = [
        MixtureSampler(prior, ExactSampler()).gamma_posterior(table) for prior in (PRIOR, finer)
    ]
    moments = [[p.probabilities @ p.grid**k for k in (1, 2)] for p in found]
    np.testing.assert_allclose(*moments, rtol=0, atol=1e-6)
    assert found[0].log_evidence == pytest.approx(found[1].log_evidence, abs=1e-6)
    coarse = MixtureSampler(LearnedPrior.beta(step=4.0), ExactSampler()).gamma_posterior(table)
    assert abs(coarse.log_evidence - found[1].log_evidence) > 1e-6


def test_edge_probabilities_to_a_millionth():
    table = random_table(full_space(4), 5.0)
    coarse, fine = (Enumerated(table, LearnedPrior.beta(step=step)) for step in (0.125, 0.0625))
    np.testing.assert_allclose(coarse.edges(), fine.edges(), rtol=0, atol=1e-6)


@dataclass
class Counting:
    """Writes down what is asked of an exact sampler."""

    n_sums: int = 0

    def log_normaliser(self, table):
        self.n_sums += 1
        return ExactSampler().log_normaliser(table)


def test_values_of_gamma_that_cannot_matter_are_skipped():
    """A parent set that is 300 nats better than all others leaves few values of gamma."""
    table = random_table(full_space(8, 3), 1.0)
    nodes = [
        replace(scores, log_marginals=scores.log_marginals + 50.0 * (scores.masks == 7))
        for scores in table.nodes
    ]
    counting = Counting()
    found = MixtureSampler(PRIOR, counting).gamma_posterior(replace(table, nodes=tuple(nodes)))
    assert counting.n_sums < 0.8 * len(PRIOR.grid)
    assert found.probabilities.sum() == pytest.approx(1.0)


def test_lower_bound_of_a_convex_function():
    slopes, heights = np.arange(10.0), np.random.default_rng(0).uniform(0, 20, 10)
    grid = np.linspace(-4, 4, 81)
    values = logsumexp(heights - np.multiply.outer(grid, slopes), axis=1)
    for places in ([0, 80], [0, 40, 80], [0, 20, 37, 38, 60, 80]):
        bound = below_convex(grid, grid[places], values[places], steepest=-9)
        assert (bound <= values + 1e-12).all()
        np.testing.assert_allclose(bound[places], values[places])


def test_progress_ends_with_all_draws():
    seen = []
    table = tables(4, 1.0)["full"]
    MIXTURE.sample(
        table, n_draws=50, context=context(progress=lambda *state: seen.append(state[:2]))
    )
    assert seen[-1] == (50, 50)
    assert {total for _, total in seen} == {len(PRIOR.grid), 50}
    assert len(seen) > 10
    with pytest.raises(OptionError, match="n_draws: 1 or more"):
        MIXTURE.sample(table, n_draws=0)


# Gibbs


@dataclass(frozen=True)
class ToyStructureSampler:
    """Metropolis: one edge put in or taken out at a time, `thin` trials between draws."""

    thin: int = 6
    n_replicas: int = 1

    def sample(self, table, *, n_draws, seed=0, start=None):
        n = table.n_variables
        rng = np.random.default_rng(seed)
        dag = np.zeros((n, n), dtype=bool) if start is None else start.copy()
        scores = [
            dict(zip(table.space.all_parent_sets(v), table.nodes[v].log_scores, strict=True))
            for v in range(n)
        ]
        draws = []
        for _ in range(n_draws):
            for _ in range(self.thin):
                dag = self.step(dag, scores, rng)
            draws.append(dag)
        dags = np.array(draws)
        return DagSample(dags, table.log_scores_of(dags), np.zeros(n_draws, dtype=np.int32))

    def step(self, dag, scores, rng):
        parent, child = rng.choice(len(dag), size=2, replace=False)
        new = dag.copy()
        new[parent, child] = ~dag[parent, child]
        before, after = (
            scores[child].get(tuple(np.flatnonzero(d[:, child]).tolist()), -np.inf)
            for d in (dag, new)
        )
        accepted = np.log(rng.random()) < after - before
        return new if accepted and is_acyclic(new) else dag


def z_scores(chain, expected, n_batches=40):
    """How many standard errors the edge frequencies are away, by batch means."""
    batches = chain.dags.reshape(n_batches, -1, *chain.dags.shape[1:]).mean(axis=1)
    errors = batches.std(axis=0, ddof=1) / np.sqrt(n_batches) + 1e-9
    return (np.abs(batches.mean(axis=0) - expected) / errors).max()


def gibbs(prior=PRIOR, **settings):
    sampler = GibbsSampler(prior, ToyStructureSampler(thin=24), n_chains=2, burn_in=20, **settings)
    table = random_table(full_space(3), 6.0, seed=9)
    return table, sampler.sample(table, n_draws=8000, seed=1, context=context(2))


def test_gibbs_finds_the_exact_mixture():
    """Six edges; five standard errors of 40 batches are exceeded by chance once in 15 000 runs."""
    table, chain = gibbs()
    expected = Enumerated(table)
    assert z_scores(chain, expected.edges()) < 5
    log_density = dict(zip(codes(expected.dags), expected.log_density, strict=True))
    np.testing.assert_allclose(
        chain.log_density, [log_density[code] for code in codes(chain.dags)], rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(
        chain.gamma_probabilities.cumsum(), expected.gamma_probabilities.cumsum(), atol=0.02
    )
    assert not chain.independent
    assert (chain.n_chains, chain.n_draws, chain.warnings) == (2, 8000, ())
    assert set(chain.gammas) <= set(PRIOR.grid)


def test_gibbs_without_the_normaliser_fails(monkeypatch):
    monkeypatch.setattr(GibbsSampler, "_log_z0", lambda self, table: np.zeros(len(PRIOR.grid)))
    table, chain = gibbs()
    assert z_scores(chain, Enumerated(table).edges()) > 5


def test_gibbs_does_not_depend_on_workers_and_counts_rounds():
    table, seen = tables(4, 3.0)["full"], []
    sampler = GibbsSampler(PRIOR, ToyStructureSampler(), n_chains=3, draws_per_round=4, burn_in=2)
    one = sampler.sample(table, n_draws=30, seed=4)
    two = sampler.sample(
        table,
        n_draws=30,
        seed=4,
        context=context(2, progress=lambda *state: seen.append(state[:2])),
    )
    np.testing.assert_array_equal(one.dags, two.dags)
    np.testing.assert_array_equal(one.chain, np.repeat([0, 1, 2], 10))
    assert seen == [(i, 5) for i in range(1, 6)]


def test_gibbs_says_what_its_normaliser_counts():
    sampler = GibbsSampler(PRIOR, ToyStructureSampler())
    for kind in ("restricted", "plus one"):
        chain = sampler.sample(tables(4, 1.0)[kind], n_draws=10)
        assert "also those outside the search space" in chain.warnings[0]


@pytest.mark.parametrize(("n_draws", "shares"), [(5, [3, 2]), (1, [1])])
def test_gibbs_shares_draws_among_chains(n_draws, shares):
    sampler = GibbsSampler(PRIOR, ToyStructureSampler(), n_chains=2)
    chain = sampler.sample(tables(4, 1.0)["full"], n_draws=n_draws)
    assert np.bincount(chain.chain).tolist() == shares
    assert len(chain.dags) == len(chain.gammas) == len(chain.log_prior) == n_draws


def test_gibbs_refuses_other_penalties_and_several_chains():
    sampler = GibbsSampler(PRIOR, ToyStructureSampler(), n_chains=2)
    with pytest.raises(OptionError, match="log priors are 0 or -inf"):
        sampler.sample(penalised(tables(4, 1.0)["full"], 0.5), n_draws=10)
    with pytest.raises(OptionError, match="burn_in: 0 or more"):
        replace(sampler, burn_in=-1)

    class Several(ToyStructureSampler):
        def sample(self, table, **options):
            chain = super().sample(table, **options)
            return replace(chain, chain=np.arange(chain.n_draws, dtype=np.int32))

    with pytest.raises(OptionError, match="expected one chain, found 10"):
        GibbsSampler(PRIOR, Several()).sample(tables(4, 1.0)["full"], n_draws=10)


def test_turns_with_partitions_agree_with_the_exact_mixture():
    """20 000 draws each: 0.02 is some five standard errors of an edge at 1/2."""
    data = load_table(simulate(nodes=5, rows=60, seed=2).values)
    table = tabulate(data, FullSpace().build(data), BgeScore(), UniformPrior())
    prior = LearnedPrior.beta()
    exact = MixtureSampler(prior, ExactSampler()).sample(table, n_draws=20_000, seed=1)
    inner = PartitionSampler(n_chains=1, burn_in=0, thin=50, temperatures=(1.0,), with_orders=False)
    turns = GibbsSampler(prior, inner, burn_in=50).sample(table, n_draws=20_000, seed=1)
    np.testing.assert_allclose(turns.edge_frequencies(), exact.edge_frequencies(), atol=0.02)
    assert turns.warnings == ()
    assert turns.diagnostics["max_r_hat"] < 1.01


@pytest.mark.parametrize("inner", [PartitionSampler(n_chains=1), OrderSampler(n_chains=1)])
def test_turns_with_tempered_replicas_are_refused(inner):
    """They start anew each round, and would pull the chain away from its distribution."""
    with pytest.raises(OptionError, match="one replica"):
        GibbsSampler(PRIOR, inner)


def test_turns_that_have_not_converged_say_so():
    sampler = GibbsSampler(PRIOR, ToyStructureSampler(), n_chains=2, draws_per_round=4)
    chain = sampler.sample(tables(4, 100.0)["full"], n_draws=16, seed=4)
    assert chain.diagnostics["max_r_hat"] > 1.01
    assert any("do not quite agree" in told for told in chain.warnings)
