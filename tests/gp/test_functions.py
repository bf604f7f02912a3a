"""Drawn functions against the normal distributions that they are drawn from."""

import numpy as np
import pytest

from gpnet.gp.dense_functions import dense_functions
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_functions import fast_functions
from gpnet.gp.functions import N_POINTS, Domain, DrawnFunctions, Pair, joined, shares_to_counts
from gpnet.gp.hyperdraws import Hyperdraws
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.priors import Hyperpriors, Normal
from tests.gp.marginals import regression

PRIORS = Hyperpriors(mean=Normal(0.3, 1.2))
N_DRAWS = 6000


def one_point(kernel, n_parents, seed=5):
    n_dims = len(kernel.parameters(n_parents, PRIORS)) + 1
    u = np.random.default_rng(seed).uniform(-0.7, 0.5, (1, n_dims))
    return Hyperdraws(u, np.ones(1))


def textbook(x, parents, kernel, u, wanted):
    """Mean and covariance of the function, constant included, at rows wanted (q, p)."""
    n, every = len(x), np.vstack([parents, wanted])
    joint = kernel.covariance(every, u[:-1], 0).value + PRIORS.mean.sd**2
    solve = np.linalg.inv(joint[:n, :n] + np.exp(2 * u[-1]) * np.eye(n))
    gain = joint[n:, :n] @ solve
    mean = PRIORS.mean.mean + gain @ (x - PRIORS.mean.mean)
    return mean, joint[n:, n:] - gain @ joint[:n, n:]


def wanted_rows(parents, seed=0):
    """Among the rows, in between, and up to a fifth of the range beyond them."""
    rng, reach = np.random.default_rng(seed), np.ptp(parents, axis=0)
    low, high = parents.min(axis=0) - 0.2 * reach, parents.max(axis=0) + 0.2 * reach
    return np.vstack([parents[:3], rng.uniform(low, high, (4, parents.shape[1]))])


def drawn_by(route, table, kernel, draws, n=N_DRAWS, seed=1):
    parents, rng = tuple(range(table.shape[1] - 1)), np.random.default_rng(seed)
    domains = [Domain.over(table[:, j], N_POINTS) for j in parents]
    if route == "fast":
        model = FastModel(table, kernel, PRIORS)
        return fast_functions(model, len(parents), parents, draws, domains, n, rng)
    given = table[:, -1], table[:, :-1], parents, kernel, PRIORS.mean
    return dense_functions(*given, draws, domains, n, rng)


def agrees(found, mean, covariance):
    """Draws (K, q) have these moments; each entry may be off by 5 standard errors."""
    k, variance = len(found), covariance.diagonal()
    assert (np.abs(found.mean(axis=0) - mean) < 5 * np.sqrt(variance / k) + 2e-3).all()
    error = np.sqrt((np.outer(variance, variance) + covariance**2) / k)
    assert (np.abs(np.cov(found.T) - covariance) < 5 * error + 2e-3).all()


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ("fast", "additive"),
        ("fast", "amplitude"),
        ("fast", "line"),
        *(("dense", name) for name in KERNELS),
    ],
)
def test_draws_have_the_joint_moments_of_the_textbook(route, name):
    table, kernel = regression(40, 2, seed=3), KERNELS[name]()
    draws, wanted = one_point(kernel, 2), wanted_rows(table[:, :-1])
    functions = drawn_by(route, table, kernel, draws)
    found = functions.at([wanted[None, :, j] for j in range(2)])
    agrees(found, *textbook(table[:, -1], table[:, :-1], kernel, draws.points[0], wanted))


def test_the_moments_of_another_point_are_seen():
    """The control."""
    table, kernel = regression(40, 2, seed=3), Additive()
    draws, wanted = one_point(kernel, 2), wanted_rows(table[:, :-1])
    found = drawn_by("fast", table, kernel, draws).at([wanted[None, :, j] for j in range(2)])
    other = one_point(kernel, 2, seed=6).points[0]
    with pytest.raises(AssertionError):
        agrees(found, *textbook(table[:, -1], table[:, :-1], kernel, other, wanted))


