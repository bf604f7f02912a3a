"""Temperatures that trial chains find, and modes that chains leave by them."""

import numpy as np
import pytest

from gpnet.samplers import OrderSampler, PartitionSampler
from gpnet.samplers.temperatures import FEWEST, HOTTEST, MOST, respaced
from gpnet.score_table.table import ScoreTable
from tests.samplers.twins import full_space


def test_equal_parts_of_what_is_rejected():
    betas = tuple(np.geomspace(1, 1e-3, 16).tolist())
    rejected = np.full(15, 0.4)
    np.testing.assert_allclose(respaced(betas, rejected, 16), betas)
    half = respaced(betas, rejected, 31)  # a step in the middle of each
    np.testing.assert_allclose(half[::2], betas)
    np.testing.assert_allclose(np.array(half[1::2]) ** 2, np.array(betas[:-1]) * betas[1:])


@pytest.mark.parametrize(("total", "n_replicas"), [(0.1, FEWEST), (4.0, 9), (1000.0, MOST)])
def test_twice_as_many_as_the_sum_of_what_is_rejected(total, n_replicas):
    betas = tuple(np.geomspace(1, 1e-3, 16).tolist())
    found = respaced(betas, np.full(15, total / 15))
    assert len(found) == n_replicas
    assert found[0] == 1
    assert found[-1] == pytest.approx(1e-3)
    assert all(np.diff(found) < 0)


def test_steps_are_short_where_much_is_rejected():
    rejected = np.where(np.arange(15) < 5, 0.9, 0.1)
    found = respaced(tuple(np.geomspace(1, 1e-3, 16).tolist()), rejected, 16)
    steps = -np.diff(np.log(found))
    assert steps[:11].max() < np.log(HOTTEST) / 15 < steps[12:].min()


def two_modes(depth):
    """Each of 8 nodes after the two before it, or all the other way around.

    Between the two, one node at least is without the parents that are worth `depth`.
    """
    space = full_space(8, 2)
    scores = []
    for v in range(8):
        down = tuple(u for u in (v - 2, v - 1) if u >= 0)
        up = tuple(u for u in (v + 1, v + 2) if u < 8)
        good = {parents for parents in (down, up) if parents}
        scores.append(np.array([depth * (sets in good) for sets in space.all_parent_sets(v)]))
    return ScoreTable.assemble("abcdefgh", space, scores, [0 * column for column in scores])


@pytest.mark.parametrize("make", [OrderSampler, PartitionSampler])
def test_chains_cross_from_mode_to_mode(make):
    """By symmetry each has half of the mass, and one order only."""
    drawn = make().sample(two_modes(60.0), n_draws=4000, seed=1)
    up = drawn.dags[:, 0, 1]
    assert np.all(up != drawn.dags[:, 1, 0])
    # Six standard errors of 250 effective draws a chain.
    shares = [up[drawn.chain == c].mean() for c in range(4)]
    np.testing.assert_allclose(shares, 0.5, atol=6 * 0.5 / np.sqrt(250))
    assert drawn.diagnostics["max_r_hat"] < 1.05


def test_chains_of_few_temperatures_stay_in_a_mode():
    """Replicas in both modes trade places and none crosses: the test above tells something."""
    warm = OrderSampler(temperatures=(1.0, 1.5, 2.25)).sample(two_modes(60.0), n_draws=4000, seed=1)
    assert warm.diagnostics["max_r_hat"] > 1.05


def test_a_ladder_trades_places_all_the_way():
    drawn = OrderSampler().sample(two_modes(60.0), n_draws=2000, seed=1)
    rates = [rate for name, rate in drawn.diagnostics.items() if name.startswith("exchanged")]
    assert len(rates) == drawn.diagnostics["n_replicas"] - 1
    assert min(rates) > 0.2
