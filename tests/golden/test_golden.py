"""Scores against grids that know nothing of gpnet (`make_golden.py`), on a table of our own."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax

import gpnet
from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.noise import GaussianNoise
from gpnet.graphs.enumeration import all_dags
from gpnet.scores import AdaptiveScore, GpScore, LinearScore
from tests.golden import make_golden

HERE = Path(__file__).parent
with open(HERE / "scores.csv") as file:
    ROWS = list(csv.DictReader(file))
GOLDEN = {(row["score"], row["node"], row["parents"]): float(row["log_marginal"]) for row in ROWS}
FAMILIES = sorted({(row["node"], row["parents"]) for row in ROWS})
DATA = load_table(HERE / "table.csv")
LAPLACE_TOO_LOW = {0: 1e-6, 1: 0.6, 2: 1.0}  # nats, by the number of parents


def log_marginal(score, node, parents):
    columns = tuple(DATA.column(name) for name in parents.split(";") if name)
    return score.log_marginal(DATA, DATA.column(node), columns)


def test_the_grids_are_fine_enough():
    assert max(float(row["error"]) for row in ROWS) < 1e-3


@pytest.mark.parametrize(("node", "parents"), FAMILIES)
def test_quasi_monte_carlo(node, parents):
    found = log_marginal(GpScore(), node, parents)
    assert abs(found.value - GOLDEN["gp", node, parents]) < 4 * found.std_error + 1e-3
    assert found.std_error <= 0.02


@pytest.mark.parametrize(("node", "parents"), FAMILIES)
def test_laplace_is_a_little_too_low(node, parents):
    found = log_marginal(GpScore(evidence=EVIDENCE_METHODS["laplace"]()), node, parents)
    n_parents = len(parents.split(";")) if parents else 0
    below = GOLDEN["gp", node, parents] - found.value
    assert -1e-3 < below < LAPLACE_TOO_LOW[n_parents]


@pytest.mark.parametrize(("node", "parents"), FAMILIES)
def test_straight_lines(node, parents):
    found = log_marginal(LinearScore(), node, parents)
    assert found.value == pytest.approx(GOLDEN["linear", node, parents], abs=2e-6)


@pytest.mark.parametrize(("node", "parents"), [f for f in FAMILIES if f[1]])
def test_the_mixture_of_both(node, parents):
    found = log_marginal(AdaptiveScore(noise=GaussianNoise()), node, parents)
    line, curve = (GOLDEN[name, node, parents] for name in ("linear", "gp"))
    mixed = np.logaddexp(np.log(0.6) + line, np.log(0.4) + curve)
    assert abs(found.value - mixed) < 4 * found.std_error + 1e-3
    assert found.linear == pytest.approx(np.exp(np.log(0.6) + line - mixed), abs=0.02)


def test_the_file_is_what_the_grid_gives():
    """One family again, so that nobody edits the file by hand."""
    values = DATA.standardised()
    value, _ = make_golden.gp(values[:, 0], [values[:, 1]])
    assert value == pytest.approx(GOLDEN["gp", DATA.names[0], DATA.names[1]], abs=2e-6)


def test_a_posterior_is_the_sum_over_all_dags():
    """Edge probabilities from the golden scores of all 25 DAGs, against learn."""
    dags = list(all_dags(3))
    names = np.array(DATA.names)
    log_scores = [
        sum(GOLDEN["gp", names[v], ";".join(names[dag[:, v]])] for v in range(3)) for dag in dags
    ]
    exact = np.tensordot(softmax(log_scores), np.array(dags, dtype=float), 1)
    options = {"score": "gp", "prior": "uniform", "bag": "off"}
    posterior = gpnet.learn(DATA, draws=20_000, curves=False, **options)
    found, errors = posterior.edge_probabilities().to_numpy(), posterior.edge_errors().to_numpy()
    assert (np.abs(found - exact) < 5 * errors + 1e-3).all()
    assert errors.max() < 0.02
