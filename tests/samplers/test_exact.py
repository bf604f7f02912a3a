"""Exact sampling against enumeration, known counts, plain Python and chi-square tests.

Every chi-square test is at a false-alarm rate of 1e-4, with fixed seeds.
"""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from gpnet import load_table
from gpnet.common.errors import GpnetError, OptionError
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.graphs.counting import log_total_weight, n_dags
from gpnet.graphs.dag import is_acyclic
from gpnet.samplers import ExactSampler, exact
from gpnet.samplers.exact import memory_needed
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores import BgeScore, GpScore
from gpnet.structure_priors import StructurePrior, UniformPrior
from tests.contexts import context
from tests.samplers.exact_tables import (
    KINDS,
    chi_square_p_value,
    closures,
    codes,
    full_space,
    in_space,
    probabilities_by_enumeration,
    random_table,
    restricted_space,
    tables,
)
from tests.samplers.exact_twin import Twin

FALSE_ALARM = 1e-4
SPREADS = [1.0, 100.0, 2000.0]


def uniform_table(n, gamma=0.0, max_parents=None):
    """Weights exp(-gamma #parents)."""
    space = full_space(n, max_parents)
    sizes = [np.array([len(pa) for pa in space.all_parent_sets(0)])] * n
    columns = [-gamma * s for s in sizes]
    return ScoreTable.assemble(
        [f"V{v}" for v in range(n)], space, columns, [0.0 * s for s in sizes]
    )


# Sums


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("kind", KINDS)
def test_against_enumeration(n, spread, kind):
    table = tables(n, spread)[kind]
    dags, probabilities, log_z = probabilities_by_enumeration(table)
    found = ExactSampler().marginals(table)
    assert ExactSampler().log_normaliser(table) == found.log_normaliser
    assert found.log_normaliser == pytest.approx(log_z, rel=0, abs=1e-9)
    edges = np.einsum("d,dij->ij", probabilities, dags)
    ancestors = np.einsum("d,dij->ij", probabilities, closures(dags))
    np.testing.assert_allclose(found.edges, edges, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.ancestors, ancestors, rtol=0, atol=1e-9)
    assert found.error < 1e-12
    assert found.warnings == ()


def test_the_comparison_sees_a_wrong_score():
    table = tables(4, 1.0)["full"]
    _, _, log_z = probabilities_by_enumeration(table)
    column = table.nodes[2].log_marginals.copy()
    column[3] += 1e-6
    nodes = list(table.nodes)
    nodes[2] = replace(nodes[2], log_marginals=column)
    moved = ExactSampler().log_normaliser(replace(table, nodes=tuple(nodes)))
    assert abs(moved - log_z) > 1e-9


@pytest.mark.parametrize(
    "score", [BgeScore(), GpScore(evidence=EVIDENCE_METHODS["laplace"]())], ids=["bge", "gp"]
)
def test_real_tables_against_enumeration(reference, score):
    data = load_table(reference / "n4.csv")
    table = tabulate(data, full_space(4), score, UniformPrior())
    dags, probabilities, log_z = probabilities_by_enumeration(table)
    found = ExactSampler().marginals(table)
    assert found.log_normaliser == pytest.approx(log_z, rel=0, abs=1e-9)
    edges = np.einsum("d,dij->ij", probabilities, dags)
    np.testing.assert_allclose(found.edges, edges, rtol=0, atol=1e-9)
    draws = ExactSampler().sample(table, n_draws=100_000, seed=1).dags
    assert chi_square_p_value(draws, dags, probabilities) > FALSE_ALARM


@pytest.mark.parametrize("kind", KINDS)
def test_twin_has_the_same_sum(kind):
    table = tables(6, 20.0)[kind]
    expected = Twin(table).log_normaliser()
    assert ExactSampler().log_normaliser(table) == pytest.approx(expected, rel=0, abs=1e-10)


@pytest.mark.parametrize("n", [*range(1, 13), 15])
def test_uniform_weights_count_dags(n):
    found = ExactSampler().log_normaliser(uniform_table(n))
    assert found == pytest.approx(log(n_dags(n)), rel=1e-13, abs=1e-13)


@pytest.mark.slow
def test_uniform_weights_count_dags_of_twenty_nodes():
    sampler, table = ExactSampler(), uniform_table(20)
    assert sampler.log_normaliser(table) == pytest.approx(log(n_dags(20)), rel=1e-12)
    found = sampler.marginals(table)
    off_diagonal = ~np.eye(20, dtype=bool)
    assert np.ptp(found.edges[off_diagonal]) < 1e-8
    assert found.error < 1e-8


