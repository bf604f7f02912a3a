"""Categorical parents: the exchangeable kernel, in the fast route and as lines."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gpnet.gp.basis import build_basis
from gpnet.gp.components import Levels
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.curves import Places
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_curves import fast_curves
from gpnet.gp.hyperdraws import Hyperdraws
from gpnet.gp.kernels import Additive
from gpnet.gp.linear import LinearModel, corners
from gpnet.gp.mode_search import search
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.target import DenseTarget

PRIORS = Hyperpriors()


def table(n_levels=4, n=90, seed=0):
    """A column of levels, a number, and a child of both; levels are in no order."""
    rng = np.random.default_rng(seed)
    level = rng.integers(n_levels, size=n)
    z = rng.normal(size=n)
    x = rng.permutation(n_levels)[level] * 0.7 + np.sin(2 * z) + 0.3 * rng.normal(size=n)
    values = np.column_stack([level.astype(float), z, x])
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def covariance(values, u):
    """Levels first, a number second; dense."""
    own = Levels(len(np.unique(values[:, 0]))).gram(values[:, 0], u[0], 0)[0]
    smooth = SquaredExponential().gram(values[:, 1], u[1], 0)[0]
    return own + smooth + np.exp(2 * u[2]) * np.eye(len(values)) + PRIORS.mean.sd**2


@pytest.mark.parametrize("n_levels", [2, 3, 7])
def test_gram_and_its_derivatives(n_levels):
    z = np.arange(n_levels, dtype=float)[[0, 1, 1, 0, n_levels - 1]]
    kernel, h = Levels(n_levels), 1e-5
    value, first, second = kernel.gram(z, 0.2, 2)
    up, down = (kernel.gram(z, 0.2 + step, 1) for step in (h, -h))
    np.testing.assert_allclose(first, (up[0] - down[0]) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(second, (up[1] - down[1]) / (2 * h), atol=1e-8)
    assert (np.diagonal(value) == 1).all()
    assert len(np.unique(np.round(value[z[:, None] != z], 12))) == 1  # exchangeable


def test_two_levels_are_two_standardised_numbers():
    z = np.array([-1.0, 1, 1, -1, 1, -1])
    as_numbers = SquaredExponential().gram(z, 0.3, 2)
    np.testing.assert_allclose(Levels(2).gram(z, 0.3, 2), as_numbers, atol=1e-12)


def test_the_basis_holds_the_kernel():
    z = table()[:, 0]
    basis = build_basis(z, Levels(4))
    q = basis.matrix
    for u in (-2.0, 0.0, 3.0):
        k = Levels(4).gram(z, u, 0)[0]
        np.testing.assert_allclose(q @ (q.T @ k @ q) @ q.T, k, atol=1e-10)
    assert q.shape[1] == 4


def test_the_fast_target_is_the_dense_one():
    values = table()
    model = FastModel(values, Additive(), PRIORS, categorical=frozenset({0}))
    target = model.target(2, (0, 1))
    for u in (np.array([0.3, -0.2, -1.0]), np.array([-0.9, 0.8, -0.3])):
        dense = multivariate_normal(np.zeros(len(values)), covariance(values, u))
        priors = [PRIORS.lengthscale, PRIORS.lengthscale, PRIORS.noise]
        log_prior = sum(prior.log_density(v)[0] for prior, v in zip(priors, u, strict=True))
        assert target.value(u) == pytest.approx(dense.logpdf(values[:, 2]) + log_prior, abs=1e-6)
        _, gradient = target.gradient(u)
        step = 1e-5
        for i in range(3):
            moved = [target.value(u + s * step * np.eye(3)[i]) for s in (1, -1)]
            assert gradient[i] == pytest.approx((moved[0] - moved[1]) / (2 * step), abs=1e-4)


def test_names_of_levels_do_not_matter():
    """Whatever number stands for which: unlike a kernel on numbers, the negative control."""
    values, swapped = table(), table()
    codes, place = np.unique(values[:, 0], return_inverse=True)
    swapped[:, 0] = codes[np.array([2, 0, 3, 1])][place]
    found = {}
    for kind, categorical in {"levels": frozenset({0}), "numbers": frozenset()}.items():
        for name, some in {"before": values, "after": swapped}.items():
            model = FastModel(some, Additive(), PRIORS, categorical=categorical)
            found[kind, name] = search(model, 2, (0, 1), {})[1][0].log_laplace
    assert found["levels", "before"] == pytest.approx(found["levels", "after"], abs=1e-6)
    assert abs(found["numbers", "before"] - found["numbers", "after"]) > 0.1


def test_evidence_of_one_categorical_parent_by_a_grid():
    values = table()
    model = FastModel(values, Additive(), PRIORS, categorical=frozenset({0}))
    target, modes = search(model, 2, (0,), {})
    found = EVIDENCE_METHODS["qmc"]().estimate(target, modes, (0,))
    u, s = np.meshgrid(np.linspace(-2.2, 6, 150), np.linspace(-2.5, 1.5, 120), indexing="ij")
    points = np.column_stack([u.ravel(), s.ravel()])
    cell = (u[1, 0] - u[0, 0]) * (s[0, 1] - s[0, 0])
    by_grid = np.logaddexp.reduce(target.values(points)) + np.log(cell)
    assert found.value == pytest.approx(by_grid, abs=0.02)


def test_fitted_levels_are_the_posterior_of_their_effects():
    values = table(n_levels=3)
    model = FastModel(values, Additive(), PRIORS, categorical=frozenset({0}))
    u = np.array([0.1, -1.0])
    draws = Hyperdraws(u[None], np.ones(1))
    codes = np.unique(values[:, 0])
    found = fast_curves(model, 2, (0,), draws, Places(codes[None], np.arange(5)))
    kernel = Levels(3)
    everyone = np.concatenate([codes, values[:, 0]])
    k = kernel.gram(everyone, u[0], 0)[0]
    noise = np.exp(2 * u[1]) * np.eye(len(values)) + PRIORS.mean.sd**2
    seen = k[3:, 3:]
    solved = np.linalg.solve(seen + noise, values[:, 2])
    effect = k[:3, 3:] @ solved
    expected = effect - (seen @ solved).mean()
    np.testing.assert_allclose(found.mean[0, 0], expected, atol=1e-6)


@pytest.mark.parametrize("parents", [(0,), (0, 1)])
def test_lines_give_each_level_an_effect_of_its_own(parents):
    """log p by the covariance of the rows, integrated over the noise on a grid."""
    values = table(n_levels=3, n=40)
    model = LinearModel(values, 0.8, PRIORS, frozenset({0}))
    found = model.integrals(2, np.array([model.columns_of(parents)]))[0][0]
    design = np.column_stack(
        [corners(values[:, 0], np.unique(values[:, 0])), *(values[:, [p]] for p in parents[1:])]
    )
    k = 0.8 * design @ design.T + PRIORS.mean.sd**2
    grid = np.linspace(-3, 2, 400)
    logs = [
        multivariate_normal(np.zeros(40), k + np.exp(2 * s) * np.eye(40)).logpdf(values[:, 2])
        + PRIORS.noise.log_density(s)[0]
        for s in grid
    ]
    by_grid = np.logaddexp.reduce(logs) + np.log(grid[1] - grid[0])
    assert found == pytest.approx(by_grid, abs=1e-6)


def test_corners_are_as_far_apart_as_levels_are():
    z = np.array([0.0, 1, 2, 3, 1])
    each = corners(z, np.arange(4.0))
    distance = ((each[:, None] - each) ** 2).sum(axis=2)
    np.testing.assert_allclose(distance[z[:, None] != z], Levels(4).squared_distance)


def test_a_dense_target_of_numbers_is_another():
    """The control of the oracle above: codes taken for numbers give another likelihood."""
    values = table()
    u = np.array([0.3, -0.2, -1.0])
    as_numbers = DenseTarget(values[:, 2], values[:, :2], Additive(), PRIORS).value(u)
    model = FastModel(values, Additive(), PRIORS, categorical=frozenset({0}))
    assert abs(model.target(2, (0, 1)).value(u) - as_numbers) > 0.1
