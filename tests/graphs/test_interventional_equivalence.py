"""Equivalence under experiments, by enumeration of all DAGs of up to four nodes."""

from itertools import chain, combinations

import numpy as np
import pytest

from gpnet import Dataset
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.equivalence import cpdag, identified_by
from gpnet.scores import BgeScore

FAMILIES = {
    "one target": [{0}],
    "two targets": [{0}, {1}],
    "both at once": [{0, 1}],
    "each alone": [{0}, {1}, {2}],
    "overlapping": [{0, 1}, {1, 2}],
}


def rows_of(family, n, each=1):
    """(N, n): nothing set first, then each set of targets."""
    were_set = np.zeros(((1 + len(family)) * each, n), dtype=bool)
    for k, targets in enumerate(family, start=1):
        were_set[k * each : (k + 1) * each, list(targets)] = True
    return were_set


def signature(dag, family):
    """Hauser & Buehlmann (2012), theorem 10: skeletons, also under each target, v-structures."""
    apart = ~(dag | dag.T)
    n = len(dag)
    structures = {
        (i, k, j)
        for k in range(n)
        for i, j in combinations(np.flatnonzero(dag[:, k]).tolist(), 2)
        if apart[i, j]
    }
    skeletons = []
    for targets in [set(), *family]:
        cut = dag.copy()
        cut[:, list(targets)] = False
        skeletons.append((cut | cut.T).tobytes())
    return frozenset(structures), tuple(skeletons)


def classes_by(keys):
    places = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return sorted(places.values())


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_one_graph_for_each_class(n, family):
    dags = np.array(list(all_dags(n)))
    graphs = cpdag(dags, identified_by(rows_of(family, n)))
    found = classes_by([graph.tobytes() for graph in graphs])
    expected = classes_by([signature(dag, family) for dag in dags])
    assert found == expected
    for members in expected:
        union = dags[members].any(axis=0)
        np.testing.assert_array_equal(graphs[members[0]], union)


def test_without_experiments_classes_are_larger():
    """The negative control."""
    dags = np.array(list(all_dags(3)))
    n_classes = {
        name: len(np.unique(cpdag(dags, identified_by(rows_of(family, 3))), axis=0))
        for name, family in FAMILIES.items()
    }
    assert len(np.unique(cpdag(dags), axis=0)) == 11
    assert n_classes["each alone"] == len(dags) == 25
    assert 11 < n_classes["one target"] < n_classes["two targets"]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_class_is_what_an_equivalent_score_cannot_tell_apart(family):
    n, each = 3, 25
    rng = np.random.default_rng(1)
    were_set = rows_of(family, n, each)
    values = rng.normal(size=were_set.shape) @ rng.normal(size=(n, n))
    data = Dataset(values, ["a", "b", "c"], "none", interventions=were_set)
    score, dags = BgeScore(), np.array(list(all_dags(n)))
    totals = [
        sum(score.log_marginal(data, v, tuple(np.flatnonzero(dag[:, v]))).value for v in range(n))
        for dag in dags
    ]
    by_score = classes_by([round(total, 6) for total in totals])
    by_graph = classes_by([g.tobytes() for g in cpdag(dags, identified_by(were_set))])
    assert by_score == by_graph


def test_pairs_are_identified_where_one_of_both_was_set():
    were_set = np.zeros((3, 4), dtype=bool)
    were_set[1, [0, 1]] = True
    found = identified_by(were_set)
    pairs = set(map(tuple, np.argwhere(np.triu(found)).tolist()))
    assert pairs == set(chain([(0, 2), (0, 3)], [(1, 2), (1, 3)]))
