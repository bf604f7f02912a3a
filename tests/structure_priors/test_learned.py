"""The hyperprior on the edge penalty."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from gpnet.common.errors import OptionError
from gpnet.structure_priors import LearnedPrior


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (2.0, 5.0), (0.5, 20.0)])
def test_beta_is_the_distribution_of_an_edge_probability(a, b):
    prior = LearnedPrior.beta(a, b)
    weights, p = np.exp(prior.log_hyperprior), expit(-prior.grid)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    beta = stats.beta(a, b)
    assert weights @ p == pytest.approx(beta.mean(), abs=1e-8)
    assert weights @ p**2 == pytest.approx(beta.moment(2), abs=1e-8)


def test_log_joint_is_its_formula():
    prior = LearnedPrior(np.array([-1.0, 2.0]), np.log([0.25, 0.75]))
    found = prior.log_joint(np.array([0, 3]), np.array([5.0, 1.0]))
    expected = [
        [np.log(0.25) - 5, np.log(0.75) - 1],
        [np.log(0.25) - 5 + 3, np.log(0.75) - 1 - 6],
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("grid", "weights", "words"),
    [
        ([0.0, 1.0], [1.0], "as many values"),
        ([], [], "as many values"),
        ([1.0, 0.0], [0.5, 0.5], "increase"),
        ([0.0, np.inf], [0.5, 0.5], "finite"),
        ([0.0, 1.0], [0.5, 0.6], "sum to one"),
    ],
)
def test_refuses_what_is_no_distribution(grid, weights, words):
    with pytest.raises(OptionError, match=words):
        LearnedPrior(np.array(grid), np.log(weights))


def test_refuses_a_step_of_nothing():
    with pytest.raises(OptionError, match="must be positive"):
        LearnedPrior.beta(step=0.0)
