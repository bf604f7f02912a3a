"""What a run will cost."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest

import gpnet
from gpnet.data.dataset import Dataset
from gpnet.data.load import load_table
from gpnet.inference.cost_estimate import estimate, widest_space
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.score_table.subset_tables import memory_of_sums
from tests.data.peak import peak_megabytes


@pytest.fixture(scope="module")
def data():
    return load_table(gpnet.simulate(nodes=6, rows=50, seed=1).frame())


def cost_of(data, **options):
    settings = Settings(**options)
    return estimate(data, make_plan(settings, data), workers=1)


def test_the_number_of_sets_is_that_of_the_table(data):
    cost = cost_of(data, max_parents=2)
    assert cost.n_sets == 6 * (1 + 5 + 10)
    assert not cost.bounded
    low, high = cost.seconds
    assert 0 < low < high < cost.most_seconds
    assert cost.table_seconds[0] < cost.table_seconds[1]
    every = cost_of(data, max_parents=2, prune="off").table_seconds
    assert every[0] == every[1]


def test_closed_forms_need_no_second_score(data):
    cost = cost_of(data, score="bge")
    assert cost.accurate_seconds == (0, 0)
    assert cost.memory > 0


def test_a_searched_space_is_bounded_from_above(data):
    settings = Settings(space="iterative", max_candidates=2, max_parents=3)
    plan = make_plan(settings, data)
    cost = estimate(data, plan, workers=1)
    assert cost.bounded
    assert cost.n_sets == widest_space(data, plan).n_sets()
    found = plan.space.build(data, plan.prior)
    assert found.n_sets() <= cost.n_sets


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_tables_have_a_cost_too(n):
    values = np.random.default_rng(0).normal(size=(20, n))
    assert cost_of(load_table(values)).n_sets == n * 2 ** (n - 1)


def test_wide_tables_are_estimated_without_naming_all_pairs():
    """The parents from outside of 3 000 nodes would be nine million names, 72 MB."""
    n, values = 3000, np.random.default_rng(0).normal(size=(20, 3000))
    data = Dataset._of_checked(values, tuple(f"V{j}" for j in range(n)), "none", ())
    plan = make_plan(Settings(score="bge", draws=1), data)
    spaces = []
    assert peak_megabytes(lambda: spaces.append(widest_space(data, plan))) < 20
    inside = sum(comb(10, k) for k in range(5))
    assert spaces[0].n_sets() == n * inside  # parents come from the candidates alone
    space = replace(spaces[0], plus_one=True)
    assert peak_megabytes(space.n_sets) < 20
    outside = (n - 11) * sum(comb(10, k) for k in range(4))
    assert space.n_sets() == n * (inside + outside)


def test_chains_count_their_tables(data):
    by_chains, exact = (cost_of(data, sampler=name).memory for name in ("partition", "exact"))
    space = widest_space(data, make_plan(Settings(sampler="partition"), data))
    assert by_chains >= memory_of_sums(space) > 0
    assert exact > 0
