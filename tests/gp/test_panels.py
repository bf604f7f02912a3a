"""Rows interpolated anew against rows that are kept, and streamed sums against dense ones."""

import numpy as np
import pytest

from gpnet import _core
from gpnet.gp import panels
from gpnet.gp.basis import build_basis
from gpnet.gp.components.levels import Levels
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.fast import BLOCK, FastModel
from gpnet.gp.kernels import Additive
from gpnet.gp.panels import interpolation, pieces_of
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import residuals_of_design

SE = SquaredExponential()
U = np.array([0.1, -0.4, -0.5])


def draw(n, kind, rng):
    z = {
        "normal": lambda: rng.standard_normal(n),
        "t3": lambda: rng.standard_t(3, n),
        "rounded": lambda: np.round(rng.standard_normal(n), 1),
        # Some thousand values that crowd at one end of a panel, which no polynomial likes.
        "crowded": lambda: np.where(rng.random(n) < 0.5, 1e-3, 1.0) * rng.standard_normal(n),
    }[kind]()
    return (z - z.mean()) / z.std(ddof=1)


def table(n, kind, seed=0):
    rng = np.random.default_rng(seed)
    z = np.column_stack([draw(n, kind, rng), draw(n, "normal", rng)])
    x = np.sin(2 * z[:, 0]) + np.tanh(z[:, 1]) + 0.5 * rng.standard_normal(n)
    return np.column_stack([z, (x - x.mean()) / x.std(ddof=1)])


def fitted(values):
    return FastModel(values, Additive(), Hyperpriors()).target(2, (0, 1))


@pytest.fixture(autouse=True)
def few_kept(monkeypatch):
    """As if there were more rows."""
    monkeypatch.setattr(panels, "MOST_KEPT", 300)


@pytest.fixture
def all_kept(monkeypatch):
    """Call it to have every panel keep its rows from then on."""
    return lambda: monkeypatch.setattr(panels, "MOST_KEPT", 10**9)


def test_rows_of_large_panels_are_those_of_the_interpolation():
    z = draw(8_000, "normal", np.random.default_rng(1))
    rows = build_basis(z, SE).rows
    assert 0 < rows.n_kept < len(z) / 2
    checked = 0
    for index in pieces_of(z, True, 0.3):
        if len(index) > panels.MOST_KEPT:
            low, high = z[index].min(), z[index].max()
            nodes = (low + high) / 2 + (high - low) / 2 * panels.chebyshev_nodes(panels.NODES)
            np.testing.assert_allclose(rows.some(index), interpolation(nodes, z[index]), atol=1e-13)
            checked += len(index)
    assert checked == len(z) - rows.n_kept


@pytest.mark.parametrize("kind", ["normal", "t3", "rounded", "crowded"])
def test_statistics_are_the_same_whether_rows_are_kept_or_not(kind, all_kept):
    z = draw(8_000, kind, np.random.default_rng(2))
    columns = np.column_stack([np.ones(len(z)), z, np.random.default_rng(3).normal(size=len(z))])
    streamed = build_basis(z, SE)
    found = streamed.project(columns)
    q = streamed.matrix
    np.testing.assert_allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-11)
    np.testing.assert_allclose(found, q.T @ columns, atol=1e-12 * len(z))
    all_kept()
    kept = build_basis(z, SE)
    assert kept.rows.n_kept == len(z) > streamed.rows.n_kept


@pytest.mark.parametrize("kind", ["normal", "t3", "rounded"])
def test_likelihoods_are_the_same_whether_rows_are_kept_or_not(kind, all_kept):
    values = table(8_000, kind)
    streamed = fitted(values).hessian(U)
    all_kept()
    kept = fitted(values).hessian(U)
    for found, expected in zip(streamed, kept, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)


def test_levels_of_many_rows():
    z = np.random.default_rng(4).integers(0, 4, 5_000).astype(float)
    basis = build_basis(z, Levels(4))
    assert basis.rows.n_kept == 0
    q = basis.matrix
    np.testing.assert_allclose(q.T @ q, np.eye(4), atol=1e-13)
    for level in range(4):
        column = (z == level).astype(float)
        np.testing.assert_allclose(q @ (q.T @ column), column, atol=1e-13)


def test_sums_do_not_depend_on_how_rows_are_cut_into_blocks():
    z = draw(5_000, "normal", np.random.default_rng(5))
    columns = np.random.default_rng(6).normal(size=(len(z), 3))
    basis = build_basis(z, SE)
    sums = basis.no_sums(3)
    for start in range(0, len(z), 777):
        basis.rows.add_products(start, columns[start : start + 777], sums)
    assert np.array_equal(basis.coordinates.T @ sums, basis.project(columns))


