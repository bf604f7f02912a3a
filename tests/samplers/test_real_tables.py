"""Edge probabilities of real tables: chains agree with each other, and with exact sampling.

40 000 draws of which most are effective know an edge to 0.0025: 0.01 is four standard errors, a
false alarm in about 1 of 150 runs over all edges if each were at 1/2; few are. Seeds are fixed.
"""

import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.samplers import ExactSampler, OrderSampler, PartitionSampler
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore, GpScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import UniformPrior
from tests.contexts import context

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["sachs", "n10", "n10 by gp"])
def table(request, reference):
    if request.param == "n10 by gp":
        data = load_table(reference / "simulated" / "n10" / "lambda0.5_run001.csv")
        score = GpScore(evidence=EVIDENCE_METHODS["laplace"]())
        space = FullSpace(max_parents=4).build(data)
        return tabulate(data, space, score, UniformPrior(), context(2))
    if request.param == "sachs":
        values = np.loadtxt(reference / "sachs_cd3cd28.csv", delimiter=",", skiprows=1)
        data = load_table(np.log2(values + 0.5))
    else:
        data = load_table(reference / "simulated" / "n10" / "lambda0.5_run026.csv")
    return tabulate(data, FullSpace().build(data), BgeScore(), UniformPrior(), context(2))


def edges(chain, table):
    log_weights = table.log_scores_of(chain.dags) - chain.log_density
    return np.tensordot(np.exp(log_weights - logsumexp(log_weights)), chain.dags, 1)


@pytest.fixture(scope="module")
def drawn(table):
    return PartitionSampler().sample(table, n_draws=40_000, seed=1, context=context(2))


def test_chains_of_partitions_agree(drawn):
    assert drawn.n_chains == 4
    assert drawn.diagnostics["max_r_hat"] < 1.01
    assert drawn.warnings == ()


def test_runs_agree_with_and_without_orders_beside_them(drawn, table):
    plain = PartitionSampler(with_orders=False, walk_rate=0.02)
    for sampler in (PartitionSampler(), plain):
        again = sampler.sample(table, n_draws=40_000, seed=2, context=context(2))
        np.testing.assert_allclose(edges(drawn, table), edges(again, table), atol=0.015)


@pytest.fixture(scope="module")
def exact(table):
    return ExactSampler().marginals(table).edges


def test_partitions_agree_with_exact_probabilities(drawn, table, exact):
    np.testing.assert_allclose(edges(drawn, table), exact, atol=0.01)


def test_orders_agree_with_exact_probabilities_once_reweighted(table, exact):
    orders = OrderSampler().sample(table, n_draws=40_000, seed=1, context=context(2))
    np.testing.assert_allclose(edges(orders, table), exact, atol=0.02)
    assert np.abs(orders.edge_frequencies() - exact).max() > 0.03  # the bias


def test_exact_draws_agree_with_exact_probabilities(table, exact):
    draws = ExactSampler().sample(table, n_draws=40_000, seed=1)
    np.testing.assert_allclose(draws.edge_frequencies(), exact, atol=0.01)
