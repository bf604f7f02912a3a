"""The build for any processor and that for AVX2, on the same inputs.

Bit for bit, by how they are computed: random numbers, scores of DAGs, sums over parent sets taken
set by set, the search for the best order, counts and probabilities of orders, structure chains
without reversals from given starts, and Z of the exact sums but for its logarithm. None of them
adds a product that is rounded to a sum, so that a fused multiply-add has nothing to change.

Bit for bit in all that was measured (8e7 steps of chains, 2e5 exact draws), but not by
construction: the DAGs of all other chains, random starts and exact draws. They compare random
numbers with sums that differ by rounding, at most 3e-12 nats where measured. Where a random number
falls between the two, a step goes another way, and so does all that follows.

To rounding: probabilities of exact edges and ancestors, 1e-15, and all numbers of Gaussian
processes. Bounds are relative to the largest entry, or absolute where that is below 1, with some
room beyond what was measured. From the same bases: likelihoods 1e-14 (measured 2e-15), gradients,
Hessians and modes 1e-12 (2e-13), importance weights 1e-10 (1e-11). Where each build makes its own
bases, roots of nearly singular matrices: likelihoods 1e-8 (7e-10), modes 1e-5 (7e-7), log
marginal likelihoods 1e-7 (6e-10).
"""

from functools import cache

import networkx as nx
import numpy as np
import pytest

from gpnet.gp import fast, panels
from gpnet.gp.components import squared_exponential
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.fast import FastModel
from gpnet.gp.kernels import Additive
from gpnet.gp.mode_search import search
from gpnet.gp.priors import Hyperpriors
from gpnet.score_table.search_space import SearchSpace
from tests.core.small import BUILDS
from tests.gp.marginals import regression
from tests.samplers.twins import full_space, near_ties, random_table

pytestmark = pytest.mark.skipif(len(BUILDS) < 2, reason="this processor runs one build alone")

FORMS = {"plain": Additive(), "all": Additive(amplitude=True, line=1.0, line_parameter=True)}
RING = tuple(tuple(sorted({(v + d) % 9 for d in (1, 2, 3, 4)})) for v in range(9))
SPACES = {
    "full": full_space(6, 3),
    "ring": SearchSpace(RING, 3),
    "plus one": SearchSpace(RING, 3, plus_one=True),
}
SPREADS = [1, 100, 20_000]  # nats


def same(*found):
    one, other = (np.asarray(each) for each in found)
    assert one.shape == other.shape
    assert one.tobytes() == other.tobytes()


def close(found, bound):
    """To the bound, relative to the largest entry or to 1."""
    one, other = (np.asarray(each, dtype=float) for each in found)
    np.testing.assert_allclose(one, other, rtol=0, atol=bound * max(1.0, np.abs(other).max()))


def both(make, *arguments):
    return [make(core, *arguments) for core in BUILDS.values()]


@cache
def score_table(space, spread):
    return (near_ties if spread < 1000 else random_table)(SPACES[space], spread, 1)


def tables(core, kind, table):
    found = getattr(core, kind)(table.n_variables, table.space.plus_one)
    for node, of in enumerate(table.nodes):
        found.set_node(node, of.candidates, of.masks, of.plus_one, of.log_scores)
    return found


def scores_by_set(core, table):
    space = table.space
    found = core.SetScores(space.n_variables, space.max_parents)
    for node, of in enumerate(table.nodes):
        found.set_node(node, of.candidates, space.plus_one_parents(node), of.log_scores)
    return found


cases = [
    pytest.mark.parametrize("space", SPACES),
    pytest.mark.parametrize("spread", SPREADS),
]


def on_all_tables(test):
    for mark in cases:
        test = mark(test)
    return test


# Chains and orders


