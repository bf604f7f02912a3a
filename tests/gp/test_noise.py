"""Noise of any shape and of a size that varies: the core against plain twins and integrals."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import logsumexp
from scipy.stats import binom, expon, norm, t, uniform

from gpnet import _core
from gpnet.gp.noise import NOISES, FlexibleNoise, GaussianNoise
from gpnet.gp.noise.flexible import FAMILIES, LEAST_SIZE, _shape_families, resolution
from gpnet.gp.noise_sizes import N_PLACES
from gpnet.gp.residuals import Residuals
from tests.gp.marginals import standardise
from tests.gp.noise_twin import edge_log_ratio, edges_log_ratio, scale_log_ratio, shape_log_ratio

TOO_LOW = -5.0  # nats below which the core leaves a shape after one step
SCALE_TOO_LOW = -4.0
REACH = 3.2
PLACES = np.linspace(-REACH, REACH, N_PLACES)
LINE = [family for family in FAMILIES if family.support == "line"]
WITH_EDGES = [family for family in FAMILIES if family.support != "line"]
DRAWS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "t3": lambda rng, n: rng.standard_t(3, n),
    "uniform": lambda rng, n: rng.random(n),
    "two peaks": lambda rng, n: rng.choice([-2, 2], n) + rng.standard_normal(n),
    "outlier": lambda rng, n: np.append(rng.standard_normal(n - 1), 9.0),
    "far outlier": lambda rng, n: np.append(rng.standard_normal(n - 1), 1e3),
}
NOT_NORMAL = [name for name in DRAWS if name != "normal"]


def draw(name, n, seed=0):
    return standardise(DRAWS[name](np.random.default_rng([n, seed]), n))


def smooth(lengthscale, sd, most=None, places=PLACES):
    """A root of the covariance of a smooth function on the grid: its largest parts."""
    gram = sd**2 * np.exp(-(((places[:, None] - places) / lengthscale) ** 2) / 2)
    values, vectors = np.linalg.eigh(gram)
    kept = np.flatnonzero(values > 1e-2)[::-1][:most]
    return vectors[:, kept] * np.sqrt(values[kept])


ROOTS = [(family.degrees, smooth(family.lengthscale, family.sd)) for family in LINE]


def on_line(*roots):
    return _core.NoiseShapes([("line", degrees, -REACH, REACH, root) for degrees, root in roots])


SHAPES = on_line(*ROOTS)
ALL_SHAPES = _shape_families()


def by_twin(residuals, widths):
    return np.array([shape_log_ratio(residuals, widths, REACH, *family) for family in ROOTS])


def columns_of(z):
    """Three functions that the log size may follow."""
    return 0.5 * np.column_stack([np.ones(len(z)), np.tanh(z), np.cos(z)])


# The core against its twins


@pytest.mark.parametrize("width", [0.0, 0.04, 0.3, 1.5])
@pytest.mark.parametrize("name", DRAWS)
def test_shapes_are_those_of_the_twin(name, width):
    for n in (20, 150):
        e, widths = draw(name, n), np.full(n, width)
        found, exact = SHAPES.log_ratios(e, widths), by_twin(e, widths)
        in_full = found >= TOO_LOW
        np.testing.assert_allclose(found[in_full], exact[in_full], rtol=1e-9, atol=1e-6)


def test_shapes_left_early_have_no_say():
    """One step does not tell all, but too little to matter beside the other shapes and none."""
    n_early = 0
    for name in DRAWS:
        for n in (30, 120, 300):
            e, widths = draw(name, n, seed=1), np.zeros(n)
            found = SHAPES.log_ratios(e, widths)
            early = found < TOO_LOW
            n_early += early.sum()
            exact = np.where(early, by_twin(e, widths), found) if early.any() else found
            both = [logsumexp(np.append(ratios, np.log(4))) for ratios in (found, exact)]
            assert abs(both[0] - both[1]) < 0.01
    assert n_early > 5


@pytest.mark.parametrize("width", [0.0, 0.3])
@pytest.mark.parametrize("name", DRAWS)
def test_shapes_with_edges_are_those_of_the_twin(name, width):
    e, widths = draw(name, 120), np.full(120, width)
    for family in WITH_EDGES:
        places = np.linspace(family.low, family.high, N_PLACES)
        root = smooth(family.lengthscale, family.sd, places=places)
        given = (family.support, family.degrees, family.low, family.high, root)
        heavy = ("line", 4.0, -REACH, REACH, ROOTS[-2][1])
        smooth_ratio, found = _core.NoiseShapes([heavy, given]).log_ratios(e, widths)
        if smooth_ratio < 0:  # nothing that is not normal: edges are not looked for
            assert found == TOO_LOW
            continue
        if family.support == "between_edges":
            exact = edges_log_ratio(e, widths, places, root)
        else:
            sign = 1 if family.support == "above_edge" else -1
            exact = edge_log_ratio(sign * e, widths, places, root)
        if found >= TOO_LOW:
            assert found == pytest.approx(exact, rel=1e-9, abs=1e-6)
        else:
            assert exact < TOO_LOW + 3


@pytest.mark.parametrize(
    ("name", "support", "density"),
    [
        ("exponential", "above_edge", expon(-1)),
        ("uniform", "between_edges", uniform(-np.sqrt(3), 2 * np.sqrt(3))),
    ],
)
def test_densities_with_edges_are_nearly_as_good_as_the_truth(name, support, density):
    """Where smooth ones are not: they lose with every row, which turned directions round."""
    e = density.rvs(size=1000, random_state=0)
    truth = density.logpdf(e).sum() - norm.logpdf(e).sum()
    found = dict(zip(FAMILIES, ALL_SHAPES.log_ratios(e, np.zeros(1000)), strict=True))
    best = {family.support: ratio for family, ratio in sorted(found.items(), key=lambda f: f[1])}
    assert truth - 40 < best[support] < truth + 10
    assert best["line"] < best[support] - 40
    normal = ALL_SHAPES.log_ratios(draw("normal", 1000), np.zeros(1000))
    assert max(normal[len(LINE) :]) <= TOO_LOW  # the control


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_scales_are_those_of_the_twin(n_columns, strength):
    for n, seed in ((25, 0), (200, 1)):
        rng = np.random.default_rng([seed, n])
        z = rng.standard_normal(n)
        design = columns_of(z)[:, -n_columns:]
        e = rng.standard_normal(n) * np.exp(strength * z)
        found, log_sd = _core.varying_scale(e, design)
        exact, exact_log_sd = scale_log_ratio(e, design)
        if len(log_sd) == 0:
            assert max(found, exact) < SCALE_TOO_LOW
            continue
        assert found == pytest.approx(exact, abs=1e-3)  # the last step is not taken
        np.testing.assert_allclose(log_sd, exact_log_sd, atol=1e-3)


def test_scales_left_early_have_no_say():
    rng = np.random.default_rng(3)
    z = rng.standard_normal((400, 4))
    design = np.hstack([2 * columns_of(one) for one in z.T])
    e = standardise(rng.standard_normal(400))
    found, log_sd = _core.varying_scale(e, design)
    assert found < SCALE_TOO_LOW
    assert scale_log_ratio(e, design)[0] < SCALE_TOO_LOW
    assert len(log_sd) == 0


# The core against integrals


def log_density(degrees, root, c):
    """log g(e) as a function, with Z by a rule of its own."""
    base = norm if np.isinf(degrees) else t(degrees, scale=np.sqrt((degrees - 2) / degrees))

    def log_unnormalised(e):
        return base.logpdf(e) + np.interp(np.arcsinh(e), PLACES, root @ c)

    line = np.sinh(np.linspace(-REACH - 1, REACH + 1, 801))
    log_z = np.log(trapezoid(np.exp(log_unnormalised(line)), line))
    return lambda e: log_unnormalised(e) - log_z


@pytest.mark.parametrize("n", [100, 200])
@pytest.mark.parametrize("degrees", [np.inf, 4.0])
@pytest.mark.parametrize("name", ["normal", "exponential", "t3", "uniform"])
def test_one_part_of_a_shape_by_quadrature(name, degrees, n):
    """s = root c with one number c. The places cost some 5e-4 nats a row, more in heavy tails."""
    root = smooth(0.8, 2.0, most=3)[:, [2]]
    e = draw(name, n)
    grid = np.linspace(-6, 6, 121)
    log_p = [log_density(degrees, root, np.array([c]))(e).sum() + norm.logpdf(c) for c in grid]
    exact = logsumexp(log_p) + np.log(grid[1] - grid[0]) - norm.logpdf(e).sum()
    (found,) = on_line((degrees, root)).log_ratios(e, np.zeros(n))
    if found >= TOO_LOW:
        assert found == pytest.approx(exact, abs=(2e-3 if name == "t3" else 1e-3) * n)
    else:
        assert exact < TOO_LOW + 1


def test_two_parts_of_a_shape_by_quadrature():
    root = smooth(0.8, 2.0, most=2)
    e = draw("exponential", 150)
    grid = np.linspace(-5, 5, 51)
    log_p = [
        log_density(np.inf, root, np.array([a, b]))(e).sum() + norm.logpdf([a, b]).sum()
        for a in grid
        for b in grid
    ]
    exact = logsumexp(log_p) + 2 * np.log(grid[1] - grid[0]) - norm.logpdf(e).sum()
    (found,) = on_line((np.inf, root)).log_ratios(e, np.zeros(150))
    assert found == pytest.approx(exact, abs=0.1)


@pytest.mark.parametrize("strength", [0.0, 0.5, -1.0])
@pytest.mark.parametrize("n", [100, 400])
def test_one_part_of_a_scale_by_quadrature(strength, n):
    rng = np.random.default_rng(n)
    z = rng.standard_normal(n)
    e = rng.standard_normal(n) * np.exp(strength * z)
    grid = np.linspace(-5, 5, 2001)
    sizes = np.exp(np.outer(grid, z))
    log_p = norm.logpdf(e, 0, sizes).sum(axis=1) + norm.logpdf(grid)
    exact = logsumexp(log_p) + np.log(grid[1] - grid[0]) - norm.logpdf(e).sum()
    found, log_sd = _core.varying_scale(e, z[:, None])
    assert found == pytest.approx(exact, abs=0.05)
    np.testing.assert_allclose(log_sd, grid[log_p.argmax()] * z, atol=0.02)


def test_a_t_density_alone_is_that_of_scipy():
    """With s all but 0 there is nothing to integrate."""
    e = draw("t3", 200)
    flat = on_line((4.0, np.full((N_PLACES, 1), 1e-9)))
    exact = t.logpdf(e, 4, scale=np.sqrt(0.5)) - norm.logpdf(e)
    # Z is that of the grid, beyond which the density has some 1e-4.
    assert flat.log_ratios(e, np.zeros(200))[0] == pytest.approx(exact.sum(), abs=0.03)


# What the data decide


def gain(e, parents=None, *, noise=None, widths=None):
    """Of standardised residuals e that are the first column themselves."""
    values = np.column_stack([e] if parents is None else [e, parents])
    tables = (noise or FlexibleNoise()).tables(values)
    if widths is not None:
        tables._widths[0] = widths
    own = Residuals(e, np.ones(len(e)))
    return tables.gain(own, 0, tuple(range(1, values.shape[1])))


def test_normal_residuals_are_seldom_taken_for_others():
    """By Markov's inequality posterior odds above 19 have a probability below 1/19.

    More than 8 of 40 are a false alarm with a probability below 1e-3.
    """
    assert binom.sf(8, 40, 1 / 19) < 1e-3
    gains = [gain(draw("normal", 200, seed)) for seed in range(40)]
    assert sum(one.shaped > 0.95 for one in gains) <= 8
    assert np.median([one.shaped for one in gains]) < 0.05
    assert np.median([one.log_ratio for one in gains]) == pytest.approx(np.log(0.5), abs=0.02)
    assert {one.varying for one in gains} == {0.0}  # without parents


@pytest.mark.parametrize("name", NOT_NORMAL)
def test_other_residuals_are_told_from_normal_ones(name):
    for seed in range(5):
        found = gain(draw(name, 400, seed))
        assert found.shaped > 0.9
        assert found.log_ratio > np.log(0.5)


def varying_residuals(strength, seed, n=200):
    rng = np.random.default_rng([7, seed])
    z = rng.standard_normal((n, 2))
    return standardise(rng.standard_normal(n) * np.exp(strength * z[:, 1])), z


def test_sizes_that_follow_a_parent():
    gains = [gain(*varying_residuals(0.5, seed)) for seed in range(8)]
    assert min(one.varying for one in gains) > 0.95
    assert np.median([one.shaped for one in gains]) < 0.05  # not a shape: once scaled it is normal
    # The control: the same residuals beside parents of other rows. Each is a false alarm with a
    # probability below 1/19 x 3/7, by Markov's inequality; two of eight with one below 2e-2.
    assert binom.sf(1, 8, 3 / 7 / 19) < 2e-2
    shuffled = [gain(draw("normal", 200, seed), varying_residuals(0, seed)[1]) for seed in range(8)]
    assert sum(one.varying > 0.95 for one in shuffled) <= 1
    typical = np.median([one.log_ratio for one in shuffled])
    assert typical == pytest.approx(np.log(0.7 * 0.5), abs=0.02)


def test_both_at_once():
    rng = np.random.default_rng(4)
    z = rng.standard_normal(400)
    found = gain(standardise(rng.standard_t(3, 400) * np.exp(0.8 * z)), z)
    assert min(found.shaped, found.varying) > 0.95


def test_the_gain_is_a_mixture_by_hand():
    noise = FlexibleNoise(normal=0.7, varying=0.2)
    e, z = varying_residuals(0.1, 3, n=80)
    e = standardise(np.sign(e) * np.abs(e) ** 1.4)
    zero = np.zeros(80)

    def shapes(e):
        normal, other = (
            np.log(0.7),
            np.log(0.3 / len(FAMILIES)) + logsumexp(ALL_SHAPES.log_ratios(e, zero)),
        )
        return np.logaddexp(normal, other), np.exp(other - np.logaddexp(normal, other))

    tables = noise.tables(np.column_stack([e, z]))
    sizes = np.maximum(np.abs(e), LEAST_SIZE)
    ratio, log_sd = _core.varying_scale(sizes, tables._sizes.design((1, 2)))
    same, shaped_same = shapes(e)
    other, shaped_other = shapes(e / np.exp(log_sd))
    parts = np.array([np.log(0.8) + same, np.log(0.2) + ratio + other])
    shares = np.exp(parts - logsumexp(parts))
    found = tables.gain(Residuals(e, np.ones(80)), 0, (1, 2))
    assert 0.01 < found.varying < 0.99
    assert 0.01 < found.shaped < 0.99
    assert found.log_ratio == pytest.approx(logsumexp(parts), abs=1e-9)
    assert found.varying == pytest.approx(shares[1], abs=1e-9)
    assert found.shaped == pytest.approx(shares @ [shaped_same, shaped_other], abs=1e-9)


def test_rounded_columns_are_not_taken_for_shapes():
    for seed in range(5):
        rng = np.random.default_rng([8, seed])
        for step in (0.5, 1.0):
            e = standardise(np.round(rng.standard_normal(300) / step) * step)
            assert gain(e).shaped < 0.5
        assert gain(e, widths=0).shaped > 0.99  # the control: without its resolution


def test_widths_are_in_units_of_the_residuals():
    """A width of a column, over the standard deviation of each row given the others."""
    e = standardise(np.round(draw("normal", 100)))
    tables = FlexibleNoise().tables(e[:, None])
    sd = np.random.default_rng(1).uniform(0.2, 2, 100)
    found = tables.gain(Residuals(e, sd), 0, ())
    ratios = ALL_SHAPES.log_ratios(e, resolution(e) / sd)
    exact = np.logaddexp(np.log(0.5), np.log(0.5 / len(FAMILIES)) + logsumexp(ratios))
    assert found.log_ratio == pytest.approx(exact, abs=1e-9)


def test_gaussian_noise_gains_nothing():
    found = gain(draw("exponential", 50), noise=GaussianNoise())
    assert found.log_ratio == 0
    assert np.isnan([found.shaped, found.varying]).all()
    assert [name for name, noise in NOISES.items() if noise.gaussian] == ["gaussian"]


# The resolution of a column


@pytest.mark.parametrize(
    ("x", "widths"),
    [
        ([0, 1, 2, 0, 1, 2, 0], [1, 1, 1, 1, 1, 1, 1]),
        ([0, 1, 3, 3, 0, 1, 3], [1, 1.5, 2, 2, 1, 1.5, 2]),  # half of both gaps; at the ends one
        ([5, 5, 7, 7, 5], [2, 2, 2, 2, 2]),
        ([0, 1, 2, 3, 0, 1], [0, 0, 0, 0, 0, 0]),  # as many as half of the rows, or more
        ([4, 4, 4], [0, 0, 0]),
        ([0.1, 0.2, 0.3], [0, 0, 0]),
    ],
)
def test_resolution_by_hand(x, widths):
    np.testing.assert_allclose(resolution(np.array(x, dtype=float)), widths)


def test_resolution_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    x = rng.poisson(3, 50).astype(float)
    order = rng.permutation(50)
    np.testing.assert_array_equal(resolution(x[order]), resolution(x)[order])


def gains(e, z, parents, *, many, monkeypatch):
    """As if tables of more rows than `many` were large."""
    monkeypatch.setattr("gpnet.gp.noise.flexible.MANY_ROWS", many)
    monkeypatch.setattr("gpnet.gp.noise_sizes.MANY_ROWS", many)
    tables = FlexibleNoise().tables(np.column_stack([e, z]))
    residuals = Residuals(e, np.ones(len(e)))
    return tables.gain(residuals, 0, parents), tables.relative_sizes(residuals, 0, parents)


@pytest.mark.parametrize("kind", ["normal", "t4", "exponential", "uniform", "varying"])
@pytest.mark.parametrize("parents", [(1,), (1, 2)])
def test_noise_of_many_rows_is_judged_by_cells(kind, parents, monkeypatch):
    rng = np.random.default_rng(11)
    n = 20_000
    z = rng.normal(size=(n, 2))
    e = {
        "normal": lambda: rng.normal(size=n),
        "t4": lambda: rng.standard_t(4, n) / np.sqrt(2),
        "exponential": lambda: rng.exponential(size=n) - 1,
        "uniform": lambda: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
        "varying": lambda: rng.normal(size=n) * np.exp(0.2 * z[:, 0]),
    }[kind]()
    by_row, sizes = gains(e, z, parents, many=n, monkeypatch=monkeypatch)
    by_cell, sizes_by_cell = gains(e, z, parents, many=n - 1, monkeypatch=monkeypatch)
    assert abs(by_cell.log_ratio - by_row.log_ratio) < 0.01 + 5e-4 * abs(by_row.log_ratio)
    assert abs(by_cell.shaped - by_row.shaped) < 0.01
    assert abs(by_cell.varying - by_row.varying) < 0.01
    np.testing.assert_allclose(sizes_by_cell, sizes, rtol=0.05)


def test_levels_are_cells(monkeypatch):
    rng = np.random.default_rng(12)
    level = rng.integers(0, 3, 5000).astype(float)
    e = rng.normal(size=5000) * np.array([0.5, 1.0, 1.5])[level.astype(int)]
    found = []
    for many in (5000, 4999):
        monkeypatch.setattr("gpnet.gp.noise_sizes.MANY_ROWS", many)
        tables = FlexibleNoise().tables(np.column_stack([e, level]), frozenset({1}))
        found.append(tables.gain(Residuals(e, np.ones(5000)), 0, (1,)))
    assert abs(found[0].log_ratio - found[1].log_ratio) < 1e-6  # nothing is rounded


def test_residuals_that_are_alike_come_as_one():
    e = np.repeat(np.random.default_rng(13).normal(size=40), 3)
    once, zero = e[::3], np.zeros(40)
    expected = ALL_SHAPES.log_ratios(e, np.zeros(120))
    np.testing.assert_allclose(ALL_SHAPES.log_ratios(once, zero, np.full(40, 3.0)), expected)
    design = np.random.default_rng(14).normal(size=(40, 2))
    ratio, log_sd = _core.varying_scale(e, np.repeat(design, 3, axis=0))
    again, log_sd_again = _core.varying_scale(np.sqrt(3) * once, design, np.full(40, 3.0))
    np.testing.assert_allclose(again, ratio, rtol=1e-9)
    np.testing.assert_allclose(log_sd_again, log_sd[::3], atol=1e-9)


@pytest.mark.parametrize("name", ["normal", "exponential", "t3"])
@pytest.mark.parametrize("width", [0.0, 0.3])
def test_parts_of_rows_are_the_derivative_by_their_counts(name, width):
    """But for what counts do to where an edge lies, and to the determinant at the peak."""
    e, step = draw(name, 200), 1e-3
    widths = np.full(200, width)
    change = np.random.default_rng(5).normal(size=200)
    change -= change.mean()
    ratios, rows = ALL_SHAPES.log_ratios_of_rows(e, widths)
    np.testing.assert_array_equal(ratios, ALL_SHAPES.log_ratios(e, widths))
    more, less = (ALL_SHAPES.log_ratios(e, widths, 1 + s * change) for s in (step, -step))
    exact, found = (more - less) / (2 * step), change @ rows
    seen = ratios > ratios.max() - 10  # others have no say
    assert seen.any()
    np.testing.assert_allclose(
        found[seen], exact[seen], atol=0.15 * np.abs(exact[seen]).max() + 0.1
    )
