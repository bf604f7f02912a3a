"""Every evidence method against integrals known otherwise."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.evidence.bridge import Bridge, meng_wong
from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.evidence.quadrature import integrate_noise
from gpnet.gp.kernels import KERNELS
from gpnet.gp.modes import find_modes
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.gp.proposal import Mixture, SplitT, cover
from gpnet.gp.target import DenseTarget
from tests.gp.targets import NormalMixture, two_parent_data


def each(values):
    """Of both random methods; bridge sampling takes seconds each time, and is quick only once."""
    later = [pytest.param("bridge", value, marks=pytest.mark.slow) for value in values[1:]]
    return [*(("qmc", value) for value in values), ("bridge", values[0]), *later]


def estimate(method, target, *, seed):
    return method.estimate(target, find_modes(target), [seed])


def integral_by_grid(target, low, high, n):
    """Trapezoidal rule on a box that holds all the mass."""
    axes = [np.linspace(a, b, n) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(low))
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    return float(logsumexp(target.values(points)) + np.log(cell))


@pytest.mark.parametrize(("method", "n_dims"), each([4, 2, 6]))
def test_normal_target(method, n_dims):
    target = NormalMixture([np.linspace(-1, 1, n_dims)], [-100.0])
    evidence = EVIDENCE_METHODS[method]().estimate(
        target, find_modes(target), np.random.default_rng(n_dims)
    )
    assert abs(evidence.value + 100) < 4 * evidence.std_error + 1e-3
    assert evidence.std_error < 0.05
    assert evidence.n_evaluations == target.n_evaluations


def test_qmc_integrates_all_modes():
    target = NormalMixture([[-2, 0.0], [2, 0.3]], [0.0, -0.5])
    evidence = estimate(Qmc(), target, seed=0)
    assert evidence.n_modes == 2
    assert abs(evidence.value - target.log_integral) < 4 * evidence.std_error
    # negative control: the best mode alone is 0.47 nats short
    assert target.log_integral > 0.47


@pytest.mark.parametrize(("method", "seed"), each(range(3)))
def test_one_parent_against_a_grid(method, seed):
    x, parents = two_parent_data(seed=seed)
    target = DenseTarget(x, parents[:, :1], KERNELS["additive"](), Hyperpriors())
    expected = integral_by_grid(target, [-2.5, -2.5], [6, 1.5], 90)
    evidence = estimate(EVIDENCE_METHODS[method](), target, seed=seed)
    assert abs(evidence.value - expected) < 4 * evidence.std_error + 0.002


def test_two_parents_against_a_grid():
    x, parents = two_parent_data(n=20)
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    expected = integral_by_grid(target, [-2.5, -2.5, -2.5], [6, 6, 1.5], 34)
    evidence = Qmc(target_error=0.005).estimate(
        target, find_modes(target), np.random.default_rng(1)
    )
    assert abs(evidence.value - expected) < 4 * evidence.std_error + 0.005


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_methods_agree(kernel):
    x, parents = two_parent_data(n=30, seed=5)
    results = {}
    for name, method in EVIDENCE_METHODS.items():
        target = DenseTarget(x, parents, KERNELS[kernel](), Hyperpriors())
        results[name] = estimate(method(), target, seed=2)
    error = np.hypot(results["qmc"].std_error, results["bridge"].std_error)
    assert abs(results["qmc"].value - results["bridge"].value) < 4 * error
    assert -1.5 < results["laplace"].value - results["qmc"].value < 0.7


@pytest.mark.parametrize("method", EVIDENCE_METHODS)
def test_same_seed_same_number(method):
    x, parents = two_parent_data(n=20)
    values = []
    for _ in range(2):
        target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
        values.append(estimate(EVIDENCE_METHODS[method](), target, seed=7).value)
    assert values[0] == values[1]


def test_qmc_error_is_calibrated():
    """rms of z over 150 runs: below 1.25 with certainty, if the error were a true t_15's."""
    x, parents = two_parent_data(n=20)
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    truth = (
        Qmc(target_error=0.0015)
        .estimate(target, find_modes(target), np.random.default_rng(100))
        .value
    )
    runs = [estimate(Qmc(), target, seed=seed) for seed in range(150)]
    z = np.array([(run.value - truth) / run.std_error for run in runs])
    assert 0.75 < np.sqrt((z**2).mean()) < 1.25


