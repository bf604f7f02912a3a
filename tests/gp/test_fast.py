"""The fast route against the dense one, and the core against its plain NumPy twin."""

import pickle
from pathlib import Path
from resource import getpagesize

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from gpnet import load_table
from gpnet.gp import basis
from gpnet.gp.basis import BAND, SHORTEST, build_basis
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence
from gpnet.gp.fast import FastModel, fast_route
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.mode_search import search
from gpnet.gp.modes import climb
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.gp.proposal import PlainCover, cover
from gpnet.gp.target import DenseTarget
from gpnet.scores import GpScore
from tests.gp.marginals import MARGINALS, in_other_units, regression

FORMS = {
    "se": Additive(),
    "matern52": KERNELS["matern52"](),
    "amplitude": KERNELS["amplitude"](),
    "line": KERNELS["line"](),
    "line with a parameter": Additive(line=0.5, line_parameter=True),
    "all": Additive(amplitude=True, line=1.0, line_parameter=True),
}


def both(table, kernel=None, hyperpriors=None):
    """The fast and the dense target of the last column given the others."""
    kernel, hyperpriors = kernel or Additive(), hyperpriors or Hyperpriors()
    n_parents = table.shape[1] - 1
    fast = FastModel(table, kernel, hyperpriors).target(n_parents, tuple(range(n_parents)))
    return fast, DenseTarget(table[:, -1], table[:, :-1], kernel, hyperpriors)


def posterior_draws(target, n, seed=0):
    """From the normal distribution at a mode: near enough to where posterior mass lies."""
    mode = climb(target, np.append(np.zeros(target.n_dims - 1), -0.7))
    root = np.linalg.cholesky(np.linalg.inv(-mode.hessian + 1e-3 * np.eye(target.n_dims)))
    return mode.u + np.random.default_rng(seed).standard_normal((n, target.n_dims)) @ root.T


# Nats. 1.2e-5 measured at 853 rows, five parents, little noise. It had been below 1e-5 with bases
# whose order hung on rounding; that order was nearer to the best one for each lengthscale, but not
# the same on every processor (`CLEAR` in gp/basis.py).
CLOSE = 2e-5


