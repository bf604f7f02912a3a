"""The best DAG: that of enumeration where there are few, and no worse than any that is drawn."""

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.samplers import OrderSampler
from gpnet.score_table.order_search import annealed_starts, search_orders
from gpnet.score_table.search_space import SearchSpace
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