def test_lines_beside_curves_are_straight_and_have_their_slopes():
    table = regression(60, 2, seed=7)
    model, draws = FastModel(table, Additive(), PRIORS), one_point(Additive(), 1)
    domains = [Domain.over(table[:, j], N_POINTS) for j in range(2)]
    drawn = 3, np.random.default_rng(0), {1: 0.6}
    functions = fast_functions(model, 2, (0, 1), draws, domains, *drawn)
    np.testing.assert_allclose(np.diff(functions.heights[1], 2), 0, atol=1e-9)
    assert np.abs(np.diff(functions.heights[0], 2)).max() > 1e-6


def test_many_rows_cost_no_matrix_of_rows():
    table = regression(20_000, 1, seed=2, names=["uniform"])
    functions = drawn_by("fast", table, Additive(), one_point(Additive(), 1), n=50)
    values = functions.at([table[None, :500, 0]])
    assert values.std(axis=0).max() < 0.1  # nothing is left open among so many


# Tables


def test_tables_are_straight_between_points_and_end_as_they_should():
    domain, heights = Domain(0.0, 1.0, 3), np.array([[0.0, 1.0, 4.0]] * 2)
    straight = np.array([True, False])
    functions = DrawnFunctions((0,), (domain,), np.array([0.0, 10.0]), (heights,), straight)
    z = np.array([[-1.0, 0.5, 2.0, 3.0]])
    expected = [[-1.0, 0.5, 4.0, 7.0], [10.0, 10.5, 14.0, 14.0]]
    np.testing.assert_allclose(functions.at([z]), expected)
    np.testing.assert_allclose(functions.some(np.array([1])).at([z]), expected[1:])


def test_a_pair_is_bilinear():
    rng = np.random.default_rng(0)
    domains = Domain(0.0, 1.0, 2), Domain(0.0, 0.5, 3)
    corners = rng.standard_normal((2, 2, 3))
    none = tuple(np.zeros((2, domain.size)) for domain in domains)
    functions = DrawnFunctions(
        (0, 1), domains, np.zeros(2), none, np.zeros(2, bool), (Pair(0, 1, domains, corners),)
    )
    z = [np.array([[0.25]]), np.array([[0.75]])]
    left, right = corners[:, :, 1], corners[:, :, 2]
    middle = (left + right) / 2
    np.testing.assert_allclose(functions.at(z)[:, 0], 0.75 * middle[:, 0] + 0.25 * middle[:, 1])


def test_levels_are_their_own_points():
    z = np.array([0.3, -0.9, 0.3, 1.5])
    domain = Domain.of_levels(z)
    heights = np.array([[1.0, 2.0, 5.0]])
    functions = DrawnFunctions((0,), (domain,), np.zeros(1), (heights,), np.zeros(1, dtype=bool))
    np.testing.assert_allclose(functions.at([z[None]]), [[2.0, 1.0, 2.0, 5.0]])


def test_counts_are_as_even_as_shares_allow():
    rng, shares = np.random.default_rng(0), np.array([0.5, 0.3, 0.2])
    counts = np.array([shares_to_counts(shares, 7, rng) for _ in range(4000)])
    assert (counts.sum(axis=1) == 7).all()
    assert (np.abs(counts - 7 * shares) < 1).all()
    np.testing.assert_allclose(counts.mean(axis=0), 7 * shares, atol=0.05)


def test_joined_functions_keep_their_values():
    table, kernel = regression(30, 1, seed=1), Additive()
    parts = [drawn_by("fast", table, kernel, one_point(kernel, 1), n=n, seed=n) for n in (2, 3)]
    order = np.array([4, 0, 3, 1, 2])
    z = [table[None, :5, 0]]
    separate = np.concatenate([part.at(z) for part in parts])[order]
    np.testing.assert_allclose(joined(parts, order).at(z), separate)