@pytest.mark.parametrize("n_rows", [30, 100, 853])
@pytest.mark.parametrize("n_parents", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_value_at_posterior_draws(n_rows, n_parents, noise):
    fast, dense = both(regression(n_rows, n_parents, seed=n_parents, noise=noise))
    points = posterior_draws(fast, 3)
    np.testing.assert_allclose(fast.values(points), dense.values(points), rtol=0, atol=CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("n_parents", [1, 3, 5])
def test_value_at_posterior_draws_of_5000_rows(n_parents):
    fast, dense = both(regression(5000, n_parents, seed=n_parents))
    points = posterior_draws(fast, 2)
    np.testing.assert_allclose(fast.values(points), dense.values(points), rtol=0, atol=CLOSE)


@pytest.mark.parametrize("n_rows", [100, 853])
def test_value_on_a_wide_grid(n_rows):
    fast, dense = both(regression(n_rows, 2, seed=4))
    steps = 6 if n_rows == 100 else 3
    lengthscales = np.log(np.geomspace(0.1, 100, steps))
    points = np.array(
        [[a, b, s] for a in lengthscales for b in lengthscales for s in np.log([0.1, 0.5, 2.0])]
    )
    # Far out, at values down to -40 000: 2.4e-3 measured where the lengthscale is 100.
    np.testing.assert_allclose(fast.values(points), dense.values(points), rtol=2e-7, atol=1e-4)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_parents", [1, 3])
def test_all_forms_agree_with_the_dense_route(form, n_parents):
    fast, dense = both(regression(60, n_parents, seed=7), FORMS[form])
    rng = np.random.default_rng(2)
    for _ in range(3):
        u = rng.normal(0, 0.4, fast.n_dims)
        for one, other in zip(fast.hessian(u), dense.hessian(u), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=2e-2)
        assert fast.value(u) == pytest.approx(dense.value(u), abs=1e-5)
        np.testing.assert_allclose(fast.gradient(u)[1], dense.gradient(u)[1], rtol=0, atol=2e-3)


@pytest.mark.parametrize("marginal", MARGINALS)
def test_rounding_is_not_amplified(marginal):
    """A thin factor is a little off, in second derivatives most: but always by as much.

    The proposal of importance sampling is made of them, and the error of its sum moves with it.
    """
    table = regression(100, 1, seed=3, names=[marginal])
    points = [np.array([u, -0.7]) for u in (-1.2, -0.6, 0.0, 0.7, 1.5)]
    plain = [both(table)[0].hessian(u) for u in points]
    for same in in_other_units(table):
        target = both(same)[0]
        for u, (value, gradient, hessian) in zip(points, plain, strict=True):
            again = target.hessian(u)
            assert again[0] == pytest.approx(value, abs=1e-7)
            np.testing.assert_allclose(again[1], gradient, rtol=0, atol=5e-6)
            np.testing.assert_allclose(again[2], hessian, rtol=0, atol=2e-5)


def test_other_priors_reach_the_core():
    hyperpriors = Hyperpriors(
        InverseGamma(3, 1), InverseGamma(2, 0.5), InverseGamma(4, 2), Normal(0.3, 0.6)
    )
    fast, dense = both(regression(50, 2, seed=1), FORMS["amplitude"], hyperpriors)
    u = np.array([0.1, -0.3, 0.4, 0.2, -0.6])
    assert fast.value(u) == pytest.approx(dense.value(u), abs=1e-5)


def plain_factor(basis, u, tolerance):
    """The thin factor of one parent from its bands, as factor.cpp makes it: F, D and D2."""
    steps = (u - np.log(SHORTEST)) / BAND
    band = basis.bands[int(steps)]
    t = np.array([chebyshev.Chebyshev.basis(k) for k in range(band.root.shape[1])])
    x, slope = 2 * (steps - int(steps)) - 1, 2 / BAND
    layers = [slope**k * np.array([f.deriv(k)(x) if k else f(x) for f in t]) for k in range(3)]
    left = band.log_left @ layers[0]
    rank = int(np.cumprod(left > np.log(tolerance)).sum())
    columns, rows = np.meshgrid(np.arange(rank), np.arange(band.size))
    starts = np.concatenate([[0], np.cumsum(band.size - np.arange(rank))])
    place = starts[columns] + rows - columns
    f, f1, f2 = (
        np.where(rows >= columns, (band.root @ layer)[np.where(rows >= columns, place, 0)], 0)
        for layer in layers
    )
    e, e2 = (np.linalg.solve(f[:rank], change[:rank]) for change in (f1, f2))
    return basis.matrix[:, : band.size] @ f, e + e.T, e2 + e2.T + 2 * e @ e.T


def plain_twin(table, u):
    """The core in NumPy, by N x N matrices: value, gradient and Hessian of the last column."""
    x, n, p = table[:, -1], len(table), table.shape[1] - 1
    variance = np.exp(2 * u[-1])
    bases = [build_basis(z, SquaredExponential()) for z in table.T[:p]]
    factors = [
        plain_factor(b, v, 1e-7 * min(1, variance)) for b, v in zip(bases, u[:-1], strict=True)
    ]
    sigma = np.ones((n, n)) + variance * np.eye(n) + sum(v @ v.T for v, _, _ in factors)
    first = [v @ d @ v.T for v, d, _ in factors] + [2 * variance * np.eye(n)]
    second = [v @ d2 @ v.T for v, _, d2 in factors] + [4 * variance * np.eye(n)]
    precision = np.linalg.inv(sigma)
    alpha = precision @ x
    log_determinant = np.linalg.slogdet(sigma)[1]
    value = -0.5 * (log_determinant + x @ alpha + n * np.log(2 * np.pi))
    gradient = np.array([0.5 * (alpha @ s @ alpha - np.vdot(precision, s)) for s in first])
    d = p + 1
    hessian = np.empty((d, d))
    for a in range(d):
        for b in range(d):
            both_ways = precision @ first[b] @ precision
            hessian[a, b] = 0.5 * np.vdot(both_ways, first[a])
            hessian[a, b] -= alpha @ first[a] @ precision @ first[b] @ alpha
        hessian[a, a] += 0.5 * (alpha @ second[a] @ alpha - np.vdot(precision, second[a]))
    shapes, scales = np.array([2.0] * p + [1.0]), np.array([2.0] * p + [1.0])
    tails = scales * np.exp(-u)
    value += (shapes * np.log(scales) - shapes * u - tails).sum()  # lgamma(1) = lgamma(2) = 0
    return value, gradient + tails - shapes, hessian - np.diag(tails)


@pytest.mark.parametrize("n_parents", [1, 2, 4])
def test_the_core_and_its_plain_twin(n_parents):
    table = regression(120, n_parents, seed=8)
    model = FastModel(table, Additive(), Hyperpriors())
    target = model.target(n_parents, tuple(range(n_parents)))
    rng = np.random.default_rng(0)
    for _ in range(5):
        u = np.append(rng.normal(0.3, 0.5, n_parents), rng.normal(-0.5, 0.2))
        for one, other in zip(target.hessian(u), plain_twin(table, u), strict=True):
            size = max(1.0, np.abs(other).max())
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * size)


def test_profiles_are_values():
    table = regression(90, 3, seed=5)
    model = FastModel(table, Additive(amplitude=True), Hyperpriors())
    target = model.target(3, (0, 1, 2))
    u, places = np.array([0.2, 0.1, -0.4, 0.3, 0.6, -0.2, -0.5]), np.linspace(-2, 3, 9)
    for parent in range(3):
        points = np.repeat(u[None], len(places), axis=0)
        points[:, 2 * parent] = places
        found = model._core.profile(3, (0, 1, 2), u, parent, places)
        np.testing.assert_allclose(found, target.values(points), rtol=0, atol=1e-9)


def test_importance_sampling_of_the_core_and_its_plain_twin():
    n_shoulders = 0
    for seed in range(8):
        model = FastModel(regression(60, 2, seed=seed), Additive(), Hyperpriors())
        target, modes = search(model, 2, (0, 1), {})
        net = np.random.default_rng(1).integers(2**30, size=(8, 4))
        shifts = np.random.default_rng(2).integers(2**30, size=(3, 4))
        core, plain = target.cover(modes), PlainCover(target, cover(target, modes))
        assert core.n_parts == len(plain.mixture.parts)
        one, other = (c.log_weights(net, shifts, 30) for c in (core, plain))
        # Shoulders are climbed to another tolerance in either; parts at modes are the same.
        shoulder = core.n_parts > len(modes)
        n_shoulders += shoulder
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-3 if shoulder else 1e-9)
    assert 0 < n_shoulders < 8  # both kinds were there


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_evaluations_leave_no_memory_behind():
    fast, _ = both(regression(60, 2, seed=1))
    points = np.random.default_rng(0).normal(0, 0.3, (1000, 3))

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()

    for _ in range(5):
        fast.values(points)
        fast.hessian(points[0])
    before = resident()
    for _ in range(100):
        fast.values(points)  # 100 000 in all
        fast.hessian(points[0])
    assert resident() - before < 4e6  # a leaked factor each would be some 2 GB