def draws(core, kind, table, rate, n_steps=6000):
    sums = tables(core, "ParentSums", table)
    starts = np.array([sums.random_start(seed)[0] for seed in range(4)])
    betas = [1.0, 1.0, 0.5, 0.1]
    given = [sums, starts, betas, len(table.nodes), 7]
    if kind == "structure":
        given.insert(1, scores_by_set(core, table))
    if kind != "order":
        given.append(rate)
    chain = getattr(core, f"{kind}_chain")(*given)
    dags, log_scores = chain.run(n_steps, 3)
    return starts, dags, log_scores, chain.tried, chain.accepted, chain.exchanges_accepted


@on_all_tables
@pytest.mark.parametrize("kind", ["partition", "partition_order", "order", "structure"])
def test_chains_draw_the_same(kind, space, spread):
    for found in zip(*both(draws, kind, score_table(space, spread), 0.1), strict=True):
        same(*found)


@pytest.mark.parametrize("space", SPACES)
def test_structure_chains_without_reversals_are_the_same_by_construction(space):
    runs = both(draws, "structure", score_table(space, 1), 0.0, 200_000)
    for found in zip(*runs, strict=True):
        same(*found)


@on_all_tables
def test_the_search_finds_the_same(space, spread):
    best = both(tables, "BestSets", score_table(space, spread))
    for seed in range(5):
        for found in zip(*(each.search(300, seed) for each in best), strict=True):
            same(*found)


@on_all_tables
def test_sums_over_parent_sets_to_rounding(space, spread):
    """Differences may cancel by five digits before they are summed set by set."""
    table = score_table(space, spread)
    sums = both(tables, "ParentSums", table)
    rng = np.random.default_rng(0)
    for _ in range(20):
        at = np.unique(rng.integers(0, 4, table.n_variables), return_inverse=True)[1].tolist()
        for node, level in enumerate(at):
            place = node, at, level, level - 1 if level else -np.inf
            found = [each.log_sum(*place) for each in sums]
            same(*np.isfinite(found))
            close(np.nan_to_num(found), 1e-11)
            same(*(each.one_by_one(*place) for each in sums))


def test_orders_of_dags_are_the_same():
    *_, (_, dags, *_) = both(draws, "partition", score_table("ring", 100), 0.0)
    same(*both(lambda core: core.log_linear_extensions(dags, 20)))
    for dag in dags[::100]:
        order = list(nx.topological_sort(nx.DiGraph(dag)))
        same(*both(lambda core, dag=dag, order=order: core.log_probability_of_order(dag, order)))


# Exact sums


def exact(core, table):
    n = table.n_variables
    found = core.ExactDags(n)
    for v in range(n):
        of = table.nodes[v]
        sets = [
            sum(1 << c for j, c in enumerate(of.candidates) if int(mask) >> j & 1)
            | (1 << int(plus_one) if plus_one >= 0 else 0)
            for mask, plus_one in zip(of.masks, of.plus_one, strict=True)
        ]
        weights = of.log_scores - of.log_scores.max()
        universe = int(np.bitwise_or.reduce(sets))
        found.add_node(universe, np.array(sets, dtype=np.uint32), weights, keep_sets=True)
    found.forward(3**n)
    found.prepare_draws()
    found.backward(3**n)
    return found


@on_all_tables
def test_exact_sums_and_draws(space, spread):
    sums = both(exact, score_table(space, spread))
    same(*(each.forward_error for each in sums))
    for found in zip(*(each.draw(3, 0, 2000) for each in sums), strict=True):
        same(*found)
    close([each.log_normaliser for each in sums], 1e-15)
    close([each.log_backward_normaliser for each in sums], 1e-15)
    close([each.edges for each in sums], 1e-15)
    close([each.descendants for each in sums], 1e-15)


# Gaussian processes


@pytest.fixture(params=FORMS)
def kernel(request):
    return FORMS[request.param]


def model(core, monkeypatch, table, kernel, *, own_bases=False):
    with monkeypatch.context() as patch:
        patch.setattr(fast, "_core", core)
        patch.setattr(panels, "_core", core)
        if own_bases:
            patch.setattr(squared_exponential, "_core", core)
        found = FastModel(table, kernel, Hyperpriors())
        for j in range(table.shape[1]):
            found.basis(j)
    return found


