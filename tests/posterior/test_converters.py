"""Posteriors for other libraries, each read by the real one where it is installed."""

import re
import sys

import numpy as np
import pytest

import gpnet
from gpnet.common.errors import OptionError


@pytest.fixture(scope="module")
def posterior():
    table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2).frame()
    return gpnet.learn(table.rename(columns={"V1": 'a "b"'}), score="bge", draws=500)


def edges(posterior, threshold=0.5):
    found = np.argwhere(posterior.consensus(threshold).to_numpy())
    return {(posterior.names[a], posterior.names[b]) for a, b in found}


def test_to_dot(posterior):
    text = posterior.to_dot()
    assert text.startswith("digraph {\n")
    assert text.endswith("}\n")
    assert '  "a \\"b\\"";\n' in text
    found = re.findall(r'^  "(.*)" -> "(.*)" \[label="(.*)"\];$', text, re.MULTILINE)
    assert {(a.replace('\\"', '"'), b.replace('\\"', '"')) for a, b, _ in found} == edges(posterior)
    for a, b, p in found:
        pair = a.replace('\\"', '"'), b.replace('\\"', '"')
        assert float(p) == round(float(posterior.edge_probabilities().loc[pair]), 2)
    networkx = pytest.importorskip("networkx")
    assert set(posterior.to_networkx().edges) == edges(posterior)
    assert networkx.is_directed_acyclic_graph(posterior.to_networkx())


def test_to_causallearn(posterior):
    pytest.importorskip("causallearn")
    graph = posterior.to_causallearn()
    assert graph.get_node_names() == list(posterior.names)
    found = {(e.get_node1().get_name(), e.get_node2().get_name()) for e in graph.get_graph_edges()}
    assert found == edges(posterior)


def test_to_pgmpy(posterior):
    pytest.importorskip("pgmpy")
    graph = posterior.to_pgmpy()
    assert set(graph.nodes()) == set(posterior.names)
    assert set(graph.edges()) == edges(posterior)


@pytest.mark.parametrize(
    ("name", "module"), [("pgmpy", "pgmpy.base"), ("causallearn", "causallearn.graph.GeneralGraph")]
)
def test_what_is_not_installed_is_named(posterior, name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(OptionError, match="pip install"):
        getattr(posterior, f"to_{name}")()


def test_parents_are_those_of_the_draws(posterior):
    child = posterior.names[1]
    found = posterior.parents(child, at_least=0)
    assert found["probability"].sum() == pytest.approx(1)
    assert (found["probability"].diff().dropna() <= 0).all()
    asked = f"parents({child}) = {{{', '.join(found['parents'][0])}}}"
    if '"' not in asked:
        assert found["probability"][0] == pytest.approx(float(posterior.probability(asked)))
    for parent in posterior.names:
        total = found["probability"][[parent in one for one in found["parents"]]].sum()
        assert total == pytest.approx(float(posterior.edge_probabilities().loc[parent, child]))
    few = posterior.parents(child, at_least=0.1)
    assert len(few) == (found["probability"] >= 0.1).sum()
    with pytest.raises(OptionError, match="no variable is called 'V9'"):
        posterior.parents("V9")


def test_posteriors_are_compared_by_name(posterior):
    table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2).frame()
    table = table.rename(columns={"V1": 'a "b"'}).iloc[:, ::-1]
    other = gpnet.learn(table, score="bge", draws=500, prior="uniform")
    found = posterior.compare(other)
    assert (found["difference"].abs().diff().dropna() <= 1e-12).all()
    for row in found.itertuples():
        here = posterior.edge_probabilities().loc[row.parent, row.child]
        there = other.edge_probabilities().loc[row.parent, row.child]
        assert (row.this, row.other) == (here, there)
        assert row.difference == here - there
    assert posterior.compare(posterior)["difference"].eq(0).all()
    with pytest.raises(OptionError, match="same variables"):
        posterior.compare(gpnet.learn(table.iloc[:, :3], score="bge", draws=100))
