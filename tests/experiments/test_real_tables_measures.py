"""Measures of the court, by hand; and kappa, fitted to directions of known quality."""

import numpy as np
import pandas as pd
import pytest
from experiments import edges
from experiments.real_tables import kappa, known, measures
from experiments.real_tables.measures import Ordered


def row(p, view="whole", name="t", tiers="0 1 1", weight=1.0, errors=0.1):
    p = np.array(p, dtype=float)
    return {
        "name": name,
        "view": view,
        "tiers": tiers,
        "weight": weight,
        "probabilities": edges.write(p),
        "errors": edges.write(np.full(p.shape, errors)),
    }


P = [[0, 0.9, 0.0], [0.1, 0, 0.6], [0.85, 0.3, 0]]


def test_arrows_with_and_against_the_order():
    pairs = Ordered.of(pd.DataFrame([row(P)]))
    assert pairs.claims == (1, 1, pytest.approx((0.9 + 0.85) / 2))
    right, weight = pairs.directions
    assert sorted(right) == pytest.approx([measures.FARTHEST, 0.9])
    assert weight == pytest.approx([0.5, 0.5])  # those of a table share its weight
    assert Ordered.of(pd.DataFrame([row(P)]), kappa=1.0).claims[:2] == (0, 0)


def test_pairs_within_a_tier_are_no_evidence():
    assert len(Ordered.of(pd.DataFrame([row(P, tiers="0 0 0")])).along) == 0


def test_what_the_other_half_has():
    one = [[0, 0.95, 0], [0, 0, 0.5], [0, 0.45, 0]]
    other = [[0, 0.3, 0], [0.6, 0, 0.02], [0, 0.03, 0]]
    halves = [row(p, view) for p, view in zip((one, other), known.HALVES, strict=True)]
    found = measures.again(pd.DataFrame(halves))
    assert (found.adjacencies, found.found, found.gone) == (2, 1, 1)
    assert (found.arrows, found.same, found.reversed) == (1, 0, 1)
    assert measures.again(pd.DataFrame(halves[:1])).adjacencies == 0  # one half alone


def test_jumps_are_largest_changes_and_may_be_counted_in_errors():
    moved = np.array(P)
    moved[0, 1] -= 0.25
    rows = pd.DataFrame([row(P), row(moved, "tiny noise"), row(moved, "other seed")])
    assert measures.jumps(rows, ("tiny noise",)) == pytest.approx([0.25])
    found = measures.standardised_jumps(rows, "other seed")
    assert found.max() == pytest.approx(0.25 / np.hypot(0.1, 0.1))


def directions(true_kappa, n, seed):
    """Claims of .05 or .95; of a share kappa the truth is a coin."""
    rng = np.random.default_rng(seed)
    claimed = np.where(rng.random(n) < 0.95, 0.95, 0.05)
    coin = rng.random(n) < true_kappa
    q = np.where(coin & (rng.random(n) < 0.5), 1 - claimed, claimed)
    return q, np.ones(n)


@pytest.mark.parametrize("true_kappa", [0.1, 0.5, 0.9])
def test_kappa_is_found_again(true_kappa):
    """Of a collection by itself, within three standard errors of 3 000 pairs."""
    found = kappa.fit({"one": directions(true_kappa, 3000, 0)})
    assert found.best["one"] == pytest.approx(true_kappa, abs=0.08)


def test_a_new_collection_has_the_mean_of_the_others_and_their_spread():
    alike = {str(k): directions(0.6, 500, k) for k in range(6)}
    apart = {str(k): directions(0.2 if k % 2 else 1.0, 500, k) for k in range(6)}
    same, different = kappa.fit(alike), kappa.fit(apart)
    assert same.mean == pytest.approx(0.6, abs=0.1)
    assert different.mean == pytest.approx(0.6, abs=0.15)
    assert different.spread > 1.5 * same.spread


def test_tiny_noise_is_for_every_column():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [10.0, 30.0, 20.0]})
    change = (known.seen(frame, "tiny noise", "t") - frame).abs()
    assert (change.to_numpy() > 0).all()
    assert (change < 1e-5 * frame.std()).to_numpy().all()
