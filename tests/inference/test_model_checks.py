"""Checks of the model: how often they raise a false alarm, and that they can raise one at all."""

import numpy as np
from scipy.stats import binom

from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.inference.model_checks import check_model
from gpnet.scores import AdaptiveScore
from tests.contexts import context

SCORE = AdaptiveScore(evidence=EVIDENCE_METHODS["laplace"]())
N_TABLES = 60


def checks_of(values):
    """Of a column given another."""
    data = load_table(values, names=["x", "y"], transform="none")
    families = {0: (), 1: (0,)}
    known = {
        (node, parents): SCORE.log_marginal(data, node, parents)
        for node, parents in families.items()
    }
    adjacent = ~np.eye(2, dtype=bool)
    return check_model(data, SCORE, families, adjacent, known, lambda *_: {}, context())


def drawn(seed, noise):
    rng = np.random.default_rng([seed, 17])
    x = rng.standard_normal(120)
    return np.column_stack([x, np.tanh(1.5 * x) + 0.4 * noise(rng, x)])


def misfits(noise):
    return sum(bool(checks_of(drawn(seed, noise)).misfitting()) for seed in range(N_TABLES))


def test_false_alarms_where_the_model_is_right():
    """One of twenty: more than 9 of 60 with a probability below 2e-3."""
    assert binom.sf(9, N_TABLES, 0.05) < 2e-3
    assert misfits(lambda rng, x: rng.standard_normal(len(x))) <= 9


def test_false_alarms_under_skewed_noise_of_a_size_that_varies():
    """This the model knows as well."""
    assert misfits(lambda rng, x: np.exp(0.5 * x) * (rng.exponential(size=len(x)) - 1)) <= 9


def test_a_relation_that_the_model_does_not_know_is_seen():
    """The control: two branches, of which each row takes one by chance."""
    assert misfits(lambda rng, x: 3 * rng.choice([-1, 1], len(x)) * np.abs(x)) > N_TABLES / 2


def test_residuals_are_in_units_of_the_noise_of_each_row():
    values = drawn(0, lambda rng, x: np.exp(x) * rng.standard_normal(len(x)))
    checks = checks_of(values)
    assert checks.varying[1] > 0.9
    size = np.abs(checks.residual[1])
    large, small = values[:, 0] > 0.7, values[:, 0] < -0.7
    assert 0.6 < size[large].mean() / size[small].mean() < 1.6
    assert np.isnan(checks.parent_p[0])  # no parents to depend on
