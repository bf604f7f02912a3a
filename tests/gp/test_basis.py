"""The basis reproduces kernels it never formed."""

import numpy as np
import pytest

from gpnet.gp.basis import N_CHEBYSHEV, N_OCTAVES, SHORTEST, build_basis
from gpnet.gp.components import COMPONENTS
from gpnet.gp.components.squared_exponential import SquaredExponential
from tests.gp.marginals import MARGINALS, draw

SE = SquaredExponential()


def tabulated(basis, theta):
    """S(theta) from the tables, and the number of basis vectors it uses."""
    steps = np.log2(theta / SHORTEST)
    octave = min(int(steps + 1e-9), N_OCTAVES - 1)
    x = np.clip(2 * (steps - octave) - 1, -1, 1)
    polynomials = np.cos(np.arange(N_CHEBYSHEV) * np.arccos(x))
    return np.einsum("jki,k->ij", basis.tables[octave], polynomials), basis.sizes[octave]


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
    assert list(basis.sizes) == sorted(basis.sizes, reverse=True)
    assert basis.sizes[3] < 50  # lengthscales from 0.8: free of the number of rows
    z = draw("normal", 5000)[:, None]
    np.testing.assert_allclose(basis.project(z)[:, 0], basis.line, atol=1e-9)


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
    assert basis.rows.shape[1] <= 24
    assert len(basis.coordinates) < 1000
