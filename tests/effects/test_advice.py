"""Which experiment next: against what theory says of equivalent networks, and against chance."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.advice import distances

import gpnet
from gpnet.effects.advice import Advice
from tests.effects.chains import between, known_dag


@pytest.fixture(scope="module")
def chain():
    """a, b and c in a row, and d by itself; of the three equivalent chains each has a third."""
    rng = np.random.default_rng(1)
    a, d = rng.standard_normal((2, 300))
    b = 0.8 * a + 0.6 * rng.standard_normal(300)
    c = 0.8 * b + 0.6 * rng.standard_normal(300)
    frame = pd.DataFrame({"a": a, "b": 10 * b, "c": c - 5, "d": d})
    posterior = known_dag(frame, edges=("a -> b", "b -> c"))
    chains = [("a -> b", "b -> c"), ("b -> a", "b -> c"), ("b -> a", "c -> b")]
    return between(posterior, dict.fromkeys(chains, 1 / 3))


def test_what_tells_equivalent_chains_apart(chain):
    """Setting b tells which of its neighbours respond, and so all; a and c tell one of them."""
    advice = chain.advise(rows=200)
    assert advice.entropy == pytest.approx(np.log2(3), abs=0.02)
    gain = dict(zip(advice.names, advice.gain, strict=True))
    assert advice.names[0] == "b"
    assert gain["b"] == pytest.approx(np.log2(3), abs=0.05)
    one_end = np.log2(3) - 2 / 3  # whether it is the first; else two are left
    assert gain["a"] == pytest.approx(one_end, abs=0.1)
    assert gain["c"] == pytest.approx(one_end, abs=0.1)
    assert abs(gain["d"]) < 0.1
    assert abs(advice.observing) < 0.1  # the control: rows in which nothing is set tell nothing
    assert "Set 'b'" in advice.sentence()


def test_about_one_edge(chain):
    advice = chain.advise("a -> b", rows=200)
    gain = dict(zip(advice.names, advice.gain, strict=True))
    third = -np.log2(1 / 3) / 3 - 2 * np.log2(2 / 3) / 3
    assert advice.entropy == pytest.approx(third, abs=0.02)
    assert gain["a"] == pytest.approx(third, abs=0.05)
    assert gain["b"] == pytest.approx(third, abs=0.05)
    assert gain["c"] < 0.5 * third
    assert advice.about == "whether a -> b"


def test_few_rows_tell_less(chain):
    assert chain.advise(rows=3).gain[0] < 0.6 * chain.advise(rows=200).gain[0]


def test_nothing_to_ask(chain):
    settled = between(chain, {("a -> b", "b -> c"): 1.0})
    advice = settled.advise()
    assert advice.entropy == 0
    assert advice.sentence() == "Nothing is left to ask: the network is settled within the model."
    assert advice.frame()["share"].eq(0).all()


def test_the_same_seed_gives_the_same_advice(chain):
    one, other, another = (chain.advise(rows=20, seed=seed) for seed in (0, 0, 1))
    assert one.record() == other.record() != another.record()


def test_following_it_beats_chance():
    """On linear networks of another simulator: `benchmarks.advice` has more of them."""
    found = np.array([distances(seed) for seed in range(8)])
    assert found[:, 1].mean() < found[:, 2].mean()  # as advised, and by chance
    assert found[:, 1].mean() < 0.7 * found[:, 0].mean()  # and before


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"rows": 0}, "rows: a whole number from 1"),
        ({"rows": 10**6}, "rows: at most"),
        ({"dags": 1}, "draws: a whole number, at least 2"),
        ({"about": "a -> x"}, "'x'"),
    ],
)
def test_what_is_refused(chain, asked, error):
    with pytest.raises(gpnet.GpnetError, match=error):
        chain.advise(**asked)


@pytest.mark.parametrize(
    ("observing", "begins"), [(1.2, "Nothing need be set: "), (0.4, "Set 'a'")]
)
def test_no_experiment_is_advised_where_rows_as_they_come_tell_as_much(observing, begins):
    gain, error = np.array([1.1, 0.3]), np.array([0.02, 0.02])
    advice = Advice("the network", 2.0, 100, ("a", "b"), gain, error, observing, 10)
    assert advice.sentence().startswith(begins)
    assert "1.10" in advice.sentence()
    assert f"{observing:.2f}" in advice.sentence()
