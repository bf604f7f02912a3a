"""The basis reproduces kernels it never formed."""

import numpy as np
import pytest

from gpnet.gp.basis import BAND, N_BANDS, N_CHEBYSHEV, SHORTEST, build_basis
from gpnet.gp.components import COMPONENTS
from gpnet.gp.components.squared_exponential import SquaredExponential
from tests.gp.marginals import MARGINALS, draw, in_other_units

SE = SquaredExponential()


def tabulated(basis, theta):
    """S(theta) from the tables, and the number of basis vectors it uses."""
    steps = np.log(theta / SHORTEST) / BAND
    index = min(int(steps + 1e-9), N_BANDS - 1)
    x = np.clip(2 * (steps - index) - 1, -1, 1)
    band = basis.bands[index]
    entries = band.root @ np.cos(np.arange(N_CHEBYSHEV) * np.arccos(x))
    root = np.zeros((band.size, len(band.log_left)))
    for c in range(root.shape[1]):
        root[c:, c], entries = entries[: band.size - c], entries[band.size - c :]
    return root @ root.T, band.size


@pytest.mark.parametrize("n", [10, 100, 853])
@pytest.mark.parametrize("marginal", MARGINALS)
def test_kernels_are_reproduced(marginal, n):
    z = draw(marginal, n)
    basis = build_basis(z, SE)
    q = basis.matrix
    np.testing.assert_allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-13)
    for theta in (0.1, 0.17, 0.5, 1.0, 3.0, 40.0, 700.0):
        s, m = tabulated(basis, theta)
        gram = SE.gram(z, np.log(theta), 0)[0]
        np.testing.assert_allclose(q[:, :m] @ s @ q[:, :m].T, gram, atol=1e-7)


def test_the_basis_is_the_same_where_divide_and_conquer_fails(monkeypatch):
    """As it does on some matrices; a campaign of odd tables came upon one."""
    z = draw("normal", 60)
    before = build_basis(z, SE)

    def fails(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr("numpy.linalg.svd", fails)
    after = build_basis(z, SE)
    for theta in (0.1, 0.5, 3.0, 40.0):
        grams = []
        for basis in (before, after):
            s, m = tabulated(basis, theta)
            grams.append(basis.matrix[:, :m] @ s @ basis.matrix[:, :m].T)
        np.testing.assert_allclose(grams[1], grams[0], atol=1e-9)


@pytest.mark.parametrize("name", COMPONENTS)
def test_any_component_fills_the_tables(name):
    z, component = draw("normal", 60), COMPONENTS[name]()
    basis = build_basis(z, component)
    q = basis.matrix
    for theta in (0.3, 1.5):
        s, m = tabulated(basis, theta)
        gram = component.gram(z, np.log(theta), 0)[0]
        np.testing.assert_allclose(q[:, :m] @ s @ q[:, :m].T, gram, atol=1e-7)


@pytest.mark.parametrize("name", COMPONENTS)
def test_derivatives_of_components(name):
    z, h = draw("t3", 15), 1e-5
    below, at, above = (COMPONENTS[name]().gram(z, 0.2 + k * h, 2) for k in (-1, 0, 1))
    np.testing.assert_allclose(at[1], (above[0] - below[0]) / (2 * h), atol=1e-9)
    np.testing.assert_allclose(at[2], (above[1] - below[1]) / (2 * h), atol=1e-9)


def test_nested_and_small():
    basis = build_basis(draw("normal", 5000), SE)
    sizes = [band.size for band in basis.bands]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[6] < 50  # lengthscales from 0.8: free of the number of rows
    z = draw("normal", 5000)[:, None]
    np.testing.assert_allclose(basis.project(z)[:, 0], basis.line, atol=1e-9)


def sine(one, other):
    """Of the largest angle between two spaces of one size, each given by orthonormal columns."""
    return np.linalg.norm(other - one @ (one.T @ other), 2)


@pytest.mark.parametrize("marginal", MARGINALS)
def test_rounding_has_no_part_in_the_order_of_the_basis(marginal):
    """Were directions taken down to the rounding of K, these sines would be 1."""
    z = draw(marginal, 100)
    leading = build_basis(z, SE).matrix[:, :24]
    for same in in_other_units(z):
        assert sine(leading, build_basis(same, SE).matrix[:, :24]) < 0.1


@pytest.mark.parametrize("marginal", MARGINALS)
def test_projection_is_the_matrix(marginal):
    z, columns = draw(marginal, 200), np.random.default_rng(1).standard_normal((200, 3))
    basis = build_basis(z, SE)
    np.testing.assert_allclose(basis.project(columns), basis.matrix.T @ columns, atol=1e-12)


def test_line_and_constant_are_in_the_basis():
    z = draw("t3", 300)
    q = build_basis(z, SE).matrix[:, :2]
    for column in (z, np.ones(300)):
        np.testing.assert_allclose(q @ (q.T @ column), column, atol=1e-12)


def test_a_hundred_thousand_rows_in_little_memory():
    basis = build_basis(draw("normal", 100_000), SE)
    assert basis.rows.width <= 24
    assert len(basis.coordinates) < 1000


def test_what_is_left_of_the_trace_is_told():
    """log_left against the trace itself, where it is above the noise."""
    z = draw("normal", 200)
    basis = build_basis(z, SE)
    for index, band in enumerate(basis.bands[4:12], start=4):
        middle = np.cos(np.arange(N_CHEBYSHEV) * np.pi / 2)  # T_k(0)
        theta = SHORTEST * np.exp(BAND * (index + 0.5))
        gram = SE.gram(z, np.log(theta), 0)[0]
        q = basis.matrix[:, : band.size]
        root = np.linalg.cholesky(q.T @ gram @ q + 1e-12 * np.eye(band.size))
        left = (root**2).sum(axis=0)[::-1].cumsum()[::-1][: len(band.log_left)]
        clear = left > 1e-8
        np.testing.assert_allclose(np.exp(band.log_left @ middle)[clear], left[clear], rtol=0.05)