@pytest.mark.parametrize("gamma", [-3.0, 1.0, 8.0])
@pytest.mark.parametrize(("n", "max_parents"), [(9, None), (12, 3), (14, None)])
def test_error_bounds_hold_where_terms_cancel(n, max_parents, gamma):
    """Where most DAGs have few edges, 2^n terms of about the same size cancel."""
    table = uniform_table(n, gamma, max_parents)
    sums, offset = exact._summed(table, lambda *_: None, None)
    missed = abs(sums.log_normaliser + offset - log_total_weight(n, -gamma, max_parents))
    assert missed <= sums.forward_error + 1e-13
    assert sums.forward_error < 2 * 3.0**n * np.finfo(float).eps
    found = ExactSampler().marginals(table)
    off_diagonal = ~np.eye(n, dtype=bool)
    assert np.ptp(found.edges[off_diagonal]) < 1e-7  # they are all alike
    # The mean number of edges is the slope of log Z.
    step = 1e-4
    ends = [log_total_weight(n, -(gamma + d), max_parents) for d in (-step, step)]
    assert found.edges.sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)


def test_loss_of_precision_is_reported(monkeypatch):
    table = uniform_table(10, 8.0)
    assert ExactSampler().sample(table, n_draws=10).warnings == ()
    monkeypatch.setattr(exact, "TOLERATED", 1e-18)
    chain, found = ExactSampler().sample(table, n_draws=10), ExactSampler().marginals(table)
    assert f"off by some {chain.diagnostics['rounding']:.1g}" in chain.warnings[0]
    assert f"off by some {found.error:.1g}" in found.warnings[0]


def test_scores_may_lie_very_far_apart():
    table = random_table(full_space(5), 1e6)
    dags, probabilities, log_z = probabilities_by_enumeration(table)
    assert ExactSampler().log_normaliser(table) == pytest.approx(log_z, rel=1e-14)
    draws = ExactSampler().sample(table, n_draws=100)
    assert (codes(draws.dags) == codes(dags)[probabilities.argmax()]).all()