def test_qmc_says_when_it_misses_its_target():
    x, parents = two_parent_data(n=20)
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    evidence = Qmc(target_error=1e-6, max_values=512).estimate(
        target, find_modes(target), np.random.default_rng(0)
    )
    assert evidence.std_error > 1e-6
    assert any("misses its target" in warning for warning in evidence.warnings)
    assert evidence.n_evaluations < 1500


def test_qmc_covers_a_shoulder():
    """A long slope beside the mode, as a parent that may be switched off leaves: no second mode."""
    slope = [[place, 0.0] for place in (0, 1, 1.7, 2.4, 3.1)]
    target = NormalMixture(slope, [0, -3.4, -3.4, -3.7, -4], precision=6.0)
    modes = find_modes(target)
    assert len(modes) == 1
    evidence = estimate(Qmc(), target, seed=3)
    assert abs(evidence.value - target.log_integral) < 4 * evidence.std_error
    # the weight of a point out there: bounded with cover, not without
    far = np.array([[3.2, 0.0]])
    bare = Mixture([SplitT(target, modes[0], least_precision=0.05, widest=4.0)])
    covered = cover(target, modes)
    log_weight = target.values(far) - target.log_integral
    assert log_weight - covered.log_density(far) < np.log(3)
    assert log_weight - bare.log_density(far) > np.log(4)


@pytest.mark.parametrize("n", [10, 100, 20_000])
def test_no_parents_against_brute_quadrature(n):
    x = np.random.default_rng(n).standard_normal(n)
    x = (x - x.mean()) / x.std(ddof=1)
    s = np.linspace(-3, 3, 600_001)
    # log p(x | s) with mu integrated out: 1'x = 0, x'x = n - 1
    log_likelihood = -0.5 * (
        (n - 1) * 2 * s
        + np.log(np.exp(2 * s) + n)
        + (n - 1) * np.exp(-2 * s)
        + n * np.log(2 * np.pi)
    )
    expected = logsumexp(log_likelihood - s - np.exp(-s)) + np.log(s[1] - s[0])
    evidence = integrate_noise(x, Hyperpriors())
    assert evidence.value == pytest.approx(expected, abs=1e-7)
    assert evidence.std_error < 1e-7


@pytest.mark.parametrize("noise", [(3, 2), (1e3, 1e3), (1e6, 1e6), (50, 1)])
def test_no_parents_with_other_priors_against_the_dense_target(noise):
    x = np.random.default_rng(0).standard_normal(25) + 0.3
    hyperpriors = Hyperpriors(noise=InverseGamma(*noise), mean=Normal(-0.4, 0.7))
    target = DenseTarget(x, np.zeros((25, 0)), KERNELS["additive"](), hyperpriors)
    expected = integral_by_grid(target, [-3], [3], 24_001)
    assert integrate_noise(x, hyperpriors).value == pytest.approx(expected, abs=1e-7)


def test_bridge_identity_on_known_distributions():
    """Between N(0, 1) times e^3 and N(0.3, 1.2^2): the log ratio is 3."""
    rng = np.random.default_rng(4)

    def log_ratio(u):
        target = 3 - 0.5 * u**2
        proposal = -0.5 * ((u - 0.3) / 1.2) ** 2 - np.log(1.2)
        return target - proposal

    estimates = [
        meng_wong(log_ratio(rng.standard_normal(500)), log_ratio(rng.normal(0.3, 1.2, 500)), 500.0)
        for _ in range(40)
    ]
    error = np.std(estimates, ddof=1) / np.sqrt(40)
    assert abs(np.mean(estimates) - 3) < 4 * error
    assert error < 0.005


@pytest.mark.slow
def test_bridge_repeats_are_as_tight_as_it_says():
    x, parents = two_parent_data(n=30)
    target = DenseTarget(x, parents, KERNELS["additive"](), Hyperpriors())
    runs = [estimate(Bridge(), target, seed=seed) for seed in range(8)]
    spread = np.std([run.value for run in runs], ddof=1)
    # chi-square with 7 degrees of freedom: the ratio leaves (0.3, 2) once in 1000
    assert 0.3 < spread / np.mean([run.std_error for run in runs]) < 2
    assert spread < 0.06
