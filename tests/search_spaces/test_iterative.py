"""The space that grows: it takes in what shows only given others, and then stops."""

import warnings
from dataclasses import dataclass, field, fields

import numpy as np
import pytest

from gpnet import load_table
from gpnet.common.errors import OptionError
from gpnet.runtime.store import Store
from gpnet.runtime.stored_row import Source
from gpnet.scores import BgeScore
from gpnet.search_spaces import IterativeSpace, Screen
from gpnet.search_spaces.outside import Outside
from gpnet.structure_priors import EdgePenalty, Knowledge, UniformPrior
from tests.contexts import context
from tests.greedy import greedy_orders

PRIOR = EdgePenalty(3.0)  # a linear score at 400 rows: spurious edges stay out of good DAGs


def three_parents(n_more=0):
    """z1, z2, z3 -> x, and columns that are independent of all."""
    rng = np.random.default_rng(4)
    z, noise = rng.standard_normal((400, 3)), rng.standard_normal(400)
    more = rng.standard_normal((400, n_more))
    return load_table(np.column_stack([z, z @ [1.0, -1.0, 1.5] + 0.5 * noise, more]))


class Watched:
    """A search that writes down the tables it was given and the DAGs it found."""

    def __init__(self):
        self.tables, self.dags = [], []

    def __call__(self, table, **options):
        self.tables.append(table)
        self.dags.append(greedy_orders(table, **options))
        return self.dags[-1]


def builder(**options):
    """Starts from nothing unless told otherwise."""
    screen = {"score": BgeScore(), "threshold": np.inf, "alpha": None}
    mine = {field.name for field in fields(Screen)}
    screen |= {name: options.pop(name) for name in list(options) if name in mine}
    return IterativeSpace(Screen(**screen), **({"search": greedy_orders, "n_chains": 3} | options))


def test_it_grows_from_nothing_to_all_parents():
    data, search = three_parents(), Watched()
    space = builder(search=search).build(data, PRIOR)
    assert search.tables[0].space.candidates == ((),) * 4
    assert space.candidates[3] == (0, 1, 2)
    assert all(3 in space.candidates[v] for v in range(3))  # and in the other direction
    sizes = [table.space.n_sets() for table in search.tables]
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 1


def test_it_starts_from_what_screening_finds():
    data, search = three_parents(), Watched()
    builder(search=search, threshold=0.0).build(data, PRIOR)
    assert search.tables[0].space.candidates[3] == (0, 1, 2)


def test_it_ends_where_the_best_dags_take_nobody_from_outside():
    search = Watched()
    space = builder(search=search).build(three_parents(3), PRIOR)
    for table in search.tables:
        assert table.space.plus_one
    assert search.tables[-1].space.candidates == space.candidates
    for dag in search.dags[-1]:
        for parent, child in np.argwhere(dag):
            assert parent in space.candidates[child]


@dataclass(frozen=True)
class Counting(BgeScore):
    """BGe as if it were expensive; writes down what it is asked."""

    closed_form = False
    asked: list = field(default_factory=list, repr=False, hash=False, compare=False)

    def _log_marginals(self, data, node, parent_sets, hints):
        self.asked.extend((node, parents) for parents in parent_sets)
        return super()._log_marginals(data, node, parent_sets, hints)


def test_nothing_is_computed_twice():
    score, search = Counting(), Watched()
    builder(search=search, score=score).build(three_parents(2), PRIOR)
    assert len(search.tables) > 1
    assert len(score.asked) == len(set(score.asked))


def test_a_store_of_the_user_is_read_and_filled(tmp_path):
    data, score = three_parents(), Counting()
    with Store(tmp_path / "s") as store:
        space = builder(score=score).build(data, PRIOR, context(store=store))
        assert len(score.asked) > 0
        again = Counting()
        assert builder(score=again).build(data, PRIOR, context(store=store)) == space
        assert again.asked == []
        source = Source(data.fingerprint, score.fingerprint)
        assert set(store.get_many(source, 2, [(), (0,)])) == {(), (0,)}