def test_newton_of_the_core_and_its_plain_twin():
    """The same climb in C++ and in gp/modes.py, with a coordinate held fast and without."""
    fast, _ = both(regression(80, 2, seed=6))
    model = FastModel(regression(80, 2, seed=6), Additive(), Hyperpriors())
    for fixed in (None, 0):
        start = np.array([0.4, 0.2, -0.7])
        plain = climb(fast, start, fixed=fixed)
        parents, place = (0, 1), -1 if fixed is None else fixed
        model.target(2, parents)
        (u, value, hessian, laplace, converged, _), _ = model._core.climb(2, parents, start, place)
        assert converged
        assert plain.converged
        np.testing.assert_allclose(u, plain.u, atol=1e-3)
        assert value == pytest.approx(plain.value, abs=1e-5)
        assert laplace == pytest.approx(plain.log_laplace, abs=1e-2)
        np.testing.assert_allclose(hessian, plain.hessian, rtol=0, atol=0.5)


def test_a_clamped_mode_is_told(monkeypatch):
    """A prior that draws the lengthscale below the tables, where these can be made no finer."""
    monkeypatch.setattr("gpnet.gp.fast.MOST_NODES", 10)
    data = load_table(regression(30, 1, seed=1))
    for prior, told in ((InverseGamma(200, 1), True), (InverseGamma(2, 2), False)):
        for method in EVIDENCE_METHODS.values():
            score = GpScore(evidence=method(), hyperpriors=Hyperpriors(lengthscale=prior))
            warnings = score.log_marginal(data, 1, (0,)).warnings
            assert any("too low" in warning for warning in warnings) == told


