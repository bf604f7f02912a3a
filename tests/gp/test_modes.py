"""The right mode is found: reference by a dense grid over theta and sigma."""

import numpy as np
import pytest

from gpnet.gp.evidence.laplace import Laplace
from gpnet.gp.kernels import KERNELS
from gpnet.gp.modes import climb, find_modes
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.target import DenseTarget
from tests.gp.targets import NormalMixture, two_parent_data


def sine_target(frequency, n, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n)
    x = np.sin(frequency * z) + 0.2 * rng.standard_normal(n)
    x, z = ((v - v.mean()) / v.std(ddof=1) for v in (x, z))
    return DenseTarget(x, z[:, None], KERNELS["additive"](), Hyperpriors())


def best_on_grid(target, n_lengthscales):
    lengthscales = np.linspace(np.log(0.05), np.log(10), n_lengthscales)
    sigmas = np.log([0.1, 0.2, 0.3, 0.5, 1])
    return max(target.value(np.array([u, s])) for u in lengthscales for s in sigmas)


@pytest.mark.parametrize("seed", range(3))
def test_sine_of_six_at_100_rows(seed):
    target = sine_target(6, 100, seed)
    assert find_modes(target)[0].value >= best_on_grid(target, 60)


def test_sine_of_twelve_at_853_rows():
    target = sine_target(12, 853)
    found = find_modes(target)[0].value
    assert found >= best_on_grid(target, 25)
    # negative control: a single start at theta = 1 misses it by far
    assert climb(target, np.array([0.0, -0.36])).value < found - 100


def test_all_modes_of_a_mixture_are_found():
    centres = [[-2, 0.0], [1, -0.5], [3, 0.2]]
    target = NormalMixture(centres, [0.0, -2.0, -4.0])
    modes = find_modes(target)
    np.testing.assert_allclose([m.u[0] for m in modes], [-2, 1, 3], atol=0.01)
    assert len(find_modes(target, within=3.0)) == 2


def test_modes_are_stationary_and_ranked():
    x, parents = two_parent_data()
    target = DenseTarget(x, parents, KERNELS["interaction"](), Hyperpriors())
    modes = find_modes(target)
    for mode in modes:
        _, gradient, hessian = target.hessian(mode.u)
        assert np.abs(gradient).max() < 1e-3
        assert np.linalg.eigvalsh(hessian).max() < 0
    assert [m.log_laplace for m in modes] == sorted((m.log_laplace for m in modes), reverse=True)


def test_a_climb_to_a_known_mode_is_given_up():
    target = NormalMixture([[-2, 0.0], [2, 0.0]], [0.0, 0.0])
    start = np.array([1.5, 0.4])
    mode = climb(target, start)
    again = climb(target, start, known=[mode])
    assert mode.converged
    assert not again.converged
    assert climb(target, -start, known=[mode]).converged


def test_a_noisy_target_is_climbed_as_far_as_its_values_agree():
    """Values that disagree by less than their noise end no climb before its mode."""

    class Noisy(NormalMixture):
        noise = 1e-2

        def hessian(self, u):
            value, *rest = super().hessian(u)
            return value + 5e-3 * np.sin(1e5 * u.sum()), *rest

    mode = climb(Noisy([[0.3, -0.2]], [0.0]), np.array([2.0, 1.0]))
    assert mode.converged
    np.testing.assert_allclose(mode.u, [0.3, -0.2], atol=1e-2)


def test_a_fixed_coordinate_stays():
    x, parents = two_parent_data()
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    mode = climb(target, np.array([0.0, 2.0, -0.5]), fixed=1)
    gradient = target.gradient(mode.u)[1]
    assert mode.u[1] == 2.0
    assert np.abs(gradient[[0, 2]]).max() < 1e-3


def test_laplace_of_a_normal_is_exact():
    target = NormalMixture([[0.3, -0.2, 1.0]], [-7.0])
    evidence = Laplace().estimate(target, find_modes(target), [0])
    assert evidence.value == pytest.approx(-7, abs=1e-9)
    assert np.isnan(evidence.std_error)


def test_a_start_without_a_density_leads_nowhere():
    x, parents = two_parent_data()
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    mode = climb(target, np.array([0.0, 0.0, -40.0]))
    assert not mode.converged
    assert mode.log_laplace == -np.inf
