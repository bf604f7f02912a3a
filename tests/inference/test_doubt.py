"""Doubt about directions: by enumeration, on a table whose every number is known."""

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet.common.errors import OptionError
from gpnet.graphs.equivalence import cpdag
from gpnet.inference.doubt import (
    ON_MISFIT,
    THROUGHOUT,
    DoubtLevels,
    edges_at,
    exchange,
    levels_of,
    with_doubt,
)
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable
from tests.posteriors import checks_of, enumerated, local_scores

N = 4


def table_of(n, forbidden=()):
    """The scores behind `enumerated`; -inf for edges that are forbidden."""
    scores = local_scores(n)
    others = tuple(tuple(v for v in range(n) if v != node) for node in range(n))
    space = SearchSpace(others, max_parents=n - 1)
    log_marginals, log_priors = [], []
    for node in range(n):
        sets = list(space.all_parent_sets(node))
        log_marginals.append(np.array([scores[node, sum(1 << j for j in s)] for s in sets]))
        wrong = [any((j, node) in forbidden for j in s) for s in sets]
        log_priors.append(np.where(wrong, -np.inf, 0.0))
    return ScoreTable.assemble([str(v) for v in range(n)], space, log_marginals, log_priors)


def within_classes(posterior):
    """(n, n): edge probabilities if each DAG is exchanged for a uniform one of its class."""
    graphs = cpdag(posterior.dags)
    keys = [graph.tobytes() for graph in graphs]
    mean = {key: posterior.dags[[other == key for other in keys]].mean(axis=0) for key in set(keys)}
    each = np.array([mean[key] for key in keys])
    return np.tensordot(posterior.weights, each, 1)


@pytest.mark.parametrize("level", [0.05, 0.5, 1.0])
def test_edges_are_a_mixture_with_those_of_classes(level):
    plain = enumerated(N)
    found = with_doubt(plain, table_of(N), DoubtLevels(level), seed=0)
    expected = (1 - level) * plain.edge_probabilities() + level * within_classes(plain)
    # The heaviest DAGs are exchanged one by one, a few stand for all others.
    np.testing.assert_allclose(found.edge_probabilities(), expected, atol=0.06 * level + 1e-9)
    both = [one.adjacency_probabilities().to_numpy() for one in (found, plain)]
    np.testing.assert_allclose(*both, atol=0.06 * level + 1e-9)
    # The control: directions do change.
    if level == 1:
        assert np.abs(found.edge_probabilities() - plain.edge_probabilities()).max().max() > 0.05


def test_classes_keep_their_probabilities():
    plain = enumerated(3)
    found = with_doubt(plain, table_of(3), DoubtLevels(0.5), seed=0)
    columns = ["directed", "reversed", "undirected"]
    before, after = (
        one.cpdag_probabilities().set_index(["a", "b"])[columns].sort_index()
        for one in (plain, found)
    )
    pd.testing.assert_frame_equal(before, after, atol=0.04)


def test_it_can_be_taken_off_again():
    plain = enumerated(3)
    found = with_doubt(plain, table_of(3), DoubtLevels(0.3), seed=0)
    again = found.without_doubt()
    np.testing.assert_array_equal(again.dags, plain.dags)
    np.testing.assert_array_equal(again.log_weights, plain.log_weights)
    assert again.without_doubt() is again
    assert (again.edge_probabilities() == plain.edge_probabilities()).all().all()


def test_it_is_saved(tmp_path):
    found = with_doubt(enumerated(3), table_of(3), DoubtLevels(0.3), seed=0)
    again = gpnet.load(found.save(tmp_path / "one.npz"))
    np.testing.assert_array_equal(again.plain_log_weights, found.plain_log_weights)
    assert again.without_doubt().n_draws == found.without_doubt().n_draws < found.n_draws


def test_only_edges_of_variables_that_do_not_fit_are_turned():
    """Of a chain 0 - 1 - 2 - 3 in all directions of one class, where 3 does not fit."""
    n = 4
    dag = np.eye(n, k=1, dtype=bool)
    turned = exchange(
        dag[None], np.ones(1), edges_at([3], n), lambda *_: True, np.random.default_rng(0)
    )
    # 0 -> 1 -> 2 stay, and 3 -> 2 would be a v-structure: nothing may turn.
    np.testing.assert_array_equal(turned.dags, dag[None])
    turned = exchange(
        dag[None], np.ones(1), edges_at([0], n), lambda *_: True, np.random.default_rng(0)
    )
    assert {tuple(map(tuple, np.argwhere(one).tolist())) for one in turned.dags} == {
        ((0, 1), (1, 2), (2, 3)),
        ((1, 0), (1, 2), (2, 3)),
    }


