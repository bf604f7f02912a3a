"""The dense route against SciPy's multivariate normal and finite differences."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gpnet.gp.kernels import KERNELS
from gpnet.gp.priors import Hyperpriors, Normal
from gpnet.gp.target import DenseTarget


def make_target(kernel, n_parents, n=30, hyperpriors=None):
    rng = np.random.default_rng(n_parents)
    x, parents = rng.standard_normal(n), rng.standard_normal((n, n_parents))
    target = DenseTarget(x, parents, KERNELS[kernel](), hyperpriors or Hyperpriors())
    u = rng.normal(0, 0.4, target.n_dims)
    return target, x, parents, u


def se(z, theta):
    return np.exp(-((z[:, None] - z) ** 2) / (2 * theta**2))


CASES = [(kernel, p) for kernel in KERNELS for p in (1, 2, 3)]


@pytest.mark.parametrize("kernel", ["additive", "interaction"])
@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_value_is_the_normal_density_times_the_priors(kernel, n_parents):
    target, x, parents, u = make_target(kernel, n_parents)
    k = [se(parents[:, i], np.exp(u[i])) for i in range(n_parents)]
    covariance = sum(k)
    priors = [(2, 2)] * n_parents
    if kernel == "interaction":
        covariance = np.exp(u[n_parents]) * covariance
        for i in range(n_parents):
            for j in range(i):
                covariance = covariance + np.exp(u[n_parents + 1]) * k[i] * k[j]
        priors = priors + [(1, 1)] * min(n_parents, 2)
    covariance = covariance + 1 + np.exp(2 * u[-1]) * np.eye(len(x))
    expected = multivariate_normal(np.zeros(len(x)), covariance).logpdf(x)
    for (a, b), v in zip([*priors, (1, 1)], u, strict=True):
        expected += a * np.log(b) - a * v - b * np.exp(-v)  # lgamma(1) = lgamma(2) = 0
    assert target.value(u) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("kernel", "n_parents"), CASES)
def test_gradient_and_hessian_by_finite_differences(kernel, n_parents):
    target, _, _, u = make_target(kernel, n_parents)
    value, gradient, hessian = target.hessian(u)
    h = 1e-5
    steps = h * np.eye(target.n_dims)
    slopes = [(target.value(u + e) - target.value(u - e)) / (2 * h) for e in steps]
    curves = [(target.gradient(u + e)[1] - target.gradient(u - e)[1]) / (2 * h) for e in steps]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    np.testing.assert_allclose(hessian, curves, atol=1e-6)
    np.testing.assert_allclose(target.gradient(u)[1], gradient, atol=1e-11)
    assert value == pytest.approx(target.value(u), abs=1e-11)


def matern(z, theta):
    q = np.sqrt(5) * np.abs(z[:, None] - z) / theta
    return (1 + q + q**2 / 3) * np.exp(-q)


OWN_FORMULAE = {
    "matern52": (1, lambda z, u: matern(z, np.exp(u[0]))),
    "amplitude": (2, lambda z, u: np.exp(u[1]) * se(z, np.exp(u[0]))),
    "line": (1, lambda z, u: se(z, np.exp(u[0])) + np.outer(z, z)),
}


@pytest.mark.parametrize("kernel", OWN_FORMULAE)
def test_covariances_beyond_the_papers(kernel):
    n_each, formula = OWN_FORMULAE[kernel]
    rng = np.random.default_rng(1)
    parents, u = rng.standard_normal((12, 2)), rng.normal(0, 0.5, 2 * n_each)
    expected = formula(parents[:, 0], u[:n_each]) + formula(parents[:, 1], u[n_each:])
    covariance = KERNELS[kernel]().covariance(parents, u, 0)
    np.testing.assert_allclose(covariance.value, expected, atol=1e-13)


def test_the_mean_has_its_prior():
    hyperpriors = Hyperpriors(mean=Normal(0.5, 2))
    target, x, parents, u = make_target("additive", 1, hyperpriors=hyperpriors)
    covariance = se(parents[:, 0], np.exp(u[0])) + 4 + np.exp(2 * u[1]) * np.eye(len(x))
    likelihood = multivariate_normal(np.full(len(x), 0.5), covariance).logpdf(x)
    plain, _, _, _ = make_target("additive", 1)
    prior = plain.value(u) - multivariate_normal(np.zeros(len(x)), covariance - 3).logpdf(x)
    assert target.value(u) == pytest.approx(likelihood + prior, abs=1e-9)


def test_one_parent_interaction_has_no_second_amplitude():
    target, *_ = make_target("interaction", 1)
    assert target.n_dims == 3  # theta, tau1, sigma


def test_what_cannot_be_factored_has_no_density():
    x = np.zeros(20)
    target = DenseTarget(x, np.zeros((20, 1)), KERNELS["additive"](), Hyperpriors())
    u = np.array([0.0, -30.0])  # sigma far below rounding: Sigma is singular
    assert target.value(u) == -np.inf
    assert target.gradient(u)[0] == -np.inf
    assert target.hessian(u)[0] == -np.inf
