"""Directions that are left open: what doubt makes of a posterior, exactly."""

from itertools import permutations

import numpy as np
import pytest

from gpnet import OptionError
from gpnet.graphs.dag import is_acyclic
from gpnet.graphs.distinct import distinct
from gpnet.inference.orientation import (
    KAPPA,
    N_VERSIONS,
    kappa_of,
    reoriented,
    with_open_directions,
)
from tests.posteriors import enumerated, posterior_of, thinned


def edges(posterior):
    return posterior.edge_probabilities().to_numpy()


def identified(n, *pairs):
    """[parent, child]: what an experiment or knowledge tells."""
    found = np.zeros((n, n), dtype=bool)
    for a, b in pairs:
        found[a, b] = found[b, a] = True
    return found


@pytest.mark.parametrize("kappa", [0.1, KAPPA, 1.0])
def test_edges_are_as_the_formula_says_to_the_last_digit(kappa):
    plain = enumerated(4)
    doubted = with_open_directions(plain, kappa, seed=0)
    p = edges(plain)
    np.testing.assert_allclose(edges(doubted), (1 - kappa) * p + kappa / 2 * (p + p.T), atol=1e-12)
    np.testing.assert_allclose(edges(doubted.without_doubt()), p, atol=1e-12)


def test_no_doubt_is_the_posterior_itself():
    plain = enumerated(3)
    assert with_open_directions(plain, 0.0, seed=0) is plain


def test_every_version_is_acyclic_and_keeps_adjacencies():
    dags = thinned(12, n_draws=60, edge_probability=0.4).dags
    for turned in reoriented(dags, None, np.random.default_rng(0)):
        assert all(is_acyclic(dag) for dag in turned)
        np.testing.assert_array_equal(turned | turned.swapaxes(1, 2), dags | dags.swapaxes(1, 2))


def test_an_order_and_its_reverse_turn_every_edge_both_ways():
    dags = thinned(9, n_draws=40, edge_probability=0.5).dags
    one, other = reoriented(dags, None, np.random.default_rng(1))
    np.testing.assert_array_equal(one.swapaxes(1, 2), other)


def test_identified_directions_stay():
    plain = enumerated(4)
    kept = identified(4, (0, 1), (1, 3))
    dags = plain.dags
    for turned in reoriented(dags, kept, np.random.default_rng(2)):
        assert all(is_acyclic(dag) for dag in turned)
        np.testing.assert_array_equal(turned & kept, dags & kept)
        assert (turned != dags).any()  # the control: others do turn
    doubted = with_open_directions(posterior_of(dags, identified=kept), KAPPA, seed=3)
    p, q = edges(posterior_of(dags)), edges(doubted)
    np.testing.assert_allclose(q[kept], p[kept], atol=1e-12)


def test_what_is_known_of_others_leaves_the_formula_as_it_is():
    """As tiers know the direction of all pairs between them, but of none within."""
    tier = np.arange(4) // 2
    whole = enumerated(4)
    agree = ~whole.dags[:, tier[:, None] > tier].any(axis=1)
    between = tier[:, None] != tier
    weights = whole.log_weights[agree]
    plain = posterior_of(whole.dags[agree], log_weights=weights, identified=between)
    doubted = with_open_directions(plain, KAPPA, seed=0)
    p = edges(plain)
    expected = np.where(between, p, (1 - KAPPA) * p + KAPPA / 2 * (p + p.T))
    np.testing.assert_allclose(edges(doubted), expected, atol=1e-12)
    assert np.abs(expected - p)[~between].max() > 0.1


def test_paths_through_identified_edges_hold_the_rest():
    """With 0 -> 1 and 1 -> 2 known, the edge between 0 and 2 has one direction left."""
    dag = np.zeros((1, 3, 3), dtype=bool)
    dag[0, [0, 1, 0], [1, 2, 2]] = True
    known = identified(3, (0, 1), (1, 2))
    for turned in reoriented(np.repeat(dag, 50, axis=0), known, np.random.default_rng(3)):
        np.testing.assert_array_equal(turned, np.repeat(dag, 50, axis=0))


