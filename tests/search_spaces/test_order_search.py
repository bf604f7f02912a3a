"""The best DAG: that of enumeration where there are few, and no worse than any that is drawn."""

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.samplers import OrderSampler
from gpnet.score_table.order_search import search_orders
from gpnet.score_table.search_space import SearchSpace
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


def test_says_where_there_is_no_dag():
    table = random_table(full_space(3), 1, 1, lambda v, pa: not pa)
    with pytest.raises(OptionError, match="no DAG has a finite score"):
        search_orders(table)
    with pytest.raises(OptionError, match="n_chains"):
        search_orders(table, n_chains=0)
