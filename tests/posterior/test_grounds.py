"""What tells a direction, against classes of equivalent DAGs found one by one."""

from itertools import combinations

import numpy as np
import pytest

from gpnet.graphs.enumeration import all_dags
from gpnet.posterior.edge_table import cells
from gpnet.posterior.likely_edges import LINE, OPEN, SOLID, likely_edges
from tests.posteriors import enumerated, posterior_of


def one(*edges, n=3, **others):
    """All weight on one DAG, by numbers of its edges."""
    dag = np.zeros((1, n, n), dtype=bool)
    dag[0, [a for a, _ in edges], [b for _, b in edges]] = True
    return posterior_of(dag, **others)


def grounds_of(posterior):
    return {(e.parent, e.child): e.grounds for e in posterior.edges().itertuples()}


def pairs(n, *known):
    found = np.zeros((n, n), dtype=bool)
    for a, b in known:
        found[a, b] = found[b, a] = True
    return found


def equivalent(dag, others):
    """Those of the same adjacencies and v-structures (Verma & Pearl 1990)."""

    def key(one):
        apart = ~(one | one.T)
        structures = {
            (i, k, j)
            for k in range(len(one))
            for i, j in combinations(np.flatnonzero(one[:, k]).tolist(), 2)
            if apart[i, j]
        }
        return (one | one.T).tobytes(), frozenset(structures)

    wanted = key(dag)
    return np.array([one for one in others if key(one) == wanted])


@pytest.mark.parametrize("n", [3, 4])
def test_independences_tell_what_all_equivalent_dags_share(n):
    every = all_dags(n)
    for dag in every[:: 1 if n == 3 else 7]:
        shared = equivalent(dag, every).all(axis=0)
        found = posterior_of(dag[None])._grounds
        for a, b in np.argwhere(dag).tolist():
            expected = "independences" if shared[a, b] else "shape"
            assert found[a, b] == found[b, a] == expected


def test_of_many_dags_the_larger_share_decides():
    posterior = enumerated(3)
    every, weights = posterior.dags, posterior.weights
    shared = np.array([equivalent(dag, every).all(axis=0) for dag in every])
    told = np.tensordot(weights, shared, 1)
    adjacent = np.tensordot(weights, every, 1)
    share = (told + told.T) / np.where(np.eye(3), 1, adjacent + adjacent.T)
    for (a, b), grounds in grounds_of(posterior).items():
        i, j = posterior.names.index(a), posterior.names.index(b)
        assert grounds == ("independences" if share[i, j] > 0.5 else "shape")


def test_a_collider_is_told_by_independences_and_a_chain_by_nothing_but_shape():
    assert set(grounds_of(one((0, 2), (1, 2))).values()) == {"independences"}
    assert set(grounds_of(one((0, 1), (1, 2))).values()) == {"shape"}


def test_knowledge_comes_before_the_model():
    known = one((0, 2), (1, 2), identified=pairs(3, (0, 2)))
    assert grounds_of(known) == {("A", "C"): "knowledge", ("B", "C"): "independences"}


def test_what_follows_from_knowledge_and_independences_is_told_by_the_latter():
    chain = (0, 1), (1, 2)
    assert grounds_of(one(*chain, identified=pairs(3, (0, 1)))) == {
        ("A", "B"): "knowledge",
        ("B", "C"): "independences",
    }
    apart = grounds_of(one(*chain, identified=pairs(3, (0, 2))))  # of two that are not adjacent
    assert set(apart.values()) == {"shape"}


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([["A"]], "experiment"),
        ([["A", "B"]], "knowledge"),  # both at once tell nothing of their edge
        ([["A", "B"], ["B"]], "experiment"),
        ([["C"]], "knowledge"),
    ],
)
def test_an_experiment_sets_one_of_the_two(targets, expected):
    patterns = [{"targets": names, "rows": 5} for names in targets]
    given = {"settings": {"data": {"interventions": patterns}}}
    found = grounds_of(one((0, 1), identified=pairs(3, (0, 1)), **given))
    assert found == {("A", "B"): expected}


def test_an_experiment_that_identifies_nothing_is_no_ground():
    given = {"settings": {"data": {"interventions": [{"targets": ["A"], "rows": 5}]}}}
    assert grounds_of(one((0, 1), **given)) == {("A", "B"): "shape"}


def re_oriented(**others):
    """A -> C <- B, and with probability 0.6 along an order or its reverse."""
    dags = np.zeros((3, 3, 3), dtype=bool)
    dags[0, [0, 1], 2] = True
    dags[1, [0, 2], [2, 1]] = True
    dags[2] = dags[1].T
    weights = np.log([0.4, 0.3, 0.3])
    return posterior_of(dags, log_weights=weights, plain_log_weights=np.zeros(1), **others)


def test_open_directions_are_no_grounds():
    found = re_oriented().edges().set_index(["parent", "child"])
    assert set(found["grounds"]) == {"independences"}
    into = found.loc[("A", "C")]
    assert into["probability"] == pytest.approx(0.7)
    assert into["adjacent"] == pytest.approx(1)
    assert into["direction"] == pytest.approx(0.7)
    assert into["if_model_holds"] == pytest.approx(1)
    assert found.loc[("C", "A")]["if_model_holds"] == 0


# Signs


def signs(posterior):
    return {(edge.parent, edge.child): edge.sign for edge in likely_edges(posterior, least=0.05)}


def test_solid_where_identified_open_where_the_model_prefers():
    assert signs(re_oriented()) == {(0, 2): OPEN, (1, 2): OPEN}
    known = re_oriented(identified=pairs(3, (0, 2)))
    assert signs(known) == {(0, 2): SOLID, (1, 2): OPEN}


@pytest.mark.parametrize("known", [(), ((0, 1),)])
@pytest.mark.parametrize(("share", "arrow"), [(0.5, False), (0.7, False), (0.8, True)])
def test_a_line_where_either_way_may_be_right(share, arrow, known):
    dags = np.zeros((2, 3, 3), dtype=bool)
    dags[0, 0, 1] = dags[1, 1, 0] = True
    found = posterior_of(dags, log_weights=np.log([share, 1 - share]), identified=pairs(3, *known))
    assert signs(found) == {(0, 1): LINE if not arrow else SOLID if known else OPEN}


def test_where_all_is_left_open_the_model_says_which_end_comes_first():
    dags = np.zeros((2, 3, 3), dtype=bool)
    dags[0, 1, 0] = dags[1, 0, 1] = True
    half = posterior_of(dags, log_weights=np.log([0.5, 0.5]), plain_log_weights=np.zeros(1))
    (edge,) = likely_edges(half, least=0.05)
    assert cells(edge, half.names)[:5] == ("B ⇢ A", "1.00", "0.50", "0.50 ± 0.24", "1.00")


def test_text_page_and_frame_say_the_same():
    posterior = re_oriented(identified=pairs(3, (0, 2)))
    text, page = str(posterior.summary()), posterior._repr_html_()
    for sentence in ("A → C", "B ⇢ C", "knowledge", "independences", "if model holds"):
        assert sentence in text
        assert sentence in page
    (first, _, _), columns = text.splitlines()[:3], posterior.edges().columns
    assert first.split()[:4] == ["edge", "adjacent", "direction", "probability"]
    assert columns.tolist() == [
        "parent",
        "child",
        "probability",
        "std_error",
        "adjacent",
        "direction",
        "if_model_holds",
        "grounds",
    ]
    record = posterior.summary()["edges"]
    assert [edge["grounds"] for edge in record] == posterior.edges()["grounds"].tolist()
