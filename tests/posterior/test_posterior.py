"""Every question to a posterior against sums over all DAGs of four nodes."""

import copy
import pickle
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gpnet.common.errors import OptionError
from gpnet.graphs.cycles import find_cyclic
from gpnet.graphs.dag import is_acyclic
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.features import edge
from gpnet.posterior.posterior import LocalScores, Posterior
from tests.posteriors import ODD_NAMES, enumerated, local_scores, posterior_of, scores_of

NAMES = ("A", "B", "C", "D")


@pytest.fixture(scope="module")
def posterior():
    return enumerated(4)


def exact(posterior, f):
    return sum(w * f(dag) for w, dag in zip(posterior.weights, posterior.dags, strict=True))


def dag(*edges, n=4):
    found = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        found[parent, child] = True
    return found


# Probabilities


def test_sizes(posterior):
    assert (posterior.n_draws, posterior.n_variables) == (543, 4)
    assert posterior.weights.sum() == pytest.approx(1)
    assert posterior.ess == pytest.approx(1 / np.sum(posterior.weights**2))
    assert posterior_of(all_dags(3)).ess == pytest.approx(25)
    plain = posterior_of(all_dags(3))
    assert repr(plain) == "<Posterior of 3 variables: 25 draws, ess 25>"
    told = replace(plain, diagnosis=Diagnosis(converged=False, draws=20))
    assert repr(told) == "<Posterior of 3 variables: 20 draws, not converged>"


def test_edge_probabilities_are_labelled_sums(posterior):
    p = posterior.edge_probabilities()
    assert (p.index.name, p.columns.name) == ("parent", "child")
    assert tuple(p.index) == tuple(p.columns) == NAMES
    for parent in range(4):
        for child in range(4):
            expected = exact(posterior, lambda dag, at=(parent, child): dag[at])
            assert p.loc[NAMES[parent], NAMES[child]] == pytest.approx(expected)


def test_errors_are_those_of_the_same_question_asked_alone(posterior):
    errors = posterior.edge_errors()
    assert (errors.index.name, errors.columns.name) == ("parent", "child")
    assert errors.loc["A", "B"] == pytest.approx(posterior.probability("A -> B").std_error)
    assert errors.loc["C", "C"] == 0
    assert (errors.to_numpy()[~np.eye(4, dtype=bool)] > 0).all()


def test_errors_of_local_scores_enter(posterior):
    unsure = replace(posterior, local_scores=scores_of(local_scores(4), 0.5))
    assert unsure.probability("A -> B").std_error > posterior.probability("A -> B").std_error
    assert unsure.expect(np.sum).std_error > posterior.expect(np.sum).std_error


def test_edges_from_the_most_probable_on():
    drawn = np.array([dag((0, 1), (2, 3)), dag((0, 1), (3, 2)), dag((0, 1), (3, 2), (1, 2))])
    edges = posterior_of(drawn, log_weights=np.log([0.25, 0.25, 0.5])).edges()
    assert list(edges.columns)[:4] == ["parent", "child", "probability", "std_error"]
    found = list(zip(edges.parent, edges.child, edges.probability.round(12), strict=True))
    assert found == [("A", "B", 1), ("D", "C", 0.75), ("B", "C", 0.5), ("C", "D", 0.25)]
    ties = posterior_of(drawn[:2]).edges()
    assert list(ties.parent + ties.child) == ["AB", "CD", "DC"]
    assert posterior_of(np.zeros((2, 3, 3), dtype=bool)).edges().empty


def test_probability_of_a_text_and_of_a_feature(posterior):
    p = posterior.probability("A -> B")
    assert p == pytest.approx(exact(posterior, lambda dag: dag[0, 1]))
    assert posterior.probability(edge("A", "B")) == p
    assert 0 < p.std_error < 0.5
    low, high = p.interval()
    assert 0 < low < p < high < 1
    with pytest.raises(OptionError, match="Z"):
        posterior.probability("A -> Z")


def test_probabilities_of_many_events_are_those_of_each(posterior):
    found = posterior.probabilities(posterior.dags[:, 0, 1:3])
    assert len(found) == 2
    for p, child in zip(found, posterior.names[1:3], strict=True):
        known = posterior.probability(f"{posterior.names[0]} -> {child}")
        assert float(p) == pytest.approx(float(known))
        assert p.interval() == pytest.approx(known.interval())
    assert posterior.probabilities(posterior.dags[:, :0, 0]) == []
    with pytest.raises(OptionError, match="events"):
        posterior.probabilities(posterior.dags[1:, 0])


