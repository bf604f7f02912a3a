"""What every builder of search spaces must fulfil: runs on all members by itself."""

from dataclasses import replace

import numpy as np
import pytest

from gpnet import load_table, simulate
from gpnet.common.errors import OptionError
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore
from gpnet.search_spaces import (
    SEARCH_SPACES,
    FullSpace,
    GivenSpace,
    Screen,
    ScreenedSpace,
    SpaceSettings,
)
from gpnet.structure_priors import Knowledge, UniformPrior

DATA = load_table(simulate(nodes=6, rows=60, edge_probability=0.4, seed=5).values)
ALLOWED = np.eye(6, k=1, dtype=bool)
SETTINGS = SpaceSettings(max_parents=3, allowed=ALLOWED, score=BgeScore())
KNOWN = Knowledge(
    UniformPrior(),
    DATA.names,
    required=[(5, 0), (4, 0), (1, 3)],
    forbidden=[(0, 1), (2, 1)],
    tiers=[[4], [2, 3]],
)
NODES = range(6)


def build(name, prior=None, **settings):
    return SEARCH_SPACES[name].from_settings(replace(SETTINGS, **settings)).build(DATA, prior)


@pytest.mark.parametrize("name", SEARCH_SPACES)
def test_every_builder_fits_the_data(name):
    space = build(name)
    assert space.n_variables == DATA.n_variables
    assert space.max_parents == 3
    assert build(name).candidates == space.candidates


@pytest.mark.parametrize("plus_one", [False, True])
@pytest.mark.parametrize("name", SEARCH_SPACES)
def test_knowledge_is_obeyed(name, plus_one):
    space = build(name, KNOWN, plus_one=plus_one)
    for node in NODES:
        offered = {*space.candidates[node], *space.plus_one_parents(node)}
        assert KNOWN.required_parents(node) <= set(space.candidates[node])
        assert not KNOWN.forbidden_parents(node) & offered
        if plus_one and name != "full":
            assert offered == set(NODES) - {node} - KNOWN.forbidden_parents(node)
    tabulate(DATA, space, BgeScore(), KNOWN)


@pytest.mark.parametrize("name", SEARCH_SPACES)
def test_more_required_parents_than_allowed_are_refused(name):
    with pytest.raises(OptionError, match=r"max_parents: 'V1' has 2 required parents.*1"):
        build(name, KNOWN, max_parents=1)


@pytest.mark.parametrize("name", ["dual-pc", "screening"])
def test_order_of_columns_does_not_matter(name):
    places = np.random.default_rng(0).permutation(6)
    builder = SEARCH_SPACES[name].from_settings(SETTINGS)
    moved = builder.build(load_table(DATA.values[:, places]))
    plain = builder.build(DATA)
    for new, old in enumerate(places):
        assert {places[c] for c in moved.candidates[new]} == set(plain.candidates[old])


def test_full_has_everyone():
    space = FullSpace().build(DATA)
    assert space.max_parents == 5
    assert all(set(space.candidates[v]) == set(NODES) - {v} for v in NODES)


def test_given_has_what_was_given():
    space = GivenSpace(ALLOWED + np.eye(6)).build(DATA)
    assert space.candidates == ((), (0,), (1,), (2,), (3,), (4,))
    assert (space.max_parents, space.plus_one) == (1, False)
    assert GivenSpace(ALLOWED, plus_one=True).build(DATA).max_parents == 2


@pytest.mark.parametrize("allowed", [np.ones((5, 5)), np.full((6, 6), 2), np.ones(6)])
def test_a_matrix_that_does_not_fit_is_refused(allowed):
    with pytest.raises(OptionError, match="6 by 6"):
        GivenSpace(allowed).build(DATA)


def test_settings_that_are_missing_or_impossible():
    with pytest.raises(OptionError, match="allowed"):
        build("given", allowed=None)
    for alpha in (0, 1, -0.1):
        with pytest.raises(OptionError, match="alpha"):
            build("dual-pc", alpha=alpha)
    with pytest.raises(OptionError, match="max_candidates"):
        build("screening", max_candidates=0)


# Screening


def test_screening_sees_a_curve_that_straight_lines_do_not():
    rng = np.random.default_rng(0)
    z = rng.uniform(-2, 2, 100)
    curve = np.cos(2 * z) + 0.2 * rng.standard_normal(100)
    data = load_table(np.column_stack([z, curve, rng.standard_normal(100)]))
    linear = SEARCH_SPACES["dual-pc"].from_settings(SpaceSettings(alpha=0.01)).build(data)
    assert linear.candidates == ((), (), ())
    screened = ScreenedSpace(Screen(alpha=0.01)).build(data)
    assert screened.candidates == ((1,), (0,), ())


def test_screening_keeps_those_that_gain_most():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((200, 4))
    x = z @ [0.5, 2.0, 1.0, 0.8] + 0.5 * rng.standard_normal(200)
    data = load_table(np.column_stack([z, x]))
    free = ScreenedSpace(Screen(BgeScore())).build(data)
    assert free.candidates[4] == (0, 1, 2, 3)
    two = ScreenedSpace(Screen(BgeScore(), max_candidates=2))
    assert two.build(data).candidates[4] == (1, 2)
    known = Knowledge(UniformPrior(), data.names, forbidden=[(1, 4)])
    assert ScreenedSpace(Screen(BgeScore(), max_candidates=2)).build(data, known).candidates[4] == (
        2,
        3,
    )
