"""What every structure prior must fulfil, and the formula of each."""

from itertools import chain, combinations
from math import comb, exp, inf, log

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.graphs.cycles import find_cycle
from gpnet.structure_priors import (
    STRUCTURE_PRIORS,
    EdgePenalty,
    EdgeProbabilities,
    FairPrior,
    Knowledge,
    PriorSettings,
    UniformPrior,
)

NAMES = ("A", "B", "C", "D", "E")
N = len(NAMES)
P = np.random.default_rng(0).uniform(0.1, 0.9, (N, N))
P[0, 1], P[2, 3], P[4, 0] = 1.0, 0.0, 0.0
SETTINGS = PriorSettings(N, gamma=1.5, edge_probabilities=P)
KNOWN = Knowledge(FairPrior(N), NAMES, required=[("A", "B")], forbidden=[("C", "D"), (4, 0)])
PRIORS = {name: prior.from_settings(SETTINGS) for name, prior in STRUCTURE_PRIORS.items()}
PRIORS["knowledge"] = KNOWN


def sets(node):
    others = [v for v in range(N) if v != node]
    return chain.from_iterable(combinations(others, size) for size in range(N))


# Every prior


@pytest.mark.parametrize("name", PRIORS)
def test_every_set_has_a_log_prior(name):
    for node in range(N):
        found = [PRIORS[name].log_prob(node, parents) for parents in sets(node)]
        assert all(isinstance(value, float) and value < inf for value in found)
        assert max(found) > -inf


@pytest.mark.parametrize("name", PRIORS)
def test_required_and_forbidden_are_where_the_prior_is_none(name):
    """A search space may trust them: no set with a forbidden or without a required parent."""
    prior = PRIORS[name]
    for node in range(N):
        some = [set(parents) for parents in sets(node) if prior.log_prob(node, parents) > -inf]
        assert prior.required_parents(node) == set.intersection(*some)
        others = set(range(N)) - {node}
        assert prior.forbidden_parents(node) == others - set.union(*some)


# Their formulas


def test_uniform():
    assert {UniformPrior().log_prob(0, parents) for parents in sets(0)} == {0.0}


def test_edge_penalty():
    for parents in sets(1):
        assert EdgePenalty(0.7).log_prob(1, parents) == pytest.approx(-0.7 * len(parents))


def test_fair_gives_every_number_of_parents_the_same_weight():
    weight = [0.0] * N
    for parents in sets(2):
        assert FairPrior(N).log_prob(2, parents) == -log(comb(N - 1, len(parents)))
        weight[len(parents)] += exp(FairPrior(N).log_prob(2, parents))
    assert weight == pytest.approx([1.0] * N)


def test_edge_probabilities_are_those_of_independent_edges():
    """The weights of a node's sets add up to 1, and those with an edge to its probability."""
    prior = EdgeProbabilities(P)
    for node in range(N):
        weight = {parents: exp(prior.log_prob(node, parents)) for parents in sets(node)}
        assert sum(weight.values()) == pytest.approx(1)
        for parent in set(range(N)) - {node}:
            with_it = sum(w for parents, w in weight.items() if parent in parents)
            assert with_it == pytest.approx(P[parent, node])


def test_knowledge_leaves_the_rest_to_the_other_prior():
    for node in range(N):
        for parents in sets(node):
            against = (
                (node == 1 and 0 not in parents)
                or (node == 3 and 2 in parents)
                or (node == 0 and 4 in parents)
            )
            expected = -inf if against else FairPrior(N).log_prob(node, parents)
            assert KNOWN.log_prob(node, parents) == expected


def test_tiers_let_no_edge_lead_back():
    known = Knowledge(UniformPrior(), NAMES, tiers=[["A", "D"], ["B"], [4]])
    tier = {"A": 1, "D": 1, "B": 2, "E": 3}
    for child, name in enumerate(NAMES):
        expected = {
            parent
            for parent, other in enumerate(NAMES)
            if name in tier and other in tier and tier[other] > tier[name]
        }
        assert known.forbidden_parents(child) == expected