def test_expectations(posterior):
    n_edges = posterior.expect(np.sum)
    assert n_edges == pytest.approx(exact(posterior, np.sum))
    assert n_edges.n_effective is None
    assert n_edges.std_error > 0
    both = posterior.expect(lambda dag: dag[0, 1] and dag[1, 2])
    assert both == pytest.approx(exact(posterior, lambda dag: dag[0, 1] & dag[1, 2]))
    assert both.n_effective is not None
    share = posterior.expect(lambda dag: dag.sum() / 16)  # within 0 and 1, and yet no event
    assert share.std_error == pytest.approx(n_edges.std_error / 16)
    assert posterior.expect(lambda dag: 7.0).std_error == 0


def test_a_function_is_asked_once_for_each_dag():
    asked = []

    def f(dag):
        asked.append(dag)
        return dag.sum()

    three = np.array([dag((0, 1)), dag((0, 1), (1, 2)), dag((2, 1))])
    assert posterior_of(three[[0, 1, 1, 0, 2, 0]]).expect(f) == pytest.approx(8 / 6)
    assert len(asked) == 3
    with pytest.raises(OptionError, match="f: expected finite numbers, found nan"):
        posterior_of(three).expect(lambda dag: float("nan"))


def test_adjacency(posterior):
    p = posterior.adjacency_probabilities()
    assert p.loc["A", "C"] == p.loc["C", "A"]
    assert p.loc["A", "C"] == pytest.approx(exact(posterior, lambda dag: dag[0, 2] | dag[2, 0]))


def test_cpdag_probabilities():
    collider, fork = dag((0, 2), (1, 2), n=3), dag((0, 1), n=3)
    weighted = posterior_of(np.array([collider, fork]), log_weights=np.log([0.75, 0.25]))
    found = weighted.cpdag_probabilities().set_index(["a", "b"])
    assert list(found.index) == [("A", "C"), ("B", "C"), ("A", "B")]
    assert found.loc[("A", "C"), "directed"] == pytest.approx(0.75)
    assert found.loc[("A", "C"), ["reversed", "undirected"]].tolist() == [0, 0]
    assert found.loc[("A", "B"), "undirected"] == pytest.approx(0.25)
    assert (found.filter(like="std_error") > 0).all(axis=None)
    turned = replace(weighted, names=("C", "B", "A"), dags=weighted.dags[:, ::-1, ::-1])
    assert turned.cpdag_probabilities().reversed.max() == pytest.approx(0.75)


def test_cpdag_probabilities_of_all_dags(posterior):
    found = posterior.cpdag_probabilities().set_index(["a", "b"])
    adjacent_found = found[["directed", "reversed", "undirected"]].sum(axis=1)
    adjacent = posterior.adjacency_probabilities()
    assert adjacent_found.to_dict() == pytest.approx({ab: adjacent.loc[ab] for ab in found.index})
    assert (adjacent_found.diff().dropna() <= 1e-12).all()


# DAGs


def test_map_dag(posterior):
    best = posterior.map_dag()
    assert (best.index.name, best.columns.name) == ("parent", "child")
    expected = posterior.dags[np.argmax(posterior.log_target)]
    np.testing.assert_array_equal(best.to_numpy(), expected)
    assert best.to_numpy().dtype == bool


def test_top_dags_by_log_target(posterior):
    top = posterior.top_dags(3)
    order = np.argsort(-posterior.log_target)[:3]
    for ranked, i in zip(top, order, strict=True):
        np.testing.assert_array_equal(ranked.dag.to_numpy(), posterior.dags[i])
        assert ranked.probability == pytest.approx(posterior.weights[i])
        assert ranked.log_target == posterior.log_target[i]
        assert ranked.probability.std_error > 0
    pd.testing.assert_frame_equal(top[0].dag, posterior.map_dag())
    assert len(posterior.top_dags(10**6)) == 543
    with pytest.raises(OptionError, match="k: 1 or more"):
        posterior.top_dags(0)


def test_top_dags_are_different_ones():
    twice = np.array([dag((0, 1)), dag((1, 2)), dag((0, 1))])
    top = posterior_of(twice).top_dags(5)
    assert sorted(float(ranked.probability) for ranked in top) == pytest.approx([1 / 3, 2 / 3])


def test_consensus():
    some = np.array([dag((0, 1), (1, 2)), dag((0, 1), (2, 1)), dag((1, 0), (2, 1), (3, 0))])
    weighted = posterior_of(some)
    expected = dag((0, 1), (2, 1))
    np.testing.assert_array_equal(weighted.consensus().to_numpy(), expected)
    np.testing.assert_array_equal(weighted.consensus(0).to_numpy(), some.any(axis=0))
    assert not weighted.consensus(1).to_numpy().any()
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(OptionError, match="threshold"):
            weighted.consensus(threshold)


