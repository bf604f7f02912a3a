"""The best DAG: that of enumeration where there are few, and no worse than any that is drawn."""

import numpy as np
import pytest

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.runtime.executors import Workers
from gpnet.samplers import OrderSampler
from gpnet.score_table.order_search import annealed_starts, search_orders
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.subset_tables import fill_tables
from gpnet.score_table.table import ScoreTable
from tests.contexts import context
from tests.samplers.twins import enumerated, full_space, random_table

PLUS = SearchSpace(((1, 2), (0, 3), (4,), (), (0, 1, 2)), 3, plus_one=True)


@pytest.mark.parametrize(
    "space", [full_space(5), full_space(5, 2), PLUS], ids=["full", "two", "plus"]
)
@pytest.mark.parametrize("spread", [1, 100, 2000])
def test_finds_the_best_of_all_dags(space, spread):
    for seed in range(3):
        table = random_table(space, spread, seed, lambda v, pa: v == 1 and 0 not in pa)
        dags, log_p = enumerated(table)
        np.testing.assert_array_equal(search_orders(table, seed=seed)[0], dags[log_p.argmax()])


def test_best_first_without_repeats_the_same_for_any_workers():
    table = random_table(full_space(9, 3), 30, 1)
    found = search_orders(table, n_iterations=0, n_chains=20)
    scores = table.log_scores_of(np.array(found))
    assert 1 < len(found) <= 20
    assert np.all(np.diff(scores) <= 0)
    assert len({dag.tobytes() for dag in found}) == len(found)
    again = search_orders(table, n_iterations=0, n_chains=20, context=context(3))
    np.testing.assert_array_equal(found, again)
    drawn = OrderSampler().sample(table, n_draws=400)
    assert table.log_scores_of(drawn.dags).max() <= table.log_scores_of(
        np.array(search_orders(table))[:1]
    )


def test_a_start_for_each_chain_found_by_itself():
    table = random_table(full_space(5), 100, 2)
    dags, log_p = enumerated(table)
    starts = annealed_starts(table, 6, seed=1)
    assert len(starts) == 6  # repeats are kept: every chain has one
    np.testing.assert_array_equal(starts, [dags[log_p.argmax()]] * 6)
    np.testing.assert_array_equal(starts, annealed_starts(table, 6, seed=1, context=context(3)))


def test_starts_show_that_there_are_several_modes():
    """0 -> 1 and 1 -> 0 score the same: of twelve searches some find either."""
    columns = [np.array([0.0, 10.0])] * 2
    twins = ScoreTable.assemble(("A", "B"), full_space(2), columns, [np.zeros(2)] * 2)
    found = {dag.tobytes() for dag in annealed_starts(twins, 12, seed=3)}
    assert len(found) == 2


def test_says_where_there_is_no_dag():
    table = random_table(full_space(3), 1, 1, lambda v, pa: not pa)
    with pytest.raises(OptionError, match="no DAG has a finite score"):
        search_orders(table)
    with pytest.raises(OptionError, match="n_chains"):
        search_orders(table, n_chains=0)


# Groups of nodes that only move together: {3, 4, 5} given {0, 1, 2} has 3 x 30 nats, the other way
# round 3 x 40; and as soon as one node stands elsewhere the other group loses all of it.


def two_groups():
    groups = ((0, 1, 2), (3, 4, 5))
    space, columns = full_space(6, 3), []
    for node in range(6):
        own, other = groups if node < 3 else groups[::-1]
        gain = 40.0 if own == groups[0] else 30.0
        parents = space.all_parent_sets(node)
        columns.append(np.array([gain if set(pa) == set(other) else 0.0 for pa in parents]))
    return ScoreTable.assemble(tuple("ABCDEF"), space, columns, [np.zeros(len(c)) for c in columns])


def the_worse_mode():
    dag = np.zeros((6, 6), dtype=bool)
    dag[:3, 3:] = True
    return dag


def test_groups_move_together_where_single_nodes_are_stuck():
    best, start = fill_tables(_core.BestSets, two_groups(), Workers()), the_worse_mode()
    assert best.improve(start, 0, 1)[1] == pytest.approx(90)  # single nodes alone
    dag, log_score = best.improve(start, 2000, 1)
    assert log_score == pytest.approx(120)
    np.testing.assert_array_equal(dag, start.T)


def test_improved_dags_are_never_worse_and_the_same_for_a_seed():
    table = random_table(full_space(9, 3), 30, 1)
    best = fill_tables(_core.BestSets, table, Workers())
    for seed in range(5):
        start, before = best.search(0, seed)
        dag, after = best.improve(start, 50, seed)
        assert after >= before - 1e-9
        assert after == pytest.approx(table.log_scores_of(dag[None])[0])
        np.testing.assert_array_equal(dag, best.improve(start, 50, seed)[0])


def test_chains_begin_where_there_is_posterior():
    """Whichever mode their own searches ended in; one that is 30 nats worse holds nothing of it."""
    for known in (None, the_worse_mode()):
        starts = annealed_starts(two_groups(), 4, seed=1, known=known)
        np.testing.assert_array_equal(starts, [the_worse_mode().T] * 4)