def test_knowledge_upon_knowledge():
    both = Knowledge(KNOWN, NAMES, required=[("A", "E")], forbidden=[("B", "C")])
    assert both.required_parents(1) == {0}
    assert both.required_parents(4) == {0}
    assert both.forbidden_parents(2) == {1}
    assert both.forbidden_parents(3) == {2}


# What is refused


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"required": [("A", "B"), ("B", "C"), ("C", "A")]}, r"directed cycle.*'A' -> .*leave out"),
        ({"required": [("A", "B"), ("B", "A")]}, "directed cycle"),
        ({"required": [("A", "B")], "forbidden": [(0, 1)]}, "'A' -> 'B' is both required and"),
        ({"required": [("B", "A")], "tiers": [["A"], ["B"]]}, "'B' -> 'A'.*tier 2 back to tier 1"),
        ({"required": [("A", "Bb")]}, "required: no column is called 'Bb'.*'B'"),
        ({"forbidden": [(0, 5)]}, "forbidden: no column is called '5'"),
        ({"forbidden": [(0, -1)]}, "forbidden: no column is called '-1'"),
        ({"tiers": [["A"], ["Z"]]}, "tiers: no column is called 'Z'"),
        ({"tiers": [["A"], ["B", "A"]]}, "tiers: 'A' stands in tier 1 and in tier 2"),
        ({"tiers": [["A"], ["B", "B"]]}, "tiers: 'B' stands twice in tier 2"),
        ({"tiers": ["A", "B"]}, "a list of names for each tier"),
        ({"required": [("A", "A")]}, "'A' -> 'A': leads to itself"),
        ({"required": ["AB"]}, "pairs of"),
        ({"forbidden": [("A", "B", "C")]}, "pairs of"),
    ],
)
def test_contradictions_are_told_by_name(known, words):
    with pytest.raises(OptionError, match=words):
        Knowledge(UniformPrior(), NAMES, **known)


def test_contradictions_with_the_other_prior():
    prior = EdgeProbabilities(P)
    with pytest.raises(OptionError, match="'C' -> 'D' is required, but has prior probability 0"):
        Knowledge(prior, NAMES, required=[("C", "D")])
    with pytest.raises(OptionError, match=r"'A' -> 'B' is forbidden.*prior probability 1"):
        Knowledge(prior, NAMES, forbidden=[("A", "B")])
    with pytest.raises(OptionError, match="directed cycle"):
        Knowledge(prior, NAMES, required=[("B", "C"), ("C", "A")])


@pytest.mark.parametrize(
    ("probabilities", "words"),
    [
        (np.zeros((2, 3)), "square"),
        (np.full((3, 3), 1.5), "from column 0 to column 1"),
        (np.full((3, 3), np.nan), "found nan"),
        (np.ones((2, 2)), "directed cycle of columns, 0 -> 1 -> 0"),
    ],
)
def test_impossible_probabilities_are_refused(probabilities, words):
    with pytest.raises(OptionError, match=words):
        EdgeProbabilities(probabilities)


def test_settings_that_lack_what_a_prior_needs():
    for name, words in [("edges", "gamma"), ("probabilities", "a matrix is needed")]:
        with pytest.raises(OptionError, match=words):
            STRUCTURE_PRIORS[name].from_settings(PriorSettings(3))
    with pytest.raises(OptionError, match="3 by 3"):
        EdgeProbabilities.from_settings(PriorSettings(3, edge_probabilities=P))
    for make in (lambda: EdgePenalty(inf), lambda: FairPrior(0)):
        with pytest.raises(OptionError):
            make()


# Cycles


def test_a_cycle_is_found_where_there_is_one():
    rng = np.random.default_rng(1)
    n_found = 0
    for _ in range(300):
        n = int(rng.integers(1, 7))
        graph = (rng.random((n, n)) < 0.25) & ~np.eye(n, dtype=bool)
        cycle = find_cycle(graph)
        returns = any(
            np.trace(np.linalg.matrix_power(graph.astype(int), k)) for k in range(1, n + 1)
        )
        assert bool(cycle) == returns
        assert all(graph[a, b] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
        n_found += bool(cycle)
    assert 50 < n_found < 250
