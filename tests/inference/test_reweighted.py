"""Tables of replicates: what has numbers of its own, what borrows them, and other scales."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from gpnet import load_table
from gpnet.inference.pointwise_sums import PointwiseSums
from gpnet.inference.reweighted import Reweighted
from gpnet.inference.row_weights import RowWeights, row_weights
from gpnet.score_table.rescore import Rescorer
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.scores import LinearScore
from gpnet.structure_priors import UniformPrior
from tests.contexts import context

N, REPLICATES = 3, 4
SPACE = SearchSpace(tuple(tuple(v for v in range(N) if v != node) for node in range(N)), N - 1)
SCORE = LinearScore()
ALL = [
    (node, parents)
    for node in range(N)
    for size in range(N)
    for parents in combinations([v for v in range(N) if v != node], size)
]


def data_of(seed=0, n_rows=60):
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((N, n_rows))
    return load_table(np.column_stack([np.exp(a), a + b, b + c]), names=list("abc"))


def reweighted(data, ranked=(), weights=None):
    weights = row_weights(data, REPLICATES, 0) if weights is None else weights
    return Reweighted(
        tabulate(data, SPACE, SCORE, UniformPrior(), context()),
        Rescorer(data, SCORE, context()),
        PointwiseSums(SCORE, weights, context()),
        np.tile(np.isin(data.names, ranked), (weights.n_replicates, 1)),
        {},
    )


def changes(tables, number):
    found = tables.replicate(number)
    return {f: found.log_marginal(*f) - tables.table.log_marginal(*f) for f in ALL}


def test_sets_with_numbers_of_their_own_change_by_them():
    data = data_of()
    tables, weights = reweighted(data), row_weights(data, REPLICATES, 0)
    assert tables.add(ALL)
    assert not tables.add(ALL)  # there is nothing new
    assert tables.unknown(ALL) == []
    for number in range(REPLICATES):
        found = changes(tables, number)
        for node, parents in ALL:
            own = weights.sums(SCORE.pointwise(data, node, parents, {}))[number]
            assert found[node, parents] == pytest.approx(own, abs=1e-9)


def test_others_change_as_the_mean_of_the_most_similar_ones():
    tables = reweighted(data_of())
    assert not tables.ready
    tables.add([(0, ()), (0, (1, 2)), (1, ()), (2, (0,))])
    assert tables.ready
    found = changes(tables, 0)
    assert found[0, (1,)] == pytest.approx((found[0, ()] + found[0, (1, 2)]) / 2)
    assert found[1, (0, 2)] == pytest.approx(found[1, ()])
    assert found[2, (0, 1)] == pytest.approx(found[2, (0,)])
    assert found[0, ()] != pytest.approx(found[0, (1, 2)])  # the control


def test_a_prediction_gives_way_to_the_score_of_the_set_alone():
    data = data_of()
    plain = reweighted(data)
    wrong, place = 7.0, SPACE.index(0, (1,))
    node = plain.table.nodes[0]
    told, predictions = node.log_marginals.copy(), node.predictions.copy()
    told[place] += wrong
    predictions[place] = told[place]
    node = replace(node, log_marginals=told, predictions=predictions)
    tables = replace(plain, table=replace(plain.table, nodes=(node, *plain.table.nodes[1:])))
    for one in (plain, tables):
        one.add([(0, (1,)), (1, ()), (2, ())])
    found, expected = tables.replicate(0), plain.replicate(0)
    assert tables.table.log_marginal(0, (1,)) == plain.table.log_marginal(0, (1,)) + wrong
    for family in ALL:  # what borrows its change does not borrow the correction
        assert found.log_marginal(*family) == pytest.approx(expected.log_marginal(*family))


def test_a_node_without_any_set_is_not_ready():
    tables = reweighted(data_of())
    tables.add([(0, ()), (1, ())])
    assert not tables.ready


def test_on_other_scales_parents_add_what_they_add_there():
    """With weights of 1: the table of the ranks, but for what the roots of each node have."""
    data = data_of()
    ones = RowWeights(np.zeros((2, data.n_rows)), np.arange(data.n_rows))
    tables = reweighted(data, ["a"], ones)
    tables.add(ALL)
    found = tables.replicate(1)
    ranks = tabulate(data.by_ranks(["a"]), SPACE, SCORE, UniformPrior(), context())
    for node, parents in ALL:
        added, expected = (
            table.log_marginal(node, parents) - table.log_marginal(node, ())
            for table in (found, ranks)
        )
        assert added == pytest.approx(expected, abs=1e-6)
        assert found.log_marginal(node, ()) == pytest.approx(tables.table.log_marginal(node, ()))
    plain = tables.table.log_marginal(1, (0,)) - tables.table.log_marginal(1, ())
    assert added_by(ranks) != pytest.approx(plain, abs=0.5)  # the control: scales matter here


def added_by(table):
    return table.log_marginal(1, (0,)) - table.log_marginal(1, ())


def test_the_best_sets_of_a_table():
    table = reweighted(data_of()).table
    for node in range(N):
        mine = sorted((f for f in ALL if f[0] == node), key=lambda f: -table.log_score(*f))
        assert table.best(node, 3) == mine[:3]
        assert table.best(node, 99) == mine
