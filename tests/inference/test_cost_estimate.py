"""What a run will cost."""

import numpy as np
import pytest

import gpnet
from gpnet.data.load import load_table
from gpnet.inference.cost_estimate import estimate, widest_space
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings


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
    assert 0 < low < high


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