def test_consensus_may_have_a_cycle_and_never_of_two():
    round_trip = [dag((0, 1), (1, 2)), dag((1, 2), (2, 0)), dag((2, 0), (0, 1))]
    assert not is_acyclic(posterior_of(np.array(round_trip)).consensus().to_numpy())
    rng = np.random.default_rng(0)
    for _ in range(200):  # both directions in half the draws, to within rounding
        halves = np.array([dag((0, 1))] * 7 + [dag((1, 0))] * 7)
        log_weights = np.tile(rng.standard_normal(7), 2)
        kept = posterior_of(halves, log_weights=log_weights).consensus().to_numpy()
        assert not (kept & kept.T).any()


def test_to_networkx(posterior):
    graph = posterior.to_networkx(0.2)
    assert list(graph) == list(NAMES)
    assert set(graph.edges) == {
        (row.parent, row.child) for row in posterior.edges().itertuples() if row.probability > 0.2
    }
    for parent, child, told in graph.edges(data=True):
        assert told["probability"] == posterior.edge_probabilities().loc[parent, child]
        assert told["std_error"] == posterior.edge_errors().loc[parent, child]


@pytest.mark.filterwarnings("ignore")
def test_to_arviz(posterior):
    arviz = pytest.importorskip("arviz")
    chain = np.repeat([0, 1], [271, 272])
    found = replace(posterior, chain=chain, independent=False).to_arviz()
    assert found.posterior.edge.dims == ("chain", "draw", "parent", "child")
    assert found.posterior.edge.shape == (2, 271, 4, 4)
    second = found.posterior.edge.sel(chain=1, parent="A", child="B").to_numpy()
    np.testing.assert_array_equal(second, posterior.dags[271:542, 0, 1])
    stats = found.sample_stats
    np.testing.assert_array_equal(stats.log_target[0], posterior.log_target[:271])
    np.testing.assert_array_equal(stats.log_weight[0], posterior.log_weights[:271])
    assert arviz.ess(found).edge.shape == (4, 4)


def test_without_arviz_says_how_to_get_it(posterior, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(OptionError, match=r"pip install 'gpnet\[arviz\]'"):
        posterior.to_arviz()


# What is refused


def test_what_comes_in_is_kept_from_changes():
    dags = np.array([dag((0, 1)), dag((1, 2))])
    kept = posterior_of(dags)
    dags[:] = False
    assert kept.probability("A -> B") == 0.5
    for array in (kept.dags, kept.log_weights, kept.log_target, kept.chain, kept.weights):
        assert not array.flags.writeable
    assert not kept.local_scores.log_marginal.flags.writeable
    frame = kept.edge_probabilities()
    frame.loc["A", "B"] = 7.0
    assert kept.edge_probabilities().loc["A", "B"] == 0.5
    assert replace(kept).dags is kept.dags  # what is read-only needs no copy


def test_odd_names_and_copies():
    odd = enumerated(4, names=ODD_NAMES[1:])
    assert odd.edges().parent.isin(ODD_NAMES).all()
    assert set(odd.to_networkx(0)) == set(ODD_NAMES[1:])
    for twin in (copy.deepcopy(odd), pickle.loads(pickle.dumps(odd))):  # noqa: S301
        pd.testing.assert_frame_equal(twin.edges(), odd.edges())


def test_settings_are_held_as_a_file_would():
    held = posterior_of(all_dags(2), settings={"ladder": (1, 2)}, diagnosis={"k_hat": np.inf})
    assert held.settings == {"ladder": [1, 2]}
    assert np.isnan(held.diagnosis.k_hat)
    assert held.diagnosis.record() == {"k_hat": None}


FINE = np.array([dag((0, 1)), dag((1, 2))])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"names": ("A", "B", "C", "A")}, "names: 'A' more than once"),
        ({"names": "ABCD"}, "names: expected a text"),
        ({"names": ("A", "B", "C", 4)}, "names: expected a text"),
        ({"names": ("A", "B", "C")}, r"dags: expected the shape \(2, 3, 3\), found \(2, 4, 4\)"),
        ({"dags": FINE.astype(int)}, "dags: expected an array of bool, found int64"),
        ({"dags": FINE[0]}, "dags: expected the shape"),
        ({"log_weights": np.zeros(2)}, "log_weights: their weights must sum to 1"),
        ({"log_weights": np.array([0, -np.inf])}, "log_weights: expected finite numbers"),
        ({"log_weights": np.zeros(1)}, "dags: expected the shape"),
        ({"log_weights": 0.0}, "expected the shape"),
        ({"log_target": np.zeros(3)}, r"log_target: expected the shape \(2,\)"),
        ({"log_target": np.array([0, np.nan])}, "log_target: expected finite"),
        ({"chain": np.zeros(2)}, "chain: expected an array of int32"),
        ({"gammas": np.zeros(3)}, "gammas: expected the shape"),
        ({"independent": 1}, "independent: expected True or False"),
        ({"settings": {"a": {1, 2}}}, "settings: expected what JSON can hold"),
        ({"diagnosis": [1]}, "diagnosis: expected a mapping"),
        ({"local_scores": scores_of(local_scores(3))}, "local_scores.parents: expected the shape"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, words):
    with pytest.raises(OptionError, match=words):
        replace(posterior_of(FINE), **wrong)


