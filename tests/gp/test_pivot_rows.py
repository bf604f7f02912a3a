"""Rows that stand for all: the core against plain twins, the likelihood against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gpnet import _core
from gpnet.gp.kernels import KERNELS
from gpnet.gp.pivot_rows import Care, NearbyPivotRows
from tests.gp.marginals import regression

CARE = Care(tolerance=1e-3, cheap=0, share=0.5, most=1000, always=False, margin=0.3, reach=2.0)
MEAN_SD = 0.8


def covariance(z, u):
    """K + s^2 11' of all rows."""
    return KERNELS["interaction"]().covariance(z, u[:-1], 0).value + MEAN_SD**2


def point(n_parents, log_lengthscale=0.8):
    rng = np.random.default_rng(n_parents)
    u = rng.normal(0, 0.2, n_parents + min(n_parents, 2) + 1)
    u[:n_parents] += log_lengthscale
    return u


def split(n_parents, n_rows=150):
    table = regression(n_rows, n_parents, seed=n_parents)
    return table[:, -1], table[:, :-1]


def given(u, n_parents):
    kernel = np.exp(u[:-1])
    pair = kernel[n_parents + 1] if n_parents > 1 else 0.0
    return kernel[:n_parents], MEAN_SD**2, kernel[n_parents], pair


def plain_pivots(k, tolerance, most):
    """Rows and root, by the rows' Schur complements."""
    left, rows, root = k.copy(), [], np.zeros((len(k), 0))
    while np.trace(left) > tolerance and len(rows) < most:
        row = int(left.diagonal().argmax())
        column = left[:, row] / np.sqrt(left[row, row])
        rows.append(row)
        root = np.column_stack([root, column])
        left = left - np.outer(column, column)
    return rows, root, float(np.trace(left))


@pytest.mark.parametrize("n_parents", [1, 2, 3])
@pytest.mark.parametrize(("tolerance", "most"), [(1e-4, 150), (1e-9, 5)])
def test_pivots_against_a_plain_twin(n_parents, tolerance, most):
    z, u = split(n_parents)[1], point(n_parents)
    rows, root, left = _core.choose_pivots(z, *given(u, n_parents), tolerance, most)
    plain_rows, plain_root, plain_left = plain_pivots(covariance(z, u), tolerance, most)
    assert rows.tolist() == plain_rows
    np.testing.assert_allclose(root, plain_root, atol=1e-7)
    assert left == pytest.approx(plain_left, rel=1e-4)
    assert (left <= tolerance) == (most == 150)
    assert np.triu(root[rows], 1).max() == 0


def test_pivots_end_where_rows_repeat():
    z = np.repeat(np.array([[-1.0], [0.5], [2.0]]), 20, axis=0)
    rows, _, left = _core.choose_pivots(z, np.ones(1), 1.0, 2.0, 0.0, 1e-9, 60)
    assert len(np.unique(z[rows])) == len(rows) == 3
    assert left < 1e-9


@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_the_likelihood_is_that_of_the_interpolated_covariance(n_parents):
    """At the parameters that chose the rows and at smoother ones, where the same rows serve."""
    x, z = split(n_parents)
    chosen = point(n_parents)
    rows = NearbyPivotRows(x, z, MEAN_SD, CARE).make(chosen)
    assert len(rows) < 75
    interpolation = plain_interpolation(z, chosen, rows)
    for smoother in (0.0, 0.4):
        u = chosen + smoother * (np.arange(len(chosen)) < n_parents)
        k = interpolation @ covariance(rows._z, u) @ interpolation.T
        k += np.exp(2 * u[-1]) * np.eye(len(x))
        assert rows.value(u) == pytest.approx(multivariate_normal(cov=k).logpdf(x), abs=1e-6)
        assert rows.gradient(u)[0] == pytest.approx(rows.value(u), abs=1e-8)
        assert rows.hessian(u)[0] == pytest.approx(rows.value(u), abs=1e-8)