def test_same_seed_same_versions():
    plain = thinned(6)
    first, again, other = (with_open_directions(plain, KAPPA, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.dags, again.dags)
    assert (first.dags != other.dags).any()
    np.testing.assert_allclose(edges(first), edges(other), atol=1e-12)  # without chance


def test_each_draw_brings_all_it_has_to_its_versions():
    plain = thinned(6, gammas=np.arange(200.0), chain=np.arange(200, dtype=np.int32) % 4)
    doubted = with_open_directions(plain, KAPPA, seed=0)
    assert doubted.n_draws == N_VERSIONS * plain.n_draws
    for name in ("gammas", "chain", "log_target"):
        versions = getattr(doubted, name).reshape(N_VERSIONS, -1)
        np.testing.assert_array_equal(versions, [getattr(plain, name)] * N_VERSIONS)
    shares = doubted.weights.reshape(N_VERSIONS, -1).sum(axis=1)
    assert shares == pytest.approx([1 - KAPPA, KAPPA / 2, KAPPA / 2])


def test_parent_sets_that_nobody_scored_have_no_score():
    plain = thinned(6)
    doubted = with_open_directions(plain, KAPPA, seed=0)
    before, scores = plain.local_scores, doubted.local_scores
    n_known = len(before.node)
    np.testing.assert_array_equal(scores.parents[:n_known], before.parents)
    np.testing.assert_array_equal(scores.log_marginal[:n_known], before.log_marginal)
    new = [getattr(scores, name)[n_known:] for name in ("log_marginal", "std_error", "linear")]
    assert len(new[0]) > 0
    assert np.isnan(new).all()
    assert (scores.places(doubted.dags) >= 0).all()
    keys = np.column_stack([scores.node, scores.parents])
    assert len(np.unique(keys, axis=0)) == len(keys)


# Errors


def test_errors_of_edges_are_those_of_the_draws():
    """Turning edges brings no chance of its own to them, as versions are no draws."""
    plain = drawn(300, np.random.default_rng(0))
    doubted = with_open_directions(plain, KAPPA, seed=0)
    adjacent = plain.probability("A -- B")
    assert 0.8 < adjacent < 0.9
    assert doubted.probability("A -- B").std_error == pytest.approx(adjacent.std_error, rel=1e-6)
    whole = with_open_directions(plain, 1.0, seed=0).probability("A -> B").std_error
    assert whole == pytest.approx(adjacent.std_error / 2, rel=0.1)  # and 1 / draws


def drawn(n_draws, rng):
    """Independent draws of the enumerated posterior."""
    whole = enumerated(3)
    return posterior_of(whole.dags[rng.choice(whole.n_draws, n_draws, p=whole.weights)])


def weighing_what_they_score(n_draws, rng):
    """The same, and each DAG once more, so that none was missed; weights are exact."""
    dags = np.concatenate([drawn(n_draws, rng).dags, enumerated(3).dags])
    _, place = distinct(dags)
    made = posterior_of(dags)
    log_weights = made.log_target - np.log(np.bincount(place)[place])
    return posterior_of(dags, log_weights=log_weights, missing_mass=1e-4)


FEATURES = ("A -> B", "A ~> B", "C ~> B and C -- A")


def exact(kappa):
    """Of FEATURES: the average over all orders of the nodes."""
    whole = enumerated(3)
    adjacent = whole.dags | whole.dags.swapaxes(1, 2)
    orders = np.array(list(permutations(range(3))))
    turned = [adjacent & (place[:, None] < place[None, :]) for place in orders]
    parts = [(1 - kappa, whole.dags), *((kappa / len(orders), dags) for dags in turned)]
    found = [
        sum(
            share * float(posterior_of(dags, log_weights=whole.log_weights).probability(feature))
            for share, dags in parts
        )
        for feature in FEATURES
    ]
    return np.array(found)


def z_of(made, n_replicates, kappa):
    """(n_replicates, 3): how many standard errors each of FEATURES is off."""
    truth, z = exact(kappa), []
    for seed in range(n_replicates):
        doubted = with_open_directions(made(np.random.default_rng(seed)), kappa, seed=seed)
        found = [doubted.probability(feature) for feature in FEATURES]
        z.append((np.array(found) - truth) / [p.std_error for p in found])
    return np.array(z)


@pytest.mark.parametrize("kappa", [KAPPA, 1.0])
def test_errors_are_honest(kappa):
    """The rms of z of 300 replicates is off by 0.2 in fewer than one of 10^5 runs."""
    z = z_of(lambda rng: drawn(300, rng), 300, kappa)
    rms = np.sqrt(np.mean(z**2, axis=0))
    assert ((rms > 0.8) & (rms < 1.25)).all()


def test_errors_are_honest_where_dags_weigh_what_they_score():
    """Then nothing is left to chance but the orders along which edges are turned."""
    z = z_of(lambda rng: weighing_what_they_score(2000, rng), 200, KAPPA)
    rms = np.sqrt(np.mean(z**2, axis=0))
    assert rms[0] < 0.01  # of an edge there is none
    assert ((rms[1:] > 0.8) & (rms[1:] < 1.25)).all()


def test_errors_of_numbers_have_the_chance_of_the_orders_too():
    """The mean of any number of a DAG, as of an event."""
    plain = weighing_what_they_score(2000, np.random.default_rng(0))

    def n_descendants(dag):
        return float((dag | (dag.astype(int) @ dag > 0))[0].sum())

    found = [with_open_directions(plain, KAPPA, s).expect(n_descendants) for s in range(100)]
    sd = np.std([float(one) for one in found])
    assert 0.7 < np.mean([one.std_error for one in found]) / sd < 1.4
    assert sd > 5 * plain.expect(n_descendants).std_error  # the control


def test_what_may_be_asked_for():
    assert kappa_of("auto", fitted=True) == KAPPA
    assert kappa_of("auto", fitted=False) == kappa_of("off", fitted=True) == 0
    assert kappa_of(0.3, fitted=False) == 0.3
    for bad in ("some", 1.5, -0.1, float("nan")):
        with pytest.raises(OptionError, match=r"^doubt: expected 'auto', 'off' or a probability"):
            kappa_of(bad, fitted=True)
