"""Lengthscales below the tables are looked for, reached, or told of; the grid is the reference."""

import numpy as np
import pytest
from benchmarks.survey import Case, cases, grid_log_marginal, pair, standardised, triple

from gpnet import _core
from gpnet.common.errors import EvidenceError
from gpnet.gp.basis import SHORTEST, build_basis, count_nodes, shortest_lengthscale
from gpnet.gp.components import COMPONENTS
from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.fast import FastModel
from gpnet.gp.kernels import Additive
from gpnet.gp.mode_search import search
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.short_lengthscales import Line
from gpnet.gp.target import DenseTarget

PRIORS = Hyperpriors()


def table(*columns):
    return np.column_stack([standardised(column) for column in columns])


def lognormal(seed, n=120):
    """A lognormal child given roughly its log: wiggly and smooth explanations far apart."""
    rng = np.random.default_rng(seed)
    g = rng.standard_normal(n)
    return table(2 * g + 0.2 * rng.standard_normal(n), np.exp(2 * g))


def resampled(seed, n_rows=25, n=100):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n_rows)
    rows = rng.integers(0, n_rows, n)
    return table(x[rows], (x + rng.standard_normal(n_rows))[rows])


def replicated(seed):
    return table(*np.repeat(np.random.default_rng(seed).standard_normal((10, 2)), 4, axis=0).T)


def fast_sine(seed, n=120):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return table(x, np.sin(20 * x) + 0.1 * rng.standard_normal(n))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("draw", [lognormal, resampled, replicated, fast_sine])
def test_the_log_marginal_likelihood_is_that_of_the_grid(draw, seed):
    values = draw(seed)
    assert abs(pair(Case("", values))) < 0.1
    assert abs(pair(Case("", values[:, ::-1]))) < 0.1


def test_a_smooth_function_that_a_matern_process_understates():
    """By 27 nats: one parent of a triple of the survey (seed 7, number 463), 9.4 nats missed."""
    *_, case = cases(464, 2, 7)
    assert pair(Case("", case.values[:, [0, 2]])) < 0.1


def test_without_finer_tables_it_would_not_be(monkeypatch):
    """The negative control, and the warning: by how much it may be too low."""
    monkeypatch.setattr("gpnet.gp.fast.MOST_NODES", 10)
    values = resampled(0)
    target, modes = search(FastModel(values, Additive(), PRIORS), 1, (0,), {})
    evidence = Qmc().estimate(target, modes, (1,))
    missed = grid_log_marginal(values[:, 1], values[:, 0]) - evidence.value
    assert missed > 50
    told = [warning for warning in evidence.warnings if "too low" in warning]
    assert len(told) == 1
    assert modes[0].cut == pytest.approx(missed, rel=0.3)


# The worst of the surveys `python -m benchmarks.survey` before the search was what it is: nats that
# it missed then. (seed, number)
WORST_TRIPLES = {
    (1, 9): 17.1,
    (1, 12): 11.3,
    (1, 161): 4.5,
    (5, 71): 8.1,
    (5, 175): 52.8,
    (6, 12): 0.25,
    (6, 213): 70.1,
    (7, 128): 1.6,
    (7, 463): 6.4,
    (8, 254): 0.35,
    (8, 449): 0.11,
}


@pytest.mark.parametrize(("seed", "number"), WORST_TRIPLES)
def test_modes_of_two_parents_that_were_missed(seed, number):
    *_, case = cases(number + 1, 2, seed)
    assert triple(case, number) < 0.1


@pytest.mark.parametrize("n_finer", [4, 8, 12])
def test_finer_tables_are_the_dense_kernel(n_finer):
    values = fast_sine(1, 60)
    fast = FastModel(values, Additive(), PRIORS, n_finer=n_finer)
    dense = DenseTarget(values[:, 1], values[:, :1], Additive(), PRIORS)
    assert fast.shortest == pytest.approx(SHORTEST / 2 ** (n_finer / 2))
    for theta in (fast.shortest, 1.7 * fast.shortest, 0.08, 0.5, 3.0, 40.0):
        for sigma in (0.02, 0.2, 0.9):
            u = np.log([theta, sigma])
            assert fast.target(1, (0,)).value(u) == pytest.approx(
                dense.value(u), rel=1e-7, abs=1e-6
            )


def test_the_number_of_nodes_is_that_of_the_basis():
    component = COMPONENTS["se"]()
    for z in (np.random.default_rng(0).standard_normal(300), np.repeat(np.arange(9.0), 5)):
        z = standardised(z)
        for n_finer in (0, 4):
            counted = count_nodes(z, component, n_finer)
            basis = build_basis(z, component, n_finer)
            assert counted == len(basis.coordinates) - basis.rows.width


def matern_gram(z, lengthscale):
    r = np.sqrt(3) * np.abs(z[:, None] - z) / lengthscale
    return (1 + r) * np.exp(-r)


@pytest.mark.parametrize("lengthscale", [0.01, 0.3, 5.0])
def test_the_kalman_filter_is_the_dense_likelihood(lengthscale):
    rng = np.random.default_rng(3)
    z = np.sort(np.concatenate([rng.standard_normal(30), np.repeat(rng.standard_normal(5), 3)]))
    x = rng.standard_normal(len(z))
    for sigma in (0.01, 0.3, 2.0):
        covariance = matern_gram(z, lengthscale) + sigma**2 * np.eye(len(z))
        dense = -0.5 * (
            np.linalg.slogdet(2 * np.pi * covariance)[1] + x @ np.linalg.solve(covariance, x)
        )
        found = _core.matern_log_likelihood(x, np.diff(z), lengthscale, np.log(sigma))
        assert found == pytest.approx(dense, rel=1e-8)