def modes_of(model, n_parents):
    target, modes = search(model, n_parents, tuple(range(n_parents)), {})
    return modes, target.n_evaluations


def points(kernel, n_parents):
    return np.random.default_rng(2).normal(0, 0.5, (10, kernel.n_each * n_parents + 1))


@pytest.mark.parametrize("n_parents", [1, 3])
def test_likelihoods_from_the_same_bases(monkeypatch, kernel, n_parents):
    table, at = regression(80, n_parents, seed=3), points(kernel, n_parents)
    models = both(model, monkeypatch, table, kernel)
    parents = tuple(range(n_parents))
    close([m._core.values(n_parents, parents, at) for m in models], 1e-14)
    places = np.linspace(-2, 6, 20)
    close([m._core.profile(n_parents, parents, at[0], 0, places) for m in models], 1e-13)
    for u in at[:3]:
        one, other = (m._core.evaluate(n_parents, parents, u, 2) for m in models)
        close([one[1], other[1]], 1e-12)
        close([one[2], other[2]], 1e-12)
        same(one[3:], other[3:])  # rank, clamped


@pytest.mark.parametrize("n_parents", [1, 3])
def test_modes_and_covers_from_the_same_bases(monkeypatch, kernel, n_parents):
    models = both(model, monkeypatch, regression(80, n_parents, seed=3), kernel)
    (one, n_one), (other, n_other) = (modes_of(m, n_parents) for m in models)
    assert n_one == n_other
    for a, b in zip(one, other, strict=True):
        close([a.u, b.u], 1e-12)
        close([a.value, b.value], 1e-12)
        close([a.log_laplace, b.log_laplace], 1e-12)
        close([a.hessian, b.hessian], 1e-12)
    given = [(mode.u, mode.value, mode.hessian) for mode in one]
    parameters = kernel.parameters(n_parents, Hyperpriors())
    grids = [parameter.grid for parameter in parameters]
    covers = [
        core.Cover(m._core, n_parents, tuple(range(n_parents)), given, grids)
        for core, m in zip(BUILDS.values(), models, strict=True)
    ]
    same(*(cover.n_parts for cover in covers))
    rng = np.random.default_rng(1)
    net, shifts = (rng.integers(2**30, size=(k, len(grids) + 2)) for k in (32, 4))
    close([cover.log_weights(net, shifts, 30) for cover in covers], 1e-10)


def test_each_from_its_own_bases(monkeypatch, kernel):
    table, at = regression(80, 2, seed=3), points(kernel, 2)
    models = both(lambda core: model(core, monkeypatch, table, kernel, own_bases=True))
    close([m._core.values(2, (0, 1), at) for m in models], 1e-8)
    one, other = (modes_of(m, 2)[0] for m in models)
    evidences = []
    for core, m in zip(BUILDS.values(), models, strict=True):
        with monkeypatch.context() as patch:
            patch.setattr(fast, "_core", core)
            patch.setattr(panels, "_core", core)
            patch.setattr("gpnet.gp.evidence.qmc._core", core)
            modes = one if m is models[0] else other
            evidences.append(EVIDENCE_METHODS["qmc"]().estimate(m.target(2, (0, 1)), modes, (1,)))
    for a, b in zip(one, other, strict=True):
        close([a.u, b.u], 1e-5)
        close([a.value, b.value], 1e-8)
    close([evidence.value for evidence in evidences], 1e-7)


def test_gram_matrices_to_rounding():
    z = np.random.default_rng(0).standard_normal(50)
    for theta in (0.1, 1.0, 10.0):
        close(both(lambda core, theta=theta: core.squared_exponential_gram(z, theta, 2)), 1e-15)


def test_objects_of_one_build_are_strangers_to_the_other():
    baseline, avx2 = BUILDS.values()
    sums = tables(baseline, "ParentSums", score_table("full", 1))
    with pytest.raises(TypeError, match="incompatible"):
        avx2.order_chain(sums, sums.random_start(1)[0][None], [1.0], 1, 1)