# Draws


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_distribution(n, spread, kind):
    table = tables(n, spread)[kind]
    dags, probabilities, _ = probabilities_by_enumeration(table)
    chain = ExactSampler().sample(table, n_draws=100_000, seed=11)
    assert chi_square_p_value(chain.dags, dags, probabilities) > FALSE_ALARM
    assert chain.diagnostics["restarts"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_sampler_fails(kind):
    """Layers that ignore each other: the same DAGs, other frequencies."""
    table = tables(4, 1.0)[kind]
    dags, probabilities, _ = probabilities_by_enumeration(table)
    twin, rng = Twin(table), np.random.default_rng(0)
    right, broken = (
        np.array([twin.draw(rng, must_cover) for _ in range(5000)]) for must_cover in (True, False)
    )
    assert chi_square_p_value(right, dags, probabilities) > FALSE_ALARM
    assert chi_square_p_value(broken, dags, probabilities) < FALSE_ALARM


def test_a_slightly_wrong_distribution_is_seen():
    table = tables(4, 1.0)["full"]
    dags, probabilities, _ = probabilities_by_enumeration(table)
    tilted = probabilities * np.exp(0.05 * dags.sum(axis=(1, 2)))
    draws = ExactSampler().sample(table, n_draws=100_000, seed=11).dags
    assert chi_square_p_value(draws, dags, tilted / tilted.sum()) < FALSE_ALARM


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_those_of_the_twin(kind):
    """Beyond enumeration: numbers of edges, of sinks and of colliders."""
    table = tables(6, 4.0)[kind]
    twin, rng = Twin(table), np.random.default_rng(3)
    ours = ExactSampler().sample(table, n_draws=20_000, seed=4).dags
    theirs = np.array([twin.draw(rng) for _ in range(4000)])
    for feature in (
        lambda d: d.sum(axis=(1, 2)),
        lambda d: (~d.any(axis=2)).sum(axis=1),
        lambda d: (d.sum(axis=1) > 1).sum(axis=1),
    ):
        counts = np.array([np.bincount(feature(d), minlength=16) for d in (ours, theirs)])
        common = counts[:, counts.min(axis=0) >= 5]
        assert chi2_contingency(common).pvalue > FALSE_ALARM


@pytest.mark.parametrize("gamma", [0.0, 3.0])
def test_frequencies_of_larger_dags_are_the_marginals(gamma):
    """132 edges; five standard errors are exceeded by chance once in 13 000 runs."""
    table = uniform_table(12, gamma, 3)
    chain, found = ExactSampler().sample(table, n_draws=4000), ExactSampler().marginals(table)
    errors = np.sqrt(found.edges * (1 - found.edges) / chain.n_draws) + 1e-12
    assert (np.abs(chain.edge_frequencies() - found.edges) / errors).max() < 5
    assert all(is_acyclic(dag) for dag in chain.dags[:200])
    ancestors = closures(chain.dags).mean(axis=0)
    errors = np.sqrt(found.ancestors * (1 - found.ancestors) / chain.n_draws) + 1e-12
    assert (np.abs(ancestors - found.ancestors) / errors).max() < 5


def test_the_same_for_any_number_of_workers_and_in_any_parts():
    table = random_table(restricted_space(10, plus_one=True), 10.0)
    one = ExactSampler().sample(table, n_draws=20_000, seed=5)
    two = ExactSampler().sample(table, n_draws=20_000, seed=5, context=context(2))
    np.testing.assert_array_equal(one.dags, two.dags)
    assert one.diagnostics == two.diagnostics
    fewer = ExactSampler().sample(table, n_draws=300, seed=5)
    np.testing.assert_array_equal(one.dags[:300], fewer.dags)
    other = ExactSampler().sample(table, n_draws=300, seed=6)
    assert (fewer.dags != other.dags).any()


def test_draws_are_independent():
    """Neighbouring draws agree as often as any: correlation of edge numbers, 5 standard errors."""
    n_edges = ExactSampler().sample(uniform_table(6), n_draws=50_000).dags.sum(axis=(1, 2))
    for lag in (1, 2, 7):
        correlation = np.corrcoef(n_edges[:-lag], n_edges[lag:])[0, 1]
        assert abs(correlation) < 5 / np.sqrt(50_000)


def test_the_sample_says_what_it_is():
    table = tables(5, 100.0)["plus one"]
    chain = ExactSampler().sample(table, n_draws=50)
    assert chain.independent
    assert (chain.n_draws, chain.n_chains) == (50, 1)
    np.testing.assert_array_equal(chain.log_density, table.log_scores_of(chain.dags))
    assert in_space(table.space, chain.dags).all()
    assert ExactSampler().sample(table, n_draws=0).dags.shape == (0, 5, 5)


# What is refused


class Contradiction(StructurePrior):
    """0 -> 1 and 1 -> 0 are required."""

    def log_prob(self, node, parents):
        return 0.0 if node > 1 or (1 - node) in parents else -np.inf


def test_contradictory_knowledge_is_told():
    table = random_table(full_space(4), 1.0).with_prior(Contradiction())
    for run in (ExactSampler().log_normaliser, ExactSampler().marginals):
        with pytest.raises(GpnetError, match="no DAG of the table is possible"):
            run(table)
    nodes = list(table.nodes)
    nodes[2] = replace(nodes[2], log_priors=np.full_like(nodes[2].log_priors, -np.inf))
    with pytest.raises(GpnetError, match="no parent set of 'V3' is possible"):
        ExactSampler().sample(replace(table, nodes=tuple(nodes)), n_draws=1)


def test_refuses_what_cannot_fit():
    with pytest.raises(OptionError, match="1 to 20 variables, found 21"):
        ExactSampler().log_normaliser(uniform_table(21, max_parents=1))
    table = uniform_table(10)
    needed = memory_needed(table.space, drawers=1)
    with pytest.raises(OptionError, match=r"10 variables needs .* GB, more than"):
        ExactSampler(memory_limit=needed - 1).sample(table, n_draws=1)
    ExactSampler(memory_limit=needed).sample(table, n_draws=1)
    with pytest.raises(OptionError, match="log scores of 'V1': expected to lie within"):
        ExactSampler().log_normaliser(random_table(full_space(3), 1e9))


def test_few_candidates_need_little_memory():
    ring, all_others = restricted_space(20), full_space(20, 3)
    assert memory_needed(ring) < 0.06e9
    assert 0.15e9 < memory_needed(all_others) < 0.2e9


@pytest.mark.parametrize("wrong", [{"n_draws": -1}, {"seed": -1}])
def test_refuses_impossible_requests(wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        ExactSampler().sample(uniform_table(3), **({"n_draws": 1} | wrong))


def test_one_node_and_nodes_without_candidates():
    for n in (1, 3):
        table = random_table(SearchSpace(((),) * n, 2), 1.0)
        chain = ExactSampler().sample(table, n_draws=3)
        assert not chain.dags.any()
        expected = sum(scores.log_scores[0] for scores in table.nodes)
        assert ExactSampler().log_normaliser(table) == pytest.approx(expected)


def test_progress_and_ctrl_c(monkeypatch):
    monkeypatch.setattr(exact, "STEPS_AT_ONCE", 1000)
    table, seen = uniform_table(10), []
    ExactSampler().sample(
        table, n_draws=20_000, context=context(progress=lambda *state: seen.append(state))
    )
    assert {total for _, total, _ in seen} == {3**10 + 20_000}
    steps = [done for done, _, _ in seen if done <= 3**10]
    draws = [done - 3**10 for done, _, _ in seen if done > 3**10]
    assert steps == sorted(set(steps))
    assert len(steps) > 10
    assert steps[-1] == 3**10
    assert draws == [8192, 16384, 20_000]
    assert seen[-1][2] == 0.0

    def press(done, total, seconds_left):
        if done > 3**10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ExactSampler().sample(table, n_draws=20_000, context=context(2, progress=press))