def test_a_basis_is_built_once(monkeypatch):
    built = []
    plain = basis.build_basis
    count = lambda *column: built.append(1) or plain(*column)  # noqa: E731
    monkeypatch.setattr("gpnet.gp.fast.build_basis", count)
    model = FastModel(regression(50, 2, seed=3), Additive(), Hyperpriors())
    search(model, 2, (0, 1), {})
    model.root(0, np.array([0.1]), 1e-6)
    model.target(2, (0, 1)).value(np.zeros(3))
    assert len(built) == 2


def test_outside_the_tables_is_flagged():
    fast, _ = both(regression(50, 2, seed=1))
    inside, below, above = (np.array([u, 0.0, -0.5]) for u in (0.0, np.log(0.05), np.log(1e4)))
    assert [fast.clamped(u) for u in (inside, below, above)] == [False, True, True]
    # the likelihood stands still there, only the prior moves
    assert fast.gradient(below)[1][0] == pytest.approx(2 / 0.05 - 2, abs=1e-9)


def test_impossible_noise_has_no_density():
    fast, _ = both(regression(50, 1, seed=1))
    assert fast.value(np.array([0.0, 800.0])) == -np.inf


def test_seldom_a_mode_is_missed():
    """Against 30 random starts on 60 sets of parents: here none."""
    rng = np.random.default_rng(5)
    missed = []
    for seed in range(20):
        table = regression(60, 3, seed=seed)
        model = FastModel(table, Additive(), Hyperpriors())
        for parents in ((0,), (0, 1), (0, 1, 2)):
            target, modes = search(model, 3, parents, {})
            found, best = modes[0].value, -np.inf
            for _ in range(30):
                u = rng.uniform(np.log(0.15), np.log(8), len(parents))
                best = max(best, climb(target, np.append(u, rng.uniform(-2, 0))).value)
            missed.append(best - found)
    assert np.mean(np.array(missed) > 0.1) < 0.01


def test_hints_change_no_number():
    table = regression(80, 3, seed=2)
    model = FastModel(table, Additive(), Hyperpriors())
    subsets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    hints = {s: np.array([m.u for m in search(model, 3, s, {})[1]]) for s in subsets}
    plain, modes = search(model, 3, (0, 1, 2), {})
    hinted, same = search(model, 3, (0, 1, 2), hints)
    np.testing.assert_array_equal(modes[0].u, same[0].u)
    assert hinted.n_evaluations < plain.n_evaluations / 2


@pytest.mark.parametrize("hint", [[], [0.0], [0.0] * 9, [np.nan, 0.0], [np.inf, 0.0]])
def test_hints_that_are_no_modes_are_left_alone(hint):
    """They come from stores: whoever writes there may write any."""
    data, score = load_table(regression(80, 3, seed=2)), GpScore().proposal()
    hints = {(0,): Evidence(0.0, 0.0, "laplace", mode=tuple(hint))}
    alone, hinted = (score.log_marginals(data, 3, [(0, 1)], h)[0] for h in ({}, hints))
    assert hinted.mode == alone.mode


def test_what_comes_first_changes_no_bit():
    """Bases and Gram blocks are built when first needed, in any order."""
    table = regression(200, 4, seed=3)
    one, other = (FastModel(table, Additive(), Hyperpriors()) for _ in range(2))
    u = np.array([-2.0, 0.3, 0.1, -0.4])  # a short lengthscale: the large Gram blocks
    other.target(4, (0, 3)).value(np.array([0.0, -2.2, -0.3]))
    other.target(4, (1, 2, 3)).value(np.array([0.0, 0.0, 0.0, -0.3]))
    assert one.target(4, (0, 1, 2)).value(u) == other.target(4, (0, 1, 2)).value(u)


def test_models_travel():
    table = regression(50, 2, seed=3)
    model = FastModel(table, Additive(), Hyperpriors())
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    u = np.array([0.2, -0.1, -0.5])
    assert model.target(2, (0, 1)).value(u) == copy.target(2, (0, 1)).value(u)


def test_which_kernels_have_a_fast_route():
    table = regression(400, 1, seed=1, names=["normal"])
    assert fast_route(KERNELS["additive"](), table)
    assert not fast_route(KERNELS["interaction"](), table)
    assert not fast_route(KERNELS["matern52"](), table)
    assert fast_route(KERNELS["matern52"](), table[:100])