def plain_interpolation(z, u, rows):
    """C = K_:P K_PP^-1 at the limit up to which the rows serve."""
    places = [int(np.flatnonzero((z == row).all(axis=1))[0]) for row in rows._z]
    pivots = NearbyPivotRows(z[:, 0], z, MEAN_SD, CARE)
    limit = np.concatenate([-u[: z.shape[1]], u[z.shape[1] : -1] - 2 * u[-1]])
    limit += CARE.margin / pivots._weights
    main, *pair = np.exp(limit[z.shape[1] :])
    constant = 10 * MEAN_SD**2 * np.exp(limit[z.shape[1] :].max())
    amplitudes = np.log([main, *pair])
    k = KERNELS["interaction"]().covariance(z, np.append(-limit[: z.shape[1]], amplitudes), 0)
    k = k.value + constant
    return np.linalg.solve(k[np.ix_(places, places)], k[places]).T


@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_derivatives_are_those_of_the_value(n_parents):
    x, z = split(n_parents)
    u = point(n_parents)
    rows, h = NearbyPivotRows(x, z, MEAN_SD, CARE).make(u), 1e-5
    steps = h * np.eye(len(u))
    slope = [(rows.value(u + step) - rows.value(u - step)) / (2 * h) for step in steps]
    np.testing.assert_allclose(rows.gradient(u)[1], slope, rtol=1e-5, atol=1e-4)
    curve = [(rows.gradient(u + s)[1] - rows.gradient(u - s)[1]) / (2 * h) for s in steps]
    np.testing.assert_allclose(rows.hessian(u)[2], curve, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(rows.hessian(u)[1], rows.gradient(u)[1], rtol=1e-12)


def test_rows_serve_for_smoother_functions_nearby():
    x, z = split(2)
    nearby, u = NearbyPivotRows(x, z, MEAN_SD, CARE), point(2)
    lengthscale, amplitude = np.eye(5)[0], np.eye(5)[2]
    made = nearby.at(u)
    for near in (u - 0.2 * lengthscale, u + 0.5 * lengthscale, u + amplitude, u - amplitude):
        assert nearby.find(near) == (True, made)
    for far in (u - 0.4 * lengthscale, u + 2 * amplitude, u - 6 * amplitude):
        assert nearby.find(far) == (False, None)
    assert len(nearby.at(u - 0.4 * lengthscale)) > len(made)
    assert nearby.at(u) is made  # the fewest of those that serve


def test_where_too_many_rows_are_needed():
    x, z = split(2)
    rough = np.array([-2.5, -2.5, 0.0, 0.0, -1.0])
    nearby = NearbyPivotRows(x, z, MEAN_SD, CARE)
    assert nearby.at(rough) is None
    assert nearby.find(rough) == (True, None)
    assert nearby.design(rough) is None
    some = NearbyPivotRows(x, z, MEAN_SD, replace(CARE, always=True)).at(rough)
    assert len(some) == 75
    assert some.left > CARE.tolerance


def test_cheap_rows_are_taken_in_any_case():
    x, z = split(2)
    few = NearbyPivotRows(x, z, MEAN_SD, CARE).at(point(2))
    more = NearbyPivotRows(x, z, MEAN_SD, replace(CARE, cheap=len(few) + 5)).at(point(2))
    same = NearbyPivotRows(x, z, MEAN_SD, replace(CARE, cheap=len(few) - 5)).at(point(2))
    assert (len(more), len(same)) == (len(few) + 5, len(few))
    assert more.left < few.left == same.left <= CARE.tolerance


@pytest.mark.parametrize("n_parents", [1, 3])
def test_the_design_is_a_root_of_the_covariance(n_parents):
    x, z = split(n_parents)
    u = point(n_parents, 1.5)
    design = NearbyPivotRows(x, z, MEAN_SD, CARE).design(u)
    left = covariance(z, u) - design @ design.T
    assert 0 <= np.trace(left) < CARE.tolerance * np.exp(2 * u[-1])
