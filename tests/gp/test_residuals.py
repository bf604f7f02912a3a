"""Residuals of each row given all others: every route against refits without the row."""

import numpy as np
import pytest
from scipy.stats import kstest, multivariate_normal

from gpnet.common.errors import EvidenceError
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_interaction import FastInteractionTarget
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.linear import LinearModel
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.gp.residuals import (
    expected_log_likelihoods,
    residuals_of_design,
    residuals_of_precision,
)
from gpnet.gp.target import DenseTarget
from tests.gp.marginals import regression

PRIORS = [Hyperpriors(), Hyperpriors(noise=InverseGamma(3, 0.5), mean=Normal(0.4, 0.6))]


def refitted(covariance, x, mean):
    """Each row's residual and standard deviation, predicted from the other rows alone."""
    standardised, sds = [], []
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, i])
        sd = np.sqrt(covariance[i, i] - weights @ covariance[others, i])
        standardised.append((x[i] - mean - weights @ (x[others] - mean)) / sd)
        sds.append(sd)
    return np.array(standardised), np.array(sds)


def signal(kernel, parents, u, priors, lines=(), variance=1.0):
    """Of the rows: mean, curves, lines and noise, as N x N matrices."""
    n = len(parents)
    found = np.exp(2 * u[-1]) * np.eye(n) + priors.mean.sd**2
    for z in lines:
        found += variance * np.outer(z, z)
    return found + (kernel.covariance(parents, u[:-1], 0).value if parents.size else 0)