def test_no_draw_at_all_is_refused():
    given = {
        name: getattr(posterior_of(FINE), name) for name in ("names", "local_scores", "independent")
    }
    nothing = np.empty(0)
    with pytest.raises(OptionError, match="one draw or more"):
        Posterior(
            dags=np.zeros((0, 4, 4), dtype=bool),
            log_weights=nothing,
            log_target=nothing,
            chain=np.empty(0, dtype=np.int32),
            **given,
        )


def test_every_set_needs_its_score():
    every = scores_of(local_scores(4))
    kept = ~((every.node == 2) & (every.parents == dag((1, 2))[:, 2]).all(axis=1))
    fewer = LocalScores(**{name: array[kept] for name, array in vars(every).items()})
    with pytest.raises(OptionError, match="none of 'C' given 'B', which is in draw 2"):
        posterior_of(FINE, local_scores=fewer)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"node": np.array([0, 3])}, "node: expected numbers from 0 to 2"),
        ({"parents": np.zeros(2, dtype=bool)}, "parents: expected the shape"),
        ({"log_marginal": np.zeros(3)}, "log_marginal: expected the shape"),
        ({"log_marginal": np.array([0, np.inf])}, "log_marginal: expected finite"),
        ({"std_error": np.array([0, -1])}, "std_error: expected numbers from 0"),
        ({"std_error": np.array([0, np.inf])}, "std_error: expected numbers from 0"),
        ({"linear": np.array([0.5, 1.5])}, "linear: expected probabilities"),
        ({"shaped": np.array([-0.5, 0.5])}, "shaped: expected probabilities"),
        ({"varying": np.array([0.5, 1.5])}, "varying: expected probabilities"),
        ({"varying": np.zeros(3)}, "varying: expected the shape"),
    ],
)
def test_local_scores_that_do_not_fit_are_refused(wrong, words):
    given = {"node": np.arange(2), "parents": np.zeros((2, 3), dtype=bool)}
    given |= {"log_marginal": np.zeros(2), "std_error": np.array([0.1, np.nan])}
    given |= dict.fromkeys(("linear", "shaped", "varying"), np.array([0.5, np.nan]))
    assert len(LocalScores(**given).node) == 2
    with pytest.raises(OptionError, match=words):
        LocalScores(**(given | wrong))


def test_places_of_many_variables():
    """More than eight, so that sets take several bytes, zeros at the end among them."""
    rng = np.random.default_rng(1)
    dags = np.triu(rng.random((50, 20, 20)) < 0.2, 1)
    node = np.repeat(np.arange(20), 50)
    parents = dags.transpose(2, 0, 1).reshape(1000, 20)
    parents, first = np.unique(np.column_stack([node, parents]), axis=0, return_index=True)
    scores = LocalScores(node[first], parents[:, 1:].astype(bool), *np.zeros((5, len(first))))
    places = scores.places(dags)
    for v in range(20):
        assert (scores.node[places[v]] == v).all()
        np.testing.assert_array_equal(scores.parents[places[v]], dags[:, :, v])


def test_cyclic_graphs_are_found():
    rng = np.random.default_rng(2)
    graphs = rng.random((300, 9, 9)) < 0.08
    cyclic = np.array([not is_acyclic(graph) for graph in graphs])
    assert 0 < cyclic.sum() < 300
    assert cyclic[find_cyclic(graphs)]
    assert find_cyclic(graphs[~cyclic]) is None
    assert find_cyclic(graphs[:0]) is None
    for k in np.flatnonzero(cyclic)[:20]:
        alone = np.concatenate([graphs[~cyclic], graphs[k : k + 1]])
        assert find_cyclic(alone) == len(alone) - 1


def test_relations_are_parent_sets_with_their_shares():
    posterior = posterior_of(FINE)
    relations = posterior.relations()
    kinds = {"nonlinear": 0.75, "noise_not_normal": 0.125, "noise_varies": 0.375}
    assert list(relations.columns) == ["child", "parents", "probability", *kinds]
    assert (relations[[*kinds]] == list(kinds.values())).all(axis=None)
    for child, parents, probability, *_ in relations.itertuples(index=False):
        inside = ", ".join(parents)
        asked = posterior.probability(f"parents({child}) = {{{inside}}}")
        assert probability == pytest.approx(float(asked))
    assert all(relations["parents"])
