"""Draws of every chain against all DAGs one by one, by chi-square; broken samplers must fail.

Each test gives a false alarm with probability 1e-4; seeds are fixed.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from math import comb, log

import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet import _core
from gpnet.runtime.executors import Workers
from gpnet.samplers import OrderSampler, PartitionSampler, StructureSampler
from gpnet.samplers.dag_sample import DagSample
from gpnet.samplers.mcmc import ChainTables
from gpnet.score_table.search_space import SearchSpace
from tests.samplers.twins import (
    all_dags,
    chi_square,
    enumerated,
    full_space,
    log_order,
    log_partition,
    log_probabilities_by_orders,
    n_linear_extensions,
    near_ties,
    sets_that_fit,
)

FALSE_ALARM = 1e-4
SAMPLERS = {
    "partition": PartitionSampler,
    "order": OrderSampler,
    "structure": StructureSampler,
    "partition alone": lambda **settings: PartitionSampler(
        with_orders=False, walk_rate=0.1, **settings
    ),
    # Without temperatures: orders drawn from sums over all of them, and a ladder by trial chains.
    "partition, drawn orders": lambda temperatures, **settings: PartitionSampler(**settings),
    "order, found ladder": lambda temperatures, **settings: OrderSampler(**settings),
}
SPACES = {
    "full": full_space(4),
    "two parents": full_space(4, 2),
    "plus one": SearchSpace(((1, 2), (0,), (3,), ()), 3, plus_one=True),
    "few": SearchSpace(((1, 2), (0, 3), (1, 3), (0, 1)), 2),
}


def ladder(spread):
    """Temperatures that reach a distribution without modes."""
    return (1.0, 1.5, 2.25) if spread == 1 else (1.0, 3.0, 10.0, 40.0)


def p_value(name, table, spread, *, n_draws, thin=100, seed=1):
    sampler = SAMPLERS[name](thin=thin, temperatures=ladder(spread))
    chain = sampler.sample(table, n_draws=n_draws, seed=seed)
    return chi_square(
        chain, table, log_p=log_probabilities_by_orders(table) if name.startswith("order") else None
    )


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("spread", [1, 100, 2000])
@pytest.mark.parametrize("space", SPACES)
def test_draws_follow_their_distribution(name, spread, space):
    table = near_ties(SPACES[space], spread, 1)
    assert p_value(name, table, spread, n_draws=10_000) > FALSE_ALARM


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("spread", [1, 100])
def test_draws_follow_their_distribution_under_knowledge(name, spread):
    def excluded(v, parents):  # required 0 -> 1, forbidden 2 -> 3
        return (v == 1 and 0 not in parents) or (v == 3 and 2 in parents)

    table = near_ties(full_space(4), spread, 1, excluded)
    assert p_value(name, table, spread, n_draws=10_000) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("spread", [1, 100, 2000])
@pytest.mark.parametrize("n", [4, 5])
def test_many_draws_follow_their_distribution(name, spread, n):
    plus = SearchSpace(((1, 2), (0, 3), (4,), (), (0, 1, 2)), 4, plus_one=True)
    for space in [full_space(n)] + [plus] * (n == 5):
        table = near_ties(space, spread, 2)
        assert p_value(name, table, spread, n_draws=100_000, thin=150) > FALSE_ALARM


def test_order_without_weights_is_biased():
    table = near_ties(full_space(4), 1, 1)
    chain = OrderSampler(thin=100).sample(table, n_draws=10_000)
    assert chi_square(chain, table) < 1e-20
    scores = table.log_scores_of(chain.dags)
    extensions = [log(n_linear_extensions(dag)) for dag in chain.dags[:200]]
    np.testing.assert_allclose(chain.log_density[:200], scores[:200] + extensions)


# Targets of the replicas


def test_replicas_know_their_targets():
    for space in SPACES.values():
        table = near_ties(space, 100, 3)
        tables = ChainTables(table, Workers())
        for seed in range(5):
            start = tables.sums.random_start(seed)[0][None]
            chain = _core.partition_chain(tables.sums, start, [1.0], 1, seed, 0.1)
            for _ in range(20):
                chain.advance(10)
                dags, scores = chain.run(1, 1)
                np.testing.assert_allclose(scores, table.log_scores_of(dags))
                expected = log_partition(table, elements_of(dags[0]))
                assert chain.log_target == pytest.approx(expected, abs=1e-8)
            structure = _core.structure_chain(
                tables.sums, tables.set_scores(), start, [1.0], 1, seed, 0.1
            )
            structure.advance(100)
            dags, scores = structure.run(1, 1)
            np.testing.assert_allclose(scores, table.log_scores_of(dags))


def test_an_order_at_rest_has_its_twins_weight():
    table = near_ties(full_space(3), 1, 1)
    sums = ChainTables(table, Workers()).sums
    chain_dag = np.zeros((3, 3), dtype=bool)
    chain_dag[[2, 0], [0, 1]] = True  # 2 -> 0 -> 1: one order only
    chain = _core.order_chain(sums, chain_dag[None], [1.0], 1, 1)
    assert chain.log_target == pytest.approx(log_order(table, [2, 0, 1]))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("spread", [1, 2000])
def test_sums_over_all_orders_are_those_one_by_one(space, spread):
    table = near_ties(SPACES[space], spread, 3)
    orders = _core.OrderSums(ChainTables(table, Workers()).sums)
    assert orders.n_sets == 16
    assert [orders.advance(k) for k in (0, 5, 100)] == [1, 6, 16]
    expected = logsumexp([log_order(table, order) for order in permutations(range(4))])
    assert orders.log_total == pytest.approx(expected, abs=1e-9)


def elements_of(dag):
    """The partition of a DAG: nodes by the length of the longest path that leads to them."""
    left, elements = set(range(len(dag))), []
    while left:
        first = {v for v in left if not any(dag[u, v] for u in left)}
        elements.append(sorted(first))
        left -= first
    return elements


def test_weights_of_all_partitions_sum_to_that_of_all_dags():
    table = near_ties(SPACES["plus one"], 100, 1)
    scores = [table.log_scores_of(dag[None])[0] for dag in enumerated(table)[0]]
    partitions = {tuple(map(tuple, elements_of(dag))) for dag in all_dags(4)}
    assert len(partitions) == 75
    total = logsumexp([log_partition(table, elements) for elements in partitions])
    assert total == pytest.approx(logsumexp(scores))


def test_probabilities_of_orders_given_a_dag_sum_to_one():
    for dag in all_dags(4)[::7]:
        logs = [
            _core.log_probability_of_order(dag, order)
            for order in permutations(range(4))
            if all(order.index(a) < order.index(b) for a, b in np.argwhere(dag))
        ]
        assert logsumexp(logs) == pytest.approx(0, abs=1e-12)
        if dag.sum(axis=0).max() <= 1:  # a forest: all orders are alike
            assert np.ptp(logs) < 1e-12


# A plain partition sampler, right and broken on purpose


@dataclass
class PlainPartitions:
    """Splits and joins only, set by set."""

    table: object
    with_ratio: bool = True
    with_layer: bool = True

    @cached_property
    def weight(self):
        return cache(lambda elements: self._weight(elements))

    def _weight(self, elements):
        if self.with_layer:
            return log_partition(self.table, elements)
        return log_order(self.table, [v for element in elements for v in element])

    def propose(self, elements, rng):
        """Another partition, and log of q(back) / q(there)."""
        m = len(elements)
        if rng.random() < 0.5:
            large = [e for e in range(m) if len(elements[e]) > 1]
            if not large:
                return elements, 0.0
            e = large[rng.integers(len(large))]
            k = len(elements[e])
            s = int(rng.integers(1, k))
            chosen = rng.choice(elements[e], s, replace=False).tolist()
            first = tuple(v for v in elements[e] if v in chosen)
            rest = tuple(v for v in elements[e] if v not in chosen)
            there = (*elements[:e], first, rest, *elements[e + 1 :])
            return there, log(len(large) * (k - 1) * comb(k, s)) - log(m)
        if m == 1:
            return elements, 0.0
        e = int(rng.integers(m - 1))
        merged = tuple(sorted(elements[e] + elements[e + 1]))
        there = (*elements[:e], merged, *elements[e + 2 :])
        n_large = sum(len(element) > 1 for element in there)
        k = len(merged)
        return there, log(m - 1) - log(n_large * (k - 1) * comb(k, len(elements[e])))

    def draw(self, elements, rng):
        n = self.table.n_variables
        dag = np.zeros((n, n), dtype=bool)
        for e, element in enumerate(elements):
            before = [v for earlier in elements[:e] for v in earlier]
            layer = elements[e - 1] if e and self.with_layer else None
            for node in element:
                fitting = sets_that_fit(self.table, node, before, layer)
                scores = np.array(list(fitting.values()))
                chosen = rng.choice(len(fitting), p=np.exp(scores - logsumexp(scores)))
                dag[list(list(fitting)[chosen]), node] = True
        return dag

    def sample(self, n_draws, thin, seed):
        rng = np.random.default_rng(seed)
        here, dags = (tuple(range(self.table.n_variables)),), []
        for i in range(n_draws * thin):
            there, log_ratio = self.propose(here, rng)
            gain = self.weight(there) - self.weight(here) + log_ratio * self.with_ratio
            if log(rng.random()) < gain:
                here = there
            if i % thin == thin - 1:
                dags.append(self.draw(here, rng))
        return DagSample(np.array(dags), np.zeros(n_draws), np.zeros(n_draws, dtype=np.int32))


@pytest.fixture(scope="module")
def small_table():
    return near_ties(full_space(3), 1, 4)


def test_the_plain_sampler_passes(small_table):
    chain = PlainPartitions(small_table).sample(2000, 8, 1)
    assert chi_square(chain, small_table) > FALSE_ALARM


@pytest.mark.parametrize("broken", [{"with_ratio": False}, {"with_layer": False}])
def test_samplers_broken_on_purpose_fail(small_table, broken):
    chain = PlainPartitions(small_table, **broken).sample(2000, 8, 1)
    assert chi_square(chain, small_table) < FALSE_ALARM / 100
