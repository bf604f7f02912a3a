"""What sets that were left out could change: against the exact posterior with and without them."""

import numpy as np
import pytest

import gpnet
from gpnet.data.load import load_table
from gpnet.inference.importance_rounds import Weighted
from gpnet.inference.left_out import left_out
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.rescore import Rescorer
from gpnet.score_table.table import tabulate


def drawn(table):
    sample = ExactSampler().sample(table, n_draws=2000, seed=1)
    nothing = np.zeros(sample.n_draws)
    return Weighted(sample, table, nothing, sample.log_density, {})


@pytest.mark.parametrize("prune", [3.0, 6.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_estimate_is_about_the_change(prune, seed):
    """It says at most how much, and not many times as much: within a factor of four either way."""
    data = load_table(gpnet.simulate(nodes=6, rows=80, edge_probability=0.4, seed=seed).frame())
    plan = make_plan(Settings(), data)
    score, space = plan.score.proposal(), plan.space.build(data, plan.prior)
    whole = tabulate(data, space, score, plan.prior)
    pruned = tabulate(data, space, score, plan.prior, prune=prune)
    exact = ExactSampler()
    change = np.abs(exact.marginals(whole).edges - exact.marginals(pruned).edges).max()
    found = left_out(drawn(pruned), Rescorer(data, score), seed=0)
    assert found.n_sets == sum(int((~node.computed).sum()) for node in pruned.nodes) > 0
    assert sum(int(node.left_out.sum()) for node in pruned.nodes) > 0
    assert change / 2 < found.largest_change < max(6 * change, 1e-4)


def test_nothing_left_out():
    data = load_table(gpnet.simulate(nodes=4, rows=50, seed=1).frame())
    plan = make_plan(Settings(score="linear"), data)
    table = tabulate(data, plan.space.build(data, plan.prior), plan.score, plan.prior)
    found = left_out(drawn(table), Rescorer(data, plan.score), seed=0)
    assert (found.n_sets, found.largest_change) == (0, 0.0)