def test_misfit_raises_doubt():
    parents = np.zeros((3, 3), dtype=bool)
    parents[1, 0] = True
    p = np.array([np.nan, 0.001, np.nan])
    levels = DoubtLevels(0.1, 0.5)
    plain = enumerated(3)
    fits, does_not = (
        with_doubt(
            gpnet.Posterior(**{**vars_of(plain), "checks": checks_of(parents, parent_p=values)}),
            table_of(3),
            levels,
            seed=0,
        )
        for values in (np.full(3, np.nan), p)
    )
    lost = [
        np.abs(one.edge_probabilities() - plain.edge_probabilities()).to_numpy().max()
        for one in (fits, does_not)
    ]
    assert lost[1] > 2 * lost[0]


def vars_of(posterior):
    return {name: getattr(posterior, name) for name in posterior.__dataclass_fields__}


def test_knowledge_is_kept():
    table = table_of(3, forbidden={(0, 1)})
    plain = enumerated(3)
    kept = ~plain.dags[:, 0, 1]
    log_weights = plain.log_weights[kept] - np.logaddexp.reduce(plain.log_weights[kept])
    known = gpnet.Posterior(
        **{
            **vars_of(plain),
            "dags": plain.dags[kept],
            "log_weights": log_weights,
            "log_target": plain.log_target[kept],
            "chain": plain.chain[kept],
        }
    )
    found = with_doubt(known, table, DoubtLevels(1.0), seed=0)
    assert found.edge_probabilities().iloc[0, 1] < 1e-9


def test_same_seed_same_numbers():
    one, two, other = (
        with_doubt(enumerated(N), table_of(N), DoubtLevels(0.5), seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.log_weights, two.log_weights)
    np.testing.assert_array_equal(one.dags, two.dags)
    same_size = one.n_draws == other.n_draws
    assert not same_size or (one.dags != other.dags).any()  # the control


# Options


def test_levels():
    assert levels_of("auto", calibrated=True) == DoubtLevels(THROUGHOUT, ON_MISFIT)
    assert not levels_of("auto", calibrated=False).any
    assert not levels_of("off", calibrated=True).any
    assert levels_of(0.3, calibrated=False) == DoubtLevels(0.3)
    for wrong in ("much", 1.5, -0.1):
        with pytest.raises(OptionError, match="doubt"):
            levels_of(wrong, calibrated=True)


def pair(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": np.tanh(2 * x) + 0.3 * rng.normal(size=n)})


def test_a_sure_direction_is_given_at_most_what_is_told():
    found = gpnet.learn(pair(), draws=500)
    plain = found.without_doubt()
    assert plain.probability("x -> y") > 0.99
    assert found.diagnosis.model_fits
    assert found.diagnosis.misfitting == ()
    assert float(found.probability("x -> y")) == pytest.approx(
        float(plain.probability("x -> y")) - THROUGHOUT / 2, abs=0.01
    )
    assert f"{1 - THROUGHOUT / 2:.3g}" in found.diagnosis.doubt
    for off in (gpnet.learn(pair(), draws=500, doubt="off"), gpnet.learn(pair(), score="gp")):
        assert off.plain_log_weights is None
        assert "no doubt" in off.diagnosis.doubt


def test_residuals_that_depend_on_a_parent_are_seen():
    """y is one of two curves of x, by chance: no smooth function with noise is like that."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    branch = rng.choice([-1, 1], size=300)
    table = pd.DataFrame({"x": x, "y": branch * x + 0.05 * rng.normal(size=300)})
    found = gpnet.learn(table, draws=500, require=["x -> y"])
    assert found.diagnosis.misfitting == ("y",)
    assert "'y' does not fit the model" in found.diagnosis.model_verdict
    assert found.diagnosis.doubt_on_misfit == ON_MISFIT


def test_a_hidden_common_cause_is_hinted_at():
    rng = np.random.default_rng(4)
    hidden = rng.normal(size=400)
    a, b = rng.normal(size=(2, 400))
    table = pd.DataFrame(
        {"a": a, "b": b, "c": a + hidden + 0.3 * rng.normal(size=400), "d": b + hidden}
    )
    found = gpnet.learn(table, draws=500, forbid=["c -> d", "d -> c"])
    assert "'c' and 'd'" in found.diagnosis.model_verdict
    assert "common cause" in found.diagnosis.model_verdict
