"""Sums over parent sets in the core, against their plain twins, also where that is hard."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.runtime.executors import Workers
from gpnet.samplers.mcmc import ChainTables
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.subset_tables import check_memory_of_sums, fill_tables, memory_of_sums
from gpnet.score_table.table import ScoreTable
from tests.samplers.twins import full_space, random_table, sets_that_fit

NOBODY = -np.inf


@st.composite
def tables(draw):
    n = draw(st.integers(2, 6))
    others = [[u for u in range(n) if u != v] for v in range(n)]
    candidates = tuple(tuple(sorted(draw(st.sets(st.sampled_from(o))))) for o in others)
    space = SearchSpace(candidates, draw(st.integers(0, 5)), draw(st.booleans()))
    spread = draw(st.sampled_from([1, 100, 2000, 20_000]))
    excluded = draw(st.sampled_from([None, 0, 1]))
    table = random_table(
        space,
        spread,
        draw(st.integers(0, 99)),
        lambda v, pa: excluded in pa,
    )
    elements = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    return table, np.unique(elements, return_inverse=True)[1].reshape(-1)


def twin(table, node, at, level, previous):
    before = [u for u, place in enumerate(at) if place < level]
    layer = None if previous == NOBODY else [u for u, place in enumerate(at) if place == previous]
    return logsumexp([-np.inf, *sets_that_fit(table, node, before, layer).values()])


@settings(deadline=None, max_examples=200)
@given(tables())
def test_sums_equal_their_twins(case):
    table, at = case
    sums = fill_tables(_core.ParentSums, table, Workers())
    for node, level in enumerate(at):
        for previous in {NOBODY, level - 1.0} if level else {NOBODY}:
            expected = twin(table, node, at, level, previous)
            found = sums.log_sum(node, at, level, previous)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-8)
            assert sums.one_by_one(node, at, level, previous) == pytest.approx(
                expected, rel=1e-12, abs=1e-8
            )
            quick, exact = sums.quick(node, at, level, previous)
            assert quick == pytest.approx(expected, abs=1e-8) if exact else quick >= expected


def assembled(space, scores):
    """Scores by (node, parents), else 0."""
    columns = [
        np.array([scores.get((v, pa), 0.0) for pa in space.all_parent_sets(v)])
        for v in range(space.n_variables)
    ]
    names = [f"x{v}" for v in range(space.n_variables)]
    return ScoreTable.assemble(names, space, columns, [np.zeros(len(c)) for c in columns])


@pytest.mark.parametrize("depth", [20, 40, 500, 1000, 3000])
def test_a_difference_that_cancels_is_summed_set_by_set(depth):
    table = assembled(full_space(3), {(2, (0, 1)): -depth, (2, (1,)): -depth - 1.0})
    sums = fill_tables(_core.ParentSums, table, Workers())
    quick, exact = sums.quick(2, [0, 1, 2], 2, 1)  # 0 | 1 | 2
    assert not exact
    assert quick >= -depth
    expected = np.logaddexp(-depth, -depth - 1.0)
    assert sums.log_sum(2, [0, 1, 2], 2, 1) == pytest.approx(expected, rel=1e-14)


def test_no_scale_underflows_by_itself():
    """Sets of one row 1 100 bits below another row, which is still within the range."""
    space = SearchSpace(((), (), (), (0, 1, 2), (), ()), 1, plus_one=True)
    at = [2, 0, 0, 2, 0, 1]
    for seed in range(50):
        table = random_table(space, 2000, seed)
        quick, exact = fill_tables(_core.ParentSums, table, Workers()).quick(3, at, 2, 1)
        expected = twin(table, 3, at, 2, 1)
        assert quick == pytest.approx(expected, abs=1e-8) if exact else quick >= expected


def test_what_is_lost_beside_a_much_better_plus_one_parent_is_found_again():
    space = SearchSpace(((), (), (), ()), 1, plus_one=True)
    table = assembled(space, {(3, ()): -1e5, (3, (0,)): 0.0, (3, (1,)): -3000.0, (3, (2,)): -9e4})
    sums = fill_tables(_core.ParentSums, table, Workers())
    assert sums.log_sum(3, [5, 1, 2, 3], 3, 2) == pytest.approx(-9e4)
    assert sums.log_sum(3, [5, 2, 1, 3], 3, 2) == pytest.approx(-3000)
    assert sums.log_sum(3, [5, 1, 2, 3], 3, NOBODY) == pytest.approx(-3000)
    assert sums.log_sum(3, [0, 1, 2, 3], 3, NOBODY) == pytest.approx(0, abs=1e-12)


def test_scores_by_set_follow_the_order_of_the_space():
    for plus_one in (False, True):
        space = SearchSpace(((1, 3, 4), (), (0, 1, 3, 4), (2,), (0, 3)), 3, plus_one)
        table = random_table(space, 10, 1)
        scores = ChainTables(table, Workers()).set_scores()
        for node in range(5):
            inside = set(space.all_parent_sets(node))
            for mask in range(2**5):
                parents = tuple(u for u in range(5) if mask >> u & 1)
                if node in parents:
                    continue
                dag = np.zeros((5, 5), dtype=bool)
                dag[list(parents), node] = True
                expected = table.log_score(node, parents) if parents in inside else -np.inf
                assert scores.log_score(node, dag) == expected


def test_memory_is_told_beforehand_and_too_much_refused():
    space = full_space(21)
    assert memory_of_sums(space) == 21 * 2**20 * (12 + 14)
    ten = tuple(tuple(u for u in range(11) if u != v)[:10] for v in range(100))
    hundred = SearchSpace(ten, 10, plus_one=True)
    assert memory_of_sums(hundred) == 100 * 1024 * (8 * 100 + 4) + 14 * hundred.n_sets()
    with pytest.raises(OptionError, match=r"what fits: at most 1\d candidates"):
        check_memory_of_sums(space, limit=100_000_000)
    with pytest.raises(OptionError, match="at most 31 candidates"):
        check_memory_of_sums(full_space(40, 2), limit=10**18)