def test_sums_are_those_of_numpy_bit_by_bit():
    z = draw(500, "normal", np.random.default_rng(7))
    columns = np.random.default_rng(8).normal(size=(len(z), 3))
    basis = build_basis(z, SE)
    every = np.arange(len(z))
    local, start = basis.rows.some(every), basis.rows.starts(every)
    sums, expected = basis.no_sums(3), basis.no_sums(3)
    for j in range(basis.rows.width):
        np.add.at(expected, start + j, local[:, [j]] * columns)
    basis.rows.add_products(0, columns, sums)
    assert np.array_equal(sums, expected)


def test_more_rows_than_a_block_are_summed():
    values = table(BLOCK + 5, "normal")
    value, gradient = fitted(values).gradient(U)
    half = np.vstack([values[::-1]])
    again, gradient_again = fitted(half).gradient(U)
    np.testing.assert_allclose(value, again, rtol=1e-10)
    np.testing.assert_allclose(gradient, gradient_again, rtol=1e-6)


def test_residuals_of_rows_in_crowded_panels(all_kept):
    """Of thousands of rows in a panel none has a say in its own fit; all others are exact."""
    values = table(20_000, "t3")
    streamed = fitted(values).leave_one_out(U)
    all_kept()
    exact = fitted(values).leave_one_out(U)
    np.testing.assert_allclose(streamed.sd, exact.sd, rtol=0.05)
    np.testing.assert_allclose(streamed.standardised, exact.standardised, rtol=0.05, atol=1e-6)
    outer = np.abs(values[:, 0]) > 4
    assert outer.sum() > 20
    np.testing.assert_allclose(streamed.sd[outer], exact.sd[outer], rtol=1e-9)


def test_fits_of_crowded_rows_are_products_with_their_coordinates():
    """The core interpolates without making the row; a plain twin makes it."""
    values = table(5_000, "normal")
    model = FastModel(values, Additive(), Hyperpriors())
    target, sigma = model.target(2, (0, 1)), float(np.exp(U[-1]))
    design = [np.ones((5_000, 1))]
    for j in (0, 1):
        root = model.root(j, U[[j]], 1e-9)
        design.append(model.basis(j).matrix[:, : len(root)] @ root)
    a = np.hstack(design)
    weights = np.linalg.solve(a.T @ a + sigma**2 * np.eye(a.shape[1]), a.T @ values[:, 2])
    found = target.leave_one_out(U)
    crowded = found.sd == sigma
    assert crowded.mean() > 0.5
    expected = (values[:, 2] - a @ weights) / sigma
    np.testing.assert_allclose(found.standardised[crowded], expected[crowded], atol=2e-5)


def test_exact_residuals_are_those_of_the_design():
    values = table(300, "normal")
    model = FastModel(values, Additive(), Hyperpriors())
    target = model.target(2, (0, 1))
    roots = [model.root(j, U[[j]], 1e-9) for j in (0, 1)]
    factors = [model.basis(j).matrix[:, : len(root)] @ root for j, root in enumerate(roots)]
    design = np.column_stack([np.ones(300), *factors])
    expected = residuals_of_design(design, values[:, 2], np.exp(2 * U[-1]))
    found = target.leave_one_out(U)
    np.testing.assert_allclose(found.standardised, expected.standardised, atol=1e-5)
    np.testing.assert_allclose(found.sd, expected.sd, atol=1e-5)


def test_ranks_stay_where_rows_go_on():
    """Of 20 times as many rows in the same range, the factors have hardly more columns."""

    def rank(n):
        rng = np.random.default_rng(9)
        z = rng.uniform(-1.7, 1.7, size=(n, 2))
        values = np.column_stack([z, np.sin(z).sum(axis=1) + 0.5 * rng.standard_normal(n)])
        model = FastModel(values, Additive(), Hyperpriors())
        model.target(2, (0, 1))
        return model._core.evaluate(2, (0, 1), U, 0)[3]

    assert rank(200_000) <= rank(10_000) + 1


def test_the_core_holds_the_values_that_it_looks_at():
    """The column is gone from Python, and rows are interpolated from it all the same."""
    z = draw(5_000, "normal", np.random.default_rng(10))
    rows = build_basis(z.copy(), SE).rows
    again = build_basis(z, SE).rows
    every = np.arange(len(z))
    assert isinstance(rows, _core.PanelRows)
    assert np.array_equal(rows.some(every), again.some(every))