def test_a_full_node_is_told_and_keeps_the_best():
    data = three_parents()
    with pytest.warns(RuntimeWarning, match="no room for .*max_candidates, now 1"):
        space = builder(max_candidates=1).build(data, PRIOR)
    assert max(map(len, space.candidates)) == 1
    assert space.candidates[3] == (2,)  # the strongest
    noted = context()
    assert builder(max_candidates=1).build(data, PRIOR, noted) == space
    assert [note[:26] for note in noted.notes] == ["search space: no room for "]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        builder(max_candidates=3).build(data, PRIOR)


def test_the_final_space_is_as_asked_for():
    data = three_parents()
    space = builder(max_parents=2, plus_one=False).build(data, PRIOR)
    assert (space.max_parents, space.plus_one) == (2, False)
    with pytest.raises(OptionError, match="max_candidates"):
        builder(max_candidates=0)


def test_knowledge_holds_while_the_space_grows():
    data = three_parents(2)
    known = Knowledge(PRIOR, data.names, forbidden=[(1, 2)], required=[(3, 0), (4, 2)])
    search = Watched()
    space = builder(search=search).build(data, known)
    for grown in (*(table.space for table in search.tables), space):
        assert 1 not in {*grown.candidates[2], *grown.plus_one_parents(2)}
        assert 3 in grown.candidates[0]
        assert 4 in grown.candidates[2]


def test_a_search_that_never_agrees_with_itself_ends_too():
    """Each round brings DAGs at random, and each node has room for one: still it stops."""
    rng = np.random.default_rng(0)

    def random_search(table, **options):
        n = table.n_variables
        return [np.triu(rng.random((n, n)) < 0.5, k=1)]

    with pytest.warns(RuntimeWarning, match="no room"):
        builder(search=random_search, max_candidates=1).build(three_parents(3), UniformPrior())


# Wide tables: who adds to a good DAG, in place of a table with one parent from outside


def wide(n, n_rows=300, seed=3):
    """Lines, each variable of up to two before it."""
    rng = np.random.default_rng(seed)
    dag, values = np.zeros((n, n), dtype=bool), rng.standard_normal((n_rows, n))
    for v in range(1, n):
        parents = rng.integers(max(v - 20, 0), v, size=rng.integers(0, 3))
        dag[parents, v] = True
        values[:, v] += 0.6 * values[:, dag[:, v]].sum(axis=1)
    return load_table(values), dag


@pytest.mark.parametrize("n", [130, 500])
def test_wide_tables_have_a_space_with_the_parents_in_it(n):
    """500 candidates of each would need more bits than a mask has; ten of each do."""
    data, dag = wide(n)
    screen = Screen(BgeScore())
    builder = IterativeSpace(screen, n_iterations=20 * n, n_chains=1, plus_one=False)
    space = builder.build(data, PRIOR, context())
    assert max(map(len, space.candidates)) <= 10
    within = np.mean([p in space.candidates[v] for p, v in np.argwhere(dag)])
    assert within > 0.98


def test_who_shows_only_beside_others_is_found_in_a_wide_table():
    """x = a + b and c = a - b: of c alone, x tells nothing."""
    rng = np.random.default_rng(5)
    values = rng.standard_normal((400, 120))
    values[:, 2] = values[:, 0] + values[:, 1]
    values[:, 3] = values[:, 0] - values[:, 1]
    values[:, 2] += 0.3 * rng.standard_normal(400)
    values[:, 3] += 0.3 * rng.standard_normal(400)
    data = load_table(values)
    outside = Outside(data, BgeScore(), PRIOR, ~np.eye(120, dtype=bool))
    alone, beside = np.zeros((2, 120, 120), dtype=bool)
    beside[0, 2] = True
    assert not outside.gaining([alone])[3, 2]
    assert outside.gaining([beside])[[1, 3], 2].all()
    assert not outside.gaining([beside])[2, 2]
