"""What a prior forbids: never scored, never offered, and never taken for a number."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gpnet import load_table
from gpnet.common.errors import OptionError
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.runtime.store import Store
from gpnet.score_table.memory import memory_needed
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore, GpScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import Knowledge
from tests.contexts import context
from tests.score_table.test_table import (
    DATA,
    FULL,
    UNIFORM,
    FakeScore,
    every_set,
    fake_evidence,
    same,
)

KNOWN = Knowledge(
    UNIFORM, DATA.names, required=[(0, 1), (2, 1)], forbidden=[(3, 4)], tiers=[[0], [5]]
)


def allowed(space, prior=KNOWN):
    return [(v, pa) for v, pa in every_set(space) if prior.log_prob(v, pa) > -math.inf]


def test_forbidden_sets_are_never_scored():
    def check(node, parents, hints):
        assert all(KNOWN.log_prob(node, pa) > -math.inf for pa in hints)

    seen, score = [], FakeScore(trouble=check)
    table = tabulate(
        DATA, FULL, score, KNOWN, context(2, progress=lambda *state: seen.append(state))
    )
    assert sorted(score.asked) == sorted(allowed(FULL))
    assert seen[-1] == (len(score.asked), len(score.asked), 0.0)
    for node, parents in every_set(FULL):
        known = (node, parents) in score.asked
        value = fake_evidence(node, parents).value if known else -math.inf
        assert table.log_marginal(node, parents) == table.log_score(node, parents) == value
        place = FULL.index(node, parents)
        assert table.nodes[node].computed[place] == known


def test_hints_that_are_missing_change_no_number():
    data = load_table(DATA.values[:, :4])
    prior = Knowledge(UNIFORM, data.names, required=[(0, 1), (2, 1)], forbidden=[(3, 0)])
    score, space = GpScore(evidence=EVIDENCE_METHODS["laplace"]()), FullSpace().build(data)
    some, every = (tabulate(data, space, score, p) for p in (prior, UNIFORM))
    for node, parents in allowed(space, prior):
        both = (table.log_marginal(node, parents) for table in (some, every))
        assert next(both) == pytest.approx(next(both), abs=1e-6)


def test_a_store_is_asked_only_for_what_is_allowed(tmp_path):
    with Store(tmp_path / "s") as store:
        tabulate(DATA, FULL, FakeScore(), KNOWN, context(store=store))
        again = FakeScore()
        same(
            tabulate(DATA, FULL, again, KNOWN, context(store=store)),
            tabulate(DATA, FULL, FakeScore(), KNOWN),
        )
        assert again.asked == []
        rest = FakeScore()
        tabulate(DATA, FULL, rest, UNIFORM, context(store=store))
    assert sorted(rest.asked) == sorted(set(every_set(FULL)) - set(allowed(FULL)))


def test_another_prior_may_allow_only_what_was_computed():
    every = tabulate(DATA, FULL, FakeScore(), UNIFORM)
    some = tabulate(DATA, FULL, FakeScore(), KNOWN)
    stricter = Knowledge(KNOWN, DATA.names, forbidden=[(1, 0)])
    for prior in (KNOWN, stricter):
        one, two = some.with_prior(prior), every.with_prior(prior)
        for a, b in zip(one.nodes, two.nodes, strict=True):
            np.testing.assert_array_equal(a.log_scores, b.log_scores)
    same(every.with_prior(KNOWN).with_prior(UNIFORM), every)
    with pytest.raises(OptionError, match=r"'V1' given \['V6'\]: was not computed.*tabulate again"):
        some.with_prior(UNIFORM)


def test_a_prior_that_leaves_a_node_nothing_is_refused():
    score = FakeScore()
    for space in (replace(FULL, max_parents=1), SearchSpace(((), (0,), (), (), (), ()), 2)):
        with pytest.raises(OptionError, match="'V2': the structure prior allows none"):
            tabulate(DATA, space, score, KNOWN)
    assert score.asked == []


# Plus-one parents that are excluded


def test_excluded_plus_one_parents_are_in_no_set():
    candidates = ((1,), (), (0, 1), (), (), ())
    excluded = ((3,), (4, 5), (), (), (0,), ())
    space = SearchSpace(candidates, 3, plus_one=True, excluded=excluded)
    free = SearchSpace(candidates, 3, plus_one=True)
    for node in range(6):
        sets = list(space.all_parent_sets(node))
        assert sets == [
            pa for pa in free.all_parent_sets(node) if not set(pa) & set(excluded[node])
        ]
        assert [space.index(node, parents) for parents in sets] == list(range(len(sets)))
        assert space.n_sets(node=node) == len(sets)
        for size in space.sizes:
            assert [sets[i] for i in space.positions(node, size)] == list(
                space.parent_sets(node, size)
            )
    with pytest.raises(OptionError, match="not among its candidates"):
        space.index(0, (3,))


def test_impossible_exclusions_are_refused():
    with pytest.raises(OptionError, match="excluded"):
        SearchSpace(((1,), ()), 1, excluded=((1,), ()))
    with pytest.raises(OptionError, match="excluded"):
        SearchSpace(((1,), ()), 1, excluded=((),))


# Scores in closed form


def test_closed_forms_get_no_hints_and_need_less_memory():
    def check(node, parents, hints):
        assert hints == {}

    class Closed(FakeScore):
        closed_form = True

    same(
        tabulate(DATA, FULL, Closed(trouble=check), UNIFORM),
        tabulate(DATA, FULL, FakeScore(), UNIFORM),
    )
    assert memory_needed(FULL, closed_form=True) < memory_needed(FULL) / 4
    assert BgeScore.closed_form
    assert not GpScore.closed_form
    space = replace(FULL, max_parents=3)
    limit = memory_needed(space, closed_form=True)
    tabulate(DATA, space, Closed(), UNIFORM, memory_limit=limit)
    with pytest.raises(OptionError, match="needs"):
        tabulate(DATA, space, FakeScore(), UNIFORM, memory_limit=limit)


def test_a_set_scores_the_same_in_any_batch():
    """Bit by bit: the size of batches depends on the pace of the workers."""
    data = load_table(np.random.default_rng(0).standard_normal((50, 9)))
    space, score = FullSpace(max_parents=5).build(data), BgeScore()
    sets = list(space.all_parent_sets(0))
    together = [e.value for e in score.log_marginals(data, 0, sets, {})]
    alone = [score.log_marginal(data, 0, parents).value for parents in sets]
    odd = [e.value for e in score.log_marginals(data, 0, sets[1::3], {})]
    assert together == alone
    assert odd == together[1::3]
