"""What features say of DAGs, each against its definition on all DAGs of four nodes."""

from dataclasses import FrozenInstanceError
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior.features import (
    adjacent,
    ancestor,
    blanket,
    compelled,
    d_separated,
    edge,
    in_blanket,
    parent_set,
    path,
    precedes,
    v_structure,
)

NAMES = ("A", "B", "C", "D")
DAGS = all_dags(4)
GRAPHS = [
    nx.relabel_nodes(nx.from_numpy_array(dag, create_using=nx.DiGraph), dict(enumerate(NAMES)))
    for dag in DAGS
]


def neighbours(graph, node):
    """The Markov blanket, by its definition."""
    children = set(graph.successors(node))
    partners = {p for child in children for p in graph.predecessors(child)}
    return (set(graph.predecessors(node)) | children | partners) - {node}


def depth(graph, node):
    return nx.dag_longest_path_length(graph.subgraph(nx.ancestors(graph, node) | {node}))


def v_structures(graph):
    return {
        (a, c, b)
        for c in graph
        for a, b in permutations(graph.predecessors(c), 2)
        if not (graph.has_edge(a, b) or graph.has_edge(b, a))
    }


def equivalent(graph):
    """All DAGs with the same adjacencies and v-structures."""
    key = (set(map(frozenset, graph.edges)), v_structures(graph))
    return [g for g in GRAPHS if (set(map(frozenset, g.edges)), v_structures(g)) == key]


DEFINITIONS = {
    edge("A", "B"): lambda g: g.has_edge("A", "B"),
    edge("D", "A"): lambda g: g.has_edge("D", "A"),
    adjacent("A", "B"): lambda g: g.has_edge("A", "B") or g.has_edge("B", "A"),
    path("C", "B"): lambda g: nx.has_path(g, "C", "B"),
    ancestor("B", "C"): lambda g: "B" in nx.ancestors(g, "C"),
    precedes("A", "D"): lambda g: depth(g, "A") < depth(g, "D"),
    v_structure("B", "A", "D"): lambda g: ("B", "A", "D") in v_structures(g),
    d_separated("A", "C"): lambda g: nx.is_d_separator(g, "A", "C", set()),
    d_separated("A", "C", ["D", "B"]): lambda g: nx.is_d_separator(g, "A", "C", {"B", "D"}),
    parent_set("C", []): lambda g: set(g.predecessors("C")) == set(),
    parent_set("C", ["D", "A"]): lambda g: set(g.predecessors("C")) == {"A", "D"},
    blanket("B", []): lambda g: neighbours(g, "B") == set(),
    blanket("B", ["A", "C"]): lambda g: neighbours(g, "B") == {"A", "C"},
    in_blanket("A", "B"): lambda g: "A" in neighbours(g, "B"),
    edge("A", "B") & ~path("B", "C"): lambda g: (
        g.has_edge("A", "B") and not nx.has_path(g, "B", "C")
    ),
    edge("A", "B") | edge("C", "D") & edge("A", "D"): lambda g: (
        g.has_edge("A", "B") or (g.has_edge("C", "D") and g.has_edge("A", "D"))
    ),
}


@pytest.mark.parametrize("feature", DEFINITIONS, ids=str)
def test_a_feature_holds_where_its_definition_does(feature):
    found = feature.holds(DAGS, NAMES)
    assert found.tolist() == [DEFINITIONS[feature](graph) for graph in GRAPHS]
    assert found.any()
    assert not found.all()


def test_compelled_edges_stand_in_all_equivalent_dags():
    some = range(0, len(DAGS), 9)  # the definition is slow
    found = compelled("A", "B").holds(DAGS[some], NAMES)
    expected = [all(g.has_edge("A", "B") for g in equivalent(GRAPHS[i])) for i in some]
    assert found.tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_names_tell_the_nodes_in_whichever_order():
    renamed = ("D", "A", "C", "B")
    order = [NAMES.index(name) for name in renamed]
    for feature in DEFINITIONS:
        same = feature.holds(DAGS[:, order][:, :, order], renamed)
        np.testing.assert_array_equal(same, feature.holds(DAGS, NAMES))
    wrong = edge("A", "B").holds(DAGS, renamed)
    assert wrong.tolist() != edge("A", "B").holds(DAGS, NAMES).tolist()


def test_laws_of_logic():
    a, b = path("A", "B"), edge("B", "C")
    np.testing.assert_array_equal((~(a & b)).holds(DAGS, NAMES), (~a | ~b).holds(DAGS, NAMES))
    np.testing.assert_array_equal((~~a).holds(DAGS, NAMES), a.holds(DAGS, NAMES))
    np.testing.assert_array_equal((~a).holds(DAGS, NAMES), ~a.holds(DAGS, NAMES))
    assert a & (b & ~a) == (a & b) & ~a
    assert a | (b | ~a) == (a | b) | ~a


def test_features_are_values():
    assert edge("A", "B") == edge("A", "B") != path("A", "B")
    assert parent_set("A", ["B", "C", "B"]) == parent_set("A", iter(["C", "B"]))
    assert parent_set("A", ["B"]) != blanket("A", ["B"])
    assert len({edge("A", "B"), edge("A", "B"), path("A", "B")}) == 2
    with pytest.raises(FrozenInstanceError):
        edge("A", "B").first = "C"


def test_no_dags_give_no_answers():
    for feature in DEFINITIONS:
        answers = feature.holds(np.zeros((0, 4, 4), dtype=bool), NAMES)
        assert answers.shape == (0,)
        assert answers.dtype == bool


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: edge("A", "A"), "'A -> A': names 'A' twice"),
        (lambda: v_structure("A", "B", "A"), "names 'A' twice"),
        (lambda: d_separated("A", "B", ["C", "A"]), "names 'A' twice"),
        (lambda: parent_set("B", ["B"]), "names 'B' twice"),
        (lambda: edge(0, 1), "the names of variables, found '0'"),
        (lambda: parent_set("B", "AC"), "parents: a list of names, found the text 'AC'"),
        (lambda: edge("A", "B") & "C", "combine them with features, found 'C'"),
        (lambda: edge("A", "B") and edge("B", "C"), "combine them by & | ~"),
        (lambda: edge("A", "E").holds(DAGS, NAMES), "no variable is called 'E': there is 'A', 'B'"),
        (lambda: edge("A", "B").holds(DAGS, NAMES[:3]), "for n = 3 names, found (543, 4, 4)"),
        (lambda: edge("A", "B").holds(DAGS[0], NAMES), "of shape (m, n, n)"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(OptionError) as caught:
        make()
    assert message in str(caught.value)