def assert_same(found, exact, tolerance=1e-6):
    for one, other in zip((found.standardised, found.sd), exact, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("name", ["additive", "amplitude", "matern52", "interaction"])
def test_dense_targets(name, priors):
    table, kernel = regression(40, 2, seed=1), KERNELS[name]()
    target = DenseTarget(table[:, 2], table[:, :2], kernel, priors)
    u = np.random.default_rng(0).normal(-0.3, 0.3, target.n_dims)
    covariance = signal(kernel, table[:, :2], u, priors)
    assert_same(target.leave_one_out(u), refitted(covariance, table[:, 2], priors.mean.mean))


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize(("curves", "lines"), [((0,), ()), ((0, 1, 2), ()), ((2, 0), (1,))])
def test_fast_targets(curves, lines, priors):
    """A line among the parents has no parameter of its own."""
    table = regression(60, 3, seed=2)
    target = FastModel(table, Additive(), priors, 1.7).target(3, curves, lines)
    u = np.random.default_rng(1).normal(0, 0.3, target.n_dims)
    lined = [table[:, j] for j in lines]
    covariance = signal(Additive(), table[:, curves], u, priors, lined, 1.7)
    assert_same(target.leave_one_out(u), refitted(covariance, table[:, 3], priors.mean.mean))


@pytest.mark.parametrize("log_lengthscale", [-1.5, 0.0, 1.5])
@pytest.mark.parametrize("log_sigma", [-3.0, -0.7, 0.5])
def test_fast_and_dense_targets_agree_over_many_rows(log_lengthscale, log_sigma):
    """More rows than are taken at once."""
    table = regression(600, 2, seed=3)
    fast = FastModel(table, Additive(), Hyperpriors()).target(2, (0, 1))
    dense = DenseTarget(table[:, 2], table[:, :2], Additive(), Hyperpriors())
    u = np.array([log_lengthscale, log_lengthscale + 0.2, log_sigma])
    exact = dense.leave_one_out(u)
    assert_same(fast.leave_one_out(u), (exact.standardised, exact.sd), 2e-5)


@pytest.mark.parametrize("n_parents", [1, 2])
def test_interactions_by_few_columns_and_dense(n_parents, monkeypatch):
    table, parents = regression(320, n_parents, seed=4), tuple(range(n_parents))
    fast = FastInteractionTarget(table, n_parents, parents, PRIORS[1])
    dense = DenseTarget(table[:, -1], table[:, :-1], KERNELS["interaction"](), PRIORS[1])
    asked = []
    plain = DenseTarget.leave_one_out
    count = lambda *given: asked.append(1) or plain(*given)  # noqa: E731
    for log_lengthscale, few in ((1.5, True), (-1.5, n_parents == 1)):
        u = np.full(fast.n_dims, -0.3)
        u[:n_parents] = log_lengthscale
        exact = dense.leave_one_out(u)
        with monkeypatch.context() as patch:
            patch.setattr(DenseTarget, "leave_one_out", count)
            found = fast.leave_one_out(u)
        assert bool(asked) != few
        assert_same(found, (exact.standardised, exact.sd))


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("parents", [(), (1,), (2, 0)])
def test_lines(parents, priors):
    table = regression(50, 3, seed=5)
    model = LinearModel(table, 0.7, priors)
    u = np.array([-0.4])
    lines = [table[:, j] for j in parents]
    covariance = signal(Additive(), np.empty((50, 0)), u, priors, lines, 0.7)
    exact = refitted(covariance, table[:, 3], priors.mean.mean)
    assert_same(model.leave_one_out(3, parents, -0.4), exact)


def test_the_noise_of_lines_is_where_their_integrand_peaks():
    table = regression(50, 3, seed=6)
    model = LinearModel(table, 1.0, Hyperpriors())
    columns = np.array([model.columns_of(parents) for parents in [(0, 1), (1, 2)]])
    _, log_sigma = model.integrals(3, columns)
    grid = np.linspace(-3, 1, 401)
    for found, parents in zip(log_sigma, ((0, 1), (1, 2)), strict=True):
        lines = [table[:, j] for j in parents]
        log_joint = []
        for u in grid:
            sigma = signal(Additive(), np.empty((50, 0)), np.array([u]), Hyperpriors(), lines)
            fit = table[:, 3] @ np.linalg.solve(sigma, table[:, 3]) + np.linalg.slogdet(sigma)[1]
            log_joint.append(Hyperpriors().noise.log_density(np.array(u))[0] - fit / 2)
        assert found == pytest.approx(grid[np.argmax(log_joint)], abs=0.01)


def test_a_design_and_its_precision():
    rng = np.random.default_rng(0)
    design, x = rng.standard_normal((30, 4)), rng.standard_normal(30)
    precision = np.linalg.inv(design @ design.T + 0.3 * np.eye(30))
    exact = residuals_of_precision(precision, x)
    assert_same(residuals_of_design(design, x, 0.3), (exact.standardised, exact.sd), 1e-9)


def test_rows_that_only_themselves_explain_stay_finite():
    """A column of the design for one row, and hardly any noise."""
    design = np.zeros((10, 1))
    design[3] = 1e6
    found = residuals_of_design(design, np.ones(10), 1e-8)
    assert np.isfinite([found.standardised, found.sd]).all()


def test_a_singular_covariance_is_told():
    table = regression(20, 1, seed=7)
    table[1] = table[0]
    target = DenseTarget(table[:, 1], table[:, :1], Additive(), Hyperpriors())
    with pytest.raises(EvidenceError, match="singular"):
        target.leave_one_out(np.array([1.0, -30.0]))


def test_of_the_true_model_they_are_standard_normal():
    """A false alarm with a probability of 1e-3; the control is noise that is twice as large."""
    rng = np.random.default_rng(8)
    z = rng.standard_normal((400, 1))
    u = np.array([0.0, -0.5])
    covariance = signal(Additive(), z, u, Hyperpriors())
    x = np.linalg.cholesky(covariance) @ rng.standard_normal(400)
    target = FastModel(np.column_stack([z, x]), Additive(), Hyperpriors()).target(1, (0,))
    assert kstest(target.leave_one_out(u).standardised, "norm").pvalue > 1e-3
    louder = np.array([0.0, -0.5 + np.log(2)])
    assert kstest(target.leave_one_out(louder).standardised, "norm").pvalue < 1e-6


def weighted_log_marginal(signal, x, sigma, weights):
    """Of a function with this covariance, where row i counts as weights[i] rows."""
    noise = np.diag(sigma**2 / weights)
    constants = (1 - weights) / 2 * np.log(2 * np.pi * sigma**2) - np.log(weights) / 2
    return multivariate_normal(None, signal + noise).logpdf(x) + constants.sum()


def test_expected_log_likelihoods_are_the_derivative_by_the_weights_of_rows():
    table, sigma, step = regression(25, 2, seed=3), 0.6, 1e-4
    kernel = Additive()
    of_function = kernel.covariance(table[:, :2], np.array([-0.2, 0.1]), 0).value + 1
    precision = np.linalg.inv(of_function + sigma**2 * np.eye(25))
    x = table[:, 2]
    found = expected_log_likelihoods(residuals_of_precision(precision, x), sigma)
    for row, value in enumerate(found):
        up, down = (np.where(np.arange(25) == row, 1 + s, 1.0) for s in (step, -step))
        more, less = (weighted_log_marginal(of_function, x, sigma, w) for w in (up, down))
        assert value == pytest.approx((more - less) / (2 * step), abs=1e-5)
