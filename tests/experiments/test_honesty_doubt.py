"""Ways to doubt evidence: by hand, by what a right model has, and on a few pairs."""

import numpy as np
import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments.__main__ import main
from experiments.experiment import Experiment
from experiments.honesty_doubt import coarsening, run
from scipy.special import expit

import gpnet

EVIDENCE = np.array([[0.0, 30.0, 10.0], [0.0, 5.0, 9.0]])


def test_coarsening_by_hand():
    zeta = coarsening.zeta(np.array([0.0, 0.01]), np.array([100.0, 300.0]))
    assert zeta == pytest.approx([1, 1 / 4])
    assert coarsening.direction(EVIDENCE, zeta) == pytest.approx(expit([20, -1]))
    weights = np.exp(np.array([5, 9]) / 4 - 3)
    found = coarsening.adjacency(EVIDENCE, zeta, penalty=3.0)
    assert found == pytest.approx([1, weights.sum() / (1 + weights.sum())], abs=1e-7)


def test_a_right_model_has_next_to_no_misfit_and_a_wrong_one_has():
    """Means of 200 tables of 300 rows; bounds: less than a nat a table, and tens of nats."""
    rng = np.random.default_rng(0)
    right, uneven, skewed, shaped = [], [], [], []
    for _ in range(200):
        x, r = rng.standard_normal((2, 300))
        right.append(coarsening.dependence(r, x))
        uneven.append(coarsening.dependence(r * np.exp(0.7 * x), x))
        shaped.append(coarsening.shape(r))
        skewed.append(coarsening.shape(rng.standard_exponential(300) - 1))
    assert 300 * np.mean(right) < 1.5
    assert 300 * np.mean(shaped) < 2.5
    assert 300 * np.mean(uneven) > 20
    assert 300 * np.mean(skewed) > 20


def test_residuals_that_bend_with_the_parent_are_seen():
    x, noise = np.random.default_rng(1).standard_normal((2, 300))
    assert coarsening.dependence(noise + x**2 - 1, x) > 10 * coarsening.dependence(noise, x)


def test_evidence_is_that_of_the_scores():
    table = gpnet.simulate(dag=np.eye(2, k=1, dtype=bool), rows=100, nonlinearity=1, seed=3)
    posterior = gpnet.learn(table.frame(), curves=False)
    there, back = (run.log_evidence(posterior, cause) for cause in (0, 1))
    assert there[0] == back[0] == 0
    assert there[1:].tolist() == back[:0:-1].tolist()
    plain = posterior.without_doubt().edge_probabilities().to_numpy()
    assert expit(there[1] - there[2]) == pytest.approx(plain[0, 1] / plain.sum(), abs=0.03)


def made(n=400, worth=0.2):
    """Pairs whose evidence counts for a share of what it says."""
    rng = np.random.default_rng(2)
    claimed = rng.normal(0, 15, n)
    true = np.where(rng.random(n) < expit(worth * claimed), claimed, -claimed)
    even = np.full(n, 50.0)
    return pd.DataFrame({"none": 0.0, "true": even + true, "other": even, "n": 300, "weight": 1.0})


def test_the_misfit_that_is_fitted_is_the_one_that_is_there():
    """A nat counts 0.2, so e = (1 / 0.2 - 1) / 300; within the spread of 400 pairs."""
    way = next(way for way in run.WAYS if way.name == "coarsened, e as fitted")
    rows = made()
    each = run.losses_of(way, rows)
    fitted = way.numbers[each.mean(axis=1).argmin()]
    assert coarsening.zeta(fitted, 300) == pytest.approx(0.2, rel=0.35)
    assert each.mean(axis=1).min() < run.losses_of(run.WAYS[0], rows).mean()
    assert run.one_left_out(each) >= each.mean(axis=1).min()


def test_one_left_out_by_hand():
    each = np.array([[0.0, 3.0, 3.0], [1.0, 1.0, 1.5]])
    # Without the first: the second number. Without the second or the third: sums 3, 2.5 and 3, 2.
    assert run.one_left_out(each) == pytest.approx((1 + 1 + 1.5) / 3)


def test_even_pairs_are_never_read():
    for quick in (False, True):
        settings = Experiment.load("honesty-doubt", quick=quick).settings
        assert {key["dataset"] % 2 for key in run.keys(settings)} == {1}


@pytest.mark.slow
def test_quick_mode(tmp_path, reference, monkeypatch):
    monkeypatch.setattr(reference_folder, "FOLDER", reference)
    assert main(["honesty-doubt", "--quick", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "honesty-doubt.png").read_bytes().startswith(b"\x89PNG")
    told = (tmp_path / "honesty-doubt.md").read_text()
    assert all(way.name in told for way in run.WAYS)
