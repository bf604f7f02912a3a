"""The bagged posterior against all DAGs under all replicates, one by one."""

import numpy as np
import pytest
from scipy.special import softmax

import gpnet
from gpnet import load_table
from gpnet.graphs.enumeration import all_dags
from gpnet.inference.bag import _Bag
from gpnet.inference.row_weights import row_weights
from gpnet.runtime.deadline import Deadline
from gpnet.scores import BgeScore, LinearScore

N, DRAWS, REPLICATES, PENALTY = 4, 8000, 20, 2.0
DAGS = all_dags(N)
QUICK = {"prior": f"edges:{PENALTY}", "doubt": "off", "curves": False, "progress": False}
SCORES = {"bge": BgeScore(), "linear": LinearScore()}


def table(n_rows=60, seed=0):
    """Weak relations, so that replicates differ."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.standard_normal((N, n_rows))
    b, d = b + 0.4 * a, d + 0.35 * a + 0.35 * c
    return load_table(np.column_stack([a, b, c, d]), names=list("abcd"))


def exact_posteriors(data, score, changes):
    """(B, n, n): edge probabilities of each replicate, [parent, child]."""
    log_p = np.repeat(-PENALTY * DAGS.sum(axis=(1, 2))[None], len(changes), axis=0)
    for node in range(N):
        sets, place = np.unique(DAGS[:, :, node], axis=0, return_inverse=True)
        for code, row in enumerate(sets):
            parents = tuple(np.flatnonzero(row).tolist())
            rows = score.pointwise(data, node, parents, {})
            values = score.log_marginal(data, node, parents).value + changes @ rows
            log_p[:, place == code] += values[:, None]
    return np.tensordot(softmax(log_p, axis=1), DAGS, 1)


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


@pytest.mark.parametrize("name", SCORES)
def test_it_is_the_mean_over_the_replicates(name):
    """The draws err by chance; three standard errors of 24 numbers: 6% of seeds would fail."""
    data, score = table(), SCORES[name]
    weights = row_weights(data, REPLICATES, 0)
    changes = weights.changes[:, weights.unit]
    one, all_of = (
        exact_posteriors(data, score, np.zeros((1, 60)))[0],
        exact_posteriors(data, score, changes),
    )
    bagged = gpnet.learn(data, score=name, bag=REPLICATES, draws=DRAWS, transform="none", **QUICK)
    found, exact = bagged.edge_probabilities().to_numpy(), all_of.mean(axis=0)
    chance = np.sqrt((all_of * (1 - all_of)).mean(axis=0) / DRAWS + DRAWS**-2.0)
    assert (off_diagonal(np.abs(found - exact) / chance) < 3).all()
    assert np.abs(exact - one).max() > 10 * chance.max()  # the control: bagging matters here
    assert bagged.diagnosis.replicates == REPLICATES


def test_errors_hold_what_other_replicates_would_change():
    """Forty replicates at a time, of other weights with each seed."""
    data = table()
    runs = [
        gpnet.learn(data, score="bge", bag=40, draws=1000, seed=seed, **QUICK) for seed in range(40)
    ]
    edges = np.array([off_diagonal(run.edge_probabilities().to_numpy()) for run in runs])
    errors = np.array([off_diagonal(run.edge_errors().to_numpy()) for run in runs])
    seen = edges.mean(axis=0) > 0.02
    ratio = edges.std(axis=0)[seen] / np.sqrt((errors**2).mean(axis=0))[seen]
    assert seen.sum() >= 6
    assert 0.7 < np.median(ratio) < 1.3  # of 40 runs: a standard error of 0.11
    far = np.abs(edges - edges.mean(axis=0)) / errors > 3
    assert far[:, seen].mean() < 0.03  # of a t distribution of 19 degrees of freedom: 0.007


def test_numbers_do_not_depend_on_workers_or_on_what_a_store_holds(tmp_path):
    data = table(seed=3)
    options = {"bag": 6, "draws": 300, **QUICK}
    alone = gpnet.learn(data, workers=1, **options)
    store = tmp_path / "scores.sqlite"
    for _ in range(2):
        other = gpnet.learn(data, workers=3, store=store, **options)
        np.testing.assert_array_equal(other.dags, alone.dags)
        np.testing.assert_array_equal(other.log_weights, alone.log_weights)


def test_a_clear_table_pays_next_to_nothing():
    rng = np.random.default_rng(1)
    x, z = rng.standard_normal((2, 1000))
    data = load_table(np.column_stack([x, z, np.tanh(2 * x) + z + 0.3 * rng.standard_normal()]))
    bagged, plain = (gpnet.learn(data, bag=some, draws=500, **QUICK) for some in (10, "off"))
    change = bagged.edge_probabilities() - plain.edge_probabilities()
    assert np.abs(change.to_numpy()).max() < 0.04


def test_one_row_less_or_noise_in_the_last_digits_moves_little():
    """The control: other weights of all rows move more."""
    data = table(seed=5)
    options = {"score": "bge", "bag": 20, "draws": 4000, "transform": "none", **QUICK}

    def edges(values, seed=0):
        found = gpnet.learn(load_table(values, names=list("abcd")), seed=seed, **options)
        return found.edge_probabilities().to_numpy()

    whole, values = edges(data.values), data.values
    noise = 1e-6 * np.random.default_rng(0).standard_normal(values.shape)
    by_noise = np.abs(edges(values + noise) - whole).max()
    by_row = np.abs(edges(np.delete(values, 7, axis=0)) - whole).max()
    assert by_noise < 0.02
    assert by_row < 0.1
    assert np.abs(edges(values, seed=1) - whole).max() > by_noise


def test_replicates_that_there_was_no_time_for_are_counted(monkeypatch):
    """The time ends while the fifth replicate is drawn from."""
    drawn = []
    of_one = _Bag._draw_one

    def counted(self, *arguments):
        drawn.append(arguments)
        return of_one(self, *arguments)

    monkeypatch.setattr(_Bag, "_draw_one", counted)

    monkeypatch.setattr(Deadline, "passed", property(lambda self: len(drawn) > 4))
    found = gpnet.learn(table(), score="bge", draws=200, bag=20, workers=1, **QUICK)
    assert found.diagnosis.replicates == 4
    assert found.n_draws == 4 * 10
    assert any("after 4 of 20 replicates of the table (bag)" in n for n in found.diagnosis.notes)