def test_the_best_noise_is_the_best_of_a_grid():
    rng = np.random.default_rng(4)
    z = np.sort(rng.standard_normal(60))
    x = np.sin(3 * z) + 0.2 * rng.standard_normal(60)
    noise = PRIORS.noise
    best, log_sigma = _core.matern_best_noise(x, np.diff(z), 1.0, (noise.shape, noise.scale))
    grid = np.linspace(np.log(0.01), np.log(1.4), 400)
    values = [_core.matern_log_likelihood(x, np.diff(z), 1.0, s) for s in grid]
    values += noise.log_density(grid)[0]
    assert values.max() - 1e-6 < best < values.max() + 0.01
    assert log_sigma == pytest.approx(grid[values.argmax()], abs=0.02)


def test_nothing_is_looked_for_below_the_smallest_gap():
    x = np.random.default_rng(5).standard_normal(20)
    value, *_ = Line(np.arange(20.0)).best_below(x, SHORTEST, PRIORS)
    assert value == -np.inf


def test_ordinary_tables_stay_with_the_first_tables():
    """Finer ones cost seconds: they are for what asks for them."""
    rng = np.random.default_rng(6)
    for k in range(20):
        x = rng.standard_normal(150)
        y = np.tanh(2 * x) + 0.3 * rng.standard_normal(150)
        model = FastModel(table(x, y, rng.standard_normal(150)), Additive(), PRIORS)
        for node, parents in ((1, (0,)), (0, (1,)), (2, (0,)), (1, (0, 2))):
            assert search(model, node, parents, {})[0].model is model, k


def test_the_noise_profile_is_the_likelihood():
    rng = np.random.default_rng(7)
    values = table(*rng.standard_normal((3, 70)))
    model = FastModel(values, Additive(amplitude=True), PRIORS)
    target = model.target(2, (0, 1))
    u, places = np.array([-0.5, 0.2, 0.4, -0.3, 0.0]), np.linspace(-3, 0.5, 12)
    points = np.repeat(u[None], 12, axis=0)
    points[:, -1] = places
    found = model._core.noise_profile(2, (0, 1), u, places)
    np.testing.assert_allclose(found, target.values(points), rtol=0, atol=1e-6)


def test_tables_end_somewhere():
    """A prior for absurdly short lengthscales does not go on for ever."""
    model = FastModel(fast_sine(0, 30), Additive(), PRIORS)
    deepest = model.reaching(1e-300, (0,))
    assert deepest.shortest < 1e-5
    assert deepest.reaching(1e-300, (0,)) is deepest
    assert deepest.shortest == shortest_lengthscale(32)


def test_a_target_without_a_density_is_an_error_in_words():
    """Infinite values cannot come through the door of a table; here they do."""
    values = np.full((30, 2), np.nan)
    values[:, 0] = np.arange(30.0)
    model = FastModel(values, Additive(), PRIORS)
    with pytest.raises(EvidenceError, match="check the priors"):
        search(model, 1, (0,), {})


def test_rows_at_one_place_may_be_merged():
    """Three rows at each place against their means, with their number."""
    rng = np.random.default_rng(15)
    z = np.sort(rng.normal(size=20))
    x = rng.normal(size=(20, 3))
    gaps = np.diff(np.repeat(z, 3))
    expected = _core.matern_log_likelihood(x.ravel(), gaps, 0.7, -0.4)
    means = x.mean(axis=1)
    within = float(((x - means[:, None]) ** 2).sum())
    counts = np.full(20, 3.0)
    found = _core.matern_log_likelihood(means, np.diff(z), 0.7, -0.4, counts, within)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_of_many_rows_those_in_a_cell_are_taken_as_one(monkeypatch):
    rng = np.random.default_rng(16)
    z = rng.normal(size=5000)
    x = np.sin(60 * z) + 0.3 * rng.normal(size=5000)
    line = Line(z)
    exact = line.best_below(x, 0.1, Hyperpriors())
    monkeypatch.setattr("gpnet.gp.short_lengthscales.MANY_ROWS", 4999)
    merged = line.best_below(x, 0.1, Hyperpriors())
    assert merged[1] == exact[1]
    assert abs(merged[0] - exact[0]) < 5.0  # of 1 653


@pytest.mark.parametrize("frequency", [1.0, 40.0])
def test_of_very_many_rows_some_say_whether_finer_tables_are_worth_it(frequency, monkeypatch):
    rng = np.random.default_rng(17)
    z = rng.normal(size=6000)
    x = np.sin(frequency * z) + 0.3 * rng.normal(size=6000)
    model = FastModel(np.column_stack([z, x]), Additive(), Hyperpriors())
    _, exact = search(model, 1, (0,), {})
    monkeypatch.setattr("gpnet.gp.mode_search.MOST_ASKED", 2000)
    assert model.sampled(2000, (0, 1)) is not model
    _, found = search(model, 1, (0,), {})
    assert found[0].u == pytest.approx(exact[0].u)
    assert (np.exp(found[0].u[0]) < SHORTEST) == (frequency > 1)


def test_what_varies_in_few_rows_is_asked_of_all():
    z = np.zeros((5000, 2))
    z[4999] = 1.0
    model = FastModel(z, Additive(), Hyperpriors())
    assert model.sampled(100, (0, 1)) is model
