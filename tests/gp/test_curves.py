"""Distributions of curves against textbook formulae, brute force, and data from the prior."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from gpnet.gp.curves import Curves, Places, Slopes, mixed
from gpnet.gp.dense_curves import MOST_ROWS, dense_curves
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_curves import fast_curves
from gpnet.gp.hyperdraws import N_KEPT, Hyperdraws, draw_hyperparameters
from gpnet.gp.kernels import KERNELS, Additive, Covariance, Kernel
from gpnet.gp.linear import LinearModel
from gpnet.gp.mode_search import search
from gpnet.gp.modes import find_modes
from gpnet.gp.priors import Hyperpriors, Normal
from gpnet.gp.target import DenseTarget
from tests.gp.marginals import MARGINALS, regression
from tests.gp.targets import NormalMixture, two_parent_data

PRIORS = Hyperpriors(mean=Normal(0.3, 1.2))


def places_of(parents, n_values=9):
    """Over the range of each parent, and some rows."""
    grid = np.linspace(parents.min(axis=0), parents.max(axis=0), n_values).T
    return Places(grid, np.arange(0, len(parents), 3))


def draws_at(*points):
    return Hyperdraws(np.array(points), np.full(len(points), 1 / len(points)))


def sampled(kernel, n_parents, n_points=3, seed=5):
    """Points of all sorts: smooth and rough, little noise and much."""
    n_dims = len(kernel.parameters(n_parents, PRIORS)) + 1
    return draws_at(*np.random.default_rng(seed).uniform(-1.2, 1.0, (n_points, n_dims)))


def agree(one, other, tolerance):
    for name in ("mean", "sd", "parts", "level"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=tolerance)


# Mixtures


def random_curves(rng, n_laws, shape=(2, 5)):
    return Curves(
        weights=rng.dirichlet(np.ones(n_laws)),
        mean=rng.standard_normal((n_laws, *shape)),
        sd=rng.gamma(2.0, size=(n_laws, *shape)),
        parts=rng.standard_normal((2, 4)),
        level=float(rng.standard_normal()),
    )


def test_the_band_has_its_tails():
    curves = random_curves(np.random.default_rng(0), 7)
    for quantile, tail in zip(curves.band(), (0.05, 0.95), strict=True):
        below = np.tensordot(curves.weights, ndtr((quantile - curves.mean) / curves.sd), 1)
        np.testing.assert_allclose(below, tail, atol=1e-5)


def test_a_mixture_is_one_or_the_other():
    one, other = (random_curves(np.random.default_rng(seed), k) for seed, k in ((1, 3), (2, 6)))
    both = mixed([one, other], [0.2, 0.8])
    assert both.weights.sum() == pytest.approx(1)
    for what in (Curves.expected, lambda c: c.parts, lambda c: c.level):
        np.testing.assert_allclose(what(both), 0.2 * what(one) + 0.8 * what(other))
    np.testing.assert_allclose(mixed([one, other], [1.0, 0.0]).band(), one.band(), atol=1e-5)


# At fixed hyperparameters


def by_conditioning(x, parents, kernel, u, grid):
    """The joint distribution of everything, conditioned on x: no formula of the code is used.

    What parent i does at g is the mean of f over the rows with z_i set to g, minus the mean of f
    over the rows with z_i set to each of its own values in turn.
    """
    n, p = parents.shape
    settings = [np.vstack([grid[i][:, None], parents[:, [i]]]) for i in range(p)]
    stacked = [parents]
    for i, values in enumerate(settings):
        for value in values:
            moved = parents.copy()
            moved[:, i] = value
            stacked.append(moved)
    joint = kernel.covariance(np.vstack(stacked), u[:-1], 0).value
    average = np.kron(np.eye(len(stacked) - 1), np.full((1, n), 1 / n))
    pick = np.block(
        [[np.eye(n), np.zeros((n, average.shape[1]))], [np.zeros((len(average), n)), average]]
    )
    joint = pick @ joint @ pick.T
    k = joint[:n, :n] + PRIORS.mean.sd**2
    g, found = grid.shape[1], []
    solve = np.linalg.inv(k + np.exp(2 * u[-1]) * np.eye(n))
    for i in range(p):
        own = slice(n + i * (g + n), n + (i + 1) * (g + n))
        centre = np.eye(g + n) - np.concatenate([np.zeros(g), np.full(n, 1 / n)])
        cross, prior = centre @ joint[own, :n], centre @ joint[own, own] @ centre.T
        mean = cross @ solve @ (x - PRIORS.mean.mean)
        sd = np.sqrt((prior - cross @ solve @ cross.T).diagonal())
        found.append((mean[:g], sd[:g], mean[g:]))
    level = PRIORS.mean.mean + k.mean(axis=0) @ solve @ (x - PRIORS.mean.mean)
    return *(np.array(each) for each in zip(*found, strict=True)), level


@pytest.mark.parametrize("n_parents", [1, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_dense_curves_are_those_of_the_textbook(name, n_parents):
    table = regression(14, n_parents, seed=3)
    x, parents, kernel = table[:, -1], table[:, :-1], KERNELS[name]()
    places = places_of(parents, 4)
    u = sampled(kernel, n_parents, 1).points[0]
    found = dense_curves(x, parents, kernel, PRIORS.mean, draws_at(u), places)
    mean, sd, parts, level = by_conditioning(x, parents, kernel, u, places.grid)
    np.testing.assert_allclose(found.mean[0], mean, atol=1e-8)
    np.testing.assert_allclose(found.sd[0], sd, atol=1e-7)
    np.testing.assert_allclose(found.parts, parts[:, places.rows], atol=1e-8)
    assert found.level == pytest.approx(level)


@pytest.mark.parametrize("marginal", MARGINALS)
@pytest.mark.parametrize("name", ["additive", "amplitude", "line"])
def test_the_fast_route_is_the_dense_one(name, marginal):
    table = regression(150, 3, seed=2, names=[marginal, "normal", "t3"])
    kernel, parents = KERNELS[name](), table[:, :-1]
    draws, places = sampled(kernel, 3), places_of(parents)
    fast = fast_curves(FastModel(table, kernel, PRIORS), 3, (0, 1, 2), draws, places)
    agree(fast, dense_curves(table[:, 3], parents, kernel, PRIORS.mean, draws, places), 1e-5)


class CurveAndLine(Kernel):
    """A curve of the first parent, a line of the second with slopes of this variance."""

    variance = 0.6

    def parameters(self, n_parents, hyperpriors):
        return Additive().parameters(1, hyperpriors)

    def covariance(self, parents, u, order):
        curve, line = (self.part(parents, u, i, np.empty(0))[0] for i in (0, 1))
        return Covariance(curve + line)

    def part(self, parents, u, i, grid):
        if i == 0:
            return Additive().part(parents, u, 0, grid)
        z = np.concatenate([grid, parents[:, 1]])
        own = self.variance * np.outer(z, z)
        return own, own[:, len(grid) :]


def test_lines_beside_curves():
    table = regression(80, 2, seed=7)
    kernel, draws, places = CurveAndLine(), sampled(Additive(), 1), places_of(table[:, :2])
    lines = {1: kernel.variance}
    fast = fast_curves(FastModel(table, Additive(), PRIORS), 2, (0, 1), draws, places, lines)
    agree(fast, dense_curves(table[:, 2], table[:, :2], kernel, PRIORS.mean, draws, places), 1e-6)
    np.testing.assert_allclose(np.diff(fast.expected()[1], 2), 0, atol=1e-9)  # straight


def test_rows_by_blocks_and_at_once(monkeypatch):
    table = regression(100, 2, seed=4)
    model, draws = FastModel(table, Additive(), PRIORS), sampled(Additive(), 2)
    at_once = fast_curves(model, 2, (0, 1), draws, places_of(table[:, :2]))
    monkeypatch.setattr("gpnet.gp.fast_curves.BLOCK", 17)
    agree(fast_curves(model, 2, (0, 1), draws, places_of(table[:, :2])), at_once, 1e-9)


def test_a_large_table_is_thinned_on_the_dense_route_only():
    """Three in four rows are left out: bands are wider then, and not off."""
    table = regression(4 * MOST_ROWS, 1, seed=1, names=["uniform"])
    draws, places = draws_at([0.0, np.log(0.4)]), places_of(table[:, :1])
    fast = fast_curves(FastModel(table, Additive(), PRIORS), 1, (0,), draws, places)
    thin = dense_curves(table[:, 1], table[:, :1], Additive(), PRIORS.mean, draws, places)
    assert 1.6 < np.median(thin.sd / fast.sd) < 2.4
    assert (np.abs(thin.mean - fast.mean) < 4 * thin.sd).all()


# Over the hyperparameters


def test_draws_have_the_moments_of_their_target():
    target = NormalMixture([[-1.0, 0.5], [1.0, 0.0]], [0.0, np.log(3)])
    draws = draw_hyperparameters(target, find_modes(target), [1])
    assert len(draws.weights) <= N_KEPT
    assert draws.weights.sum() == pytest.approx(1)
    mean = draws.weights @ draws.points
    np.testing.assert_allclose(mean, [0.5, 0.125], atol=0.1)
    spread = draws.weights @ (draws.points - mean) ** 2
    np.testing.assert_allclose(spread, [0.75 + 0.25, 0.25 * 0.75 / 4 + 0.25], atol=0.2)


def test_draws_are_those_of_their_seed():
    target = NormalMixture([[-1.0, 0.5]], [0.0])
    one, same, other = (
        draw_hyperparameters(target, find_modes(target), seed).points for seed in ([1], [1], [2])
    )
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or (one != other).any()


def test_the_band_is_that_of_a_fine_grid_over_the_hyperparameters():
    """One parent, so that both hyperparameters can be tried out: within some 4% of its width."""
    x, parents = two_parent_data(40)
    parents, places = parents[:, :1], places_of(parents[:, :1], 15)
    target = DenseTarget(x, parents, Additive(), PRIORS)
    axes = np.meshgrid(np.linspace(-2.3, 2.5, 60), np.linspace(-1.8, 0.3, 40))
    points = np.stack(axes, axis=-1).reshape(-1, 2)
    log_density = target.values(points)
    weights = np.exp(log_density - log_density.max())
    heavy = weights > 1e-7 * weights.sum()
    grid = Hyperdraws(points[heavy], weights[heavy] / weights[heavy].sum())
    truth = dense_curves(x, parents, Additive(), PRIORS.mean, grid, places)
    draws = draw_hyperparameters(target, find_modes(target), [0, 1])
    found = dense_curves(x, parents, Additive(), PRIORS.mean, draws, places)
    low, high = truth.band()
    width = high - low
    for ours, theirs in zip(
        (*found.band(), found.expected()), (low, high, truth.expected()), strict=True
    ):
        assert np.sqrt(np.mean(((ours - theirs) / width) ** 2)) < 0.02
        assert np.abs((ours - theirs) / width).max() < 0.05
    at_mode = draws_at(find_modes(target)[0].u)
    narrow = dense_curves(x, parents, Additive(), PRIORS.mean, at_mode, places).band()
    assert np.abs((narrow - np.array([low, high])) / width).max() > 0.05  # the mode is not enough


def drawn_from_the_prior(rng, parents, places):
    """A node (N,) from the model, and the true parts (p, G) at the places."""
    priors, g = Hyperpriors(), places.grid.shape[1]
    noise = priors.noise.draw(rng, 1) * rng.standard_normal(len(parents))
    x, truth = rng.standard_normal() + noise, []
    for i, lengthscale in enumerate(priors.lengthscale.draw(rng, parents.shape[1])):
        z = np.concatenate([places.grid[i], parents[:, i]])
        gram = np.exp(-((z[:, None] - z) ** 2) / (2 * lengthscale**2))
        f = np.linalg.cholesky(gram + 1e-9 * np.eye(len(z))) @ rng.standard_normal(len(z))
        x += f[g:]
        truth.append(f[:g] - f[g:].mean())
    return x, np.array(truth)


def test_bands_cover_what_was_drawn_from_the_prior():
    """90% of 400 nodes, one value each; false alarms: 1 in 1000. A band of 2/3 the width fails."""
    n_nodes, rng = 400, np.random.default_rng(11)
    parents = rng.standard_normal((30, 2))
    places = places_of(parents, 5)
    drawn = [drawn_from_the_prior(rng, parents, places) for _ in range(n_nodes)]
    table = np.column_stack([parents, *(x for x, _ in drawn)])
    model = FastModel(table, Additive(), Hyperpriors())
    covered, by_narrow = 0, 0
    for node, (_, truth) in enumerate(drawn, start=2):
        draws = draw_hyperparameters(*search(model, node, (0, 1), {}), [node])
        low, high = fast_curves(model, node, (0, 1), draws, places).band()
        at = rng.integers(2), rng.integers(5)
        off = abs(truth[at] - (low[at] + high[at]) / 2) / ((high[at] - low[at]) / 2)
        covered += off < 1
        by_narrow += off < 2 / 3
    fewest, most = binom.ppf([0.0005, 0.9995], n_nodes, 0.9)
    assert fewest <= covered <= most
    assert by_narrow < fewest


# Straight lines


def test_slopes_are_those_of_conjugate_regression():
    """Against a fine grid over the noise, by the textbook."""
    table = regression(25, 2, seed=6)
    z, x, variance = table[:, :2], table[:, 2] - PRIORS.mean.mean, 0.7
    slopes = LinearModel(table, variance, PRIORS).slopes(2, (0, 1))
    design = np.column_stack([np.ones(25), z])
    prior = np.diag([PRIORS.mean.sd**2, variance, variance])
    log_weights, moments = [], []
    for u in np.linspace(-3, 2, 4000):
        sigma = design @ prior @ design.T + np.exp(2 * u) * np.eye(25)
        gain = prior @ design.T @ np.linalg.inv(sigma)
        mean, cov = gain @ x, prior - gain @ design @ prior
        fit = -np.linalg.slogdet(sigma)[1] / 2 - x @ np.linalg.solve(sigma, x) / 2
        log_weights.append(fit + PRIORS.noise.log_density(u)[0])
        moments.append(np.concatenate([mean, cov.diagonal()[1:] + mean[1:] ** 2]))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    expected = weights @ np.array(moments) / weights.sum()
    assert slopes.level == pytest.approx(PRIORS.mean.mean + expected[0], abs=1e-6)
    np.testing.assert_allclose(slopes.weights @ slopes.mean, expected[1:3], atol=1e-6)
    second = slopes.weights @ (slopes.sd**2 + slopes.mean**2)
    np.testing.assert_allclose(second, expected[3:], atol=1e-6)


def test_lines_go_through_the_centre():
    slopes = Slopes(np.ones(1), np.array([[2.0]]), np.array([[0.5]]), 0.1)
    parents = np.array([[-1.0], [0.0], [1.0]])
    curves = slopes.curves(parents, Places(np.array([[-1.0, 0.0, 2.0]]), np.arange(3)))
    np.testing.assert_allclose(curves.expected(), [[-2, 0, 4]])
    np.testing.assert_allclose(
        curves.band()[1] - curves.expected(), [[0.8224, 0, 1.6449]], atol=1e-4
    )
    np.testing.assert_allclose(curves.parts, [[-2, 0, 2]])
