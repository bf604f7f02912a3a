"""Effects of straight lines against products of path coefficients, by another derivation."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gpnet.gp.priors import Hyperpriors
from tests.effects.chains import between, known_dag, triangle

N_DRAWS = 4000


def standard(frame):
    return ((frame - frame.mean()) / frame.std(ddof=1)).to_numpy()


def slopes(x, parents):
    """Mean and covariance of slopes, prior N(0, I): a grid over the noise, dense matrices."""
    priors, n = Hyperpriors(), len(x)
    design = np.column_stack([np.ones(n), parents])
    u = np.linspace(-3, 1, 161)
    log_weights, means, covariances = [], [], []
    for log_sigma in u:
        variance = np.exp(2 * log_sigma)
        covariance = design @ design.T + variance * np.eye(n)
        log_weights.append(
            multivariate_normal.logpdf(x, np.zeros(n), covariance)
            + priors.noise.log_density(np.array(log_sigma))[0]
        )
        inverse = np.linalg.inv(np.eye(design.shape[1]) + design.T @ design / variance)
        means.append(inverse @ design.T @ x / variance)
        covariances.append(inverse)
    weights = np.exp(log_weights - np.max(log_weights))
    weights /= weights.sum()
    mean = weights @ np.array(means)
    apart = np.array(means) - mean
    spread = np.tensordot(weights, covariances, 1) + np.einsum("k,ki,kj", weights, apart, apart)
    return mean[1:], spread[1:, 1:]


def path_product(frame):
    """Mean and variance of b_ca + b_cb b_ba, standardised."""
    a, b, c = standard(frame).T
    (m,), ((v,),) = slopes(b, a[:, None])
    (direct, onward), s = slopes(c, np.column_stack([a, b]))
    mean = direct + onward * m
    both = (s[1, 1] + onward**2) * (v + m**2) - onward**2 * m**2
    return mean, s[0, 0] + 2 * m * s[0, 1] + both


def test_mean_and_variance_are_those_of_the_path_product():
    frame = triangle()
    effect = known_dag(frame).effect("a", "c", draws=N_DRAWS)
    unit = (effect.end[0] - effect.start[0]) / frame["a"].std() * frame["c"].std()
    mean, variance = path_product(frame)
    found = effect.contrast
    assert abs(found.mean - unit * mean) < 5 * found.mean_error
    assert found.mean_error < 0.05 * found.sd
    assert found.sd == pytest.approx(unit * np.sqrt(variance), rel=0.06)
    assert found.structural_share < 0.05
    slope = frame["c"].std() / frame["a"].std()
    assert effect.derivative.mean == pytest.approx(
        slope * mean, abs=5 * effect.derivative.mean_error
    )


def test_another_path_is_seen():
    """The control: the direct path alone is something else."""
    frame = triangle()
    effect = known_dag(frame).effect("a", "c", draws=N_DRAWS)
    unit = (effect.end[0] - effect.start[0]) / frame["a"].std() * frame["c"].std()
    direct = slopes(standard(frame)[:, 2], standard(frame)[:, :2])[0][0]
    assert abs(effect.contrast.mean - unit * direct) > 20 * effect.contrast.mean_error


def test_the_direct_effect_is_the_slope_with_the_others_held():
    frame = triangle()
    effect = known_dag(frame).effect("a", "c", direct=True, draws=N_DRAWS)
    unit = (effect.end[0] - effect.start[0]) / frame["a"].std() * frame["c"].std()
    mean, covariance = slopes(standard(frame)[:, 2], standard(frame)[:, :2])
    assert abs(effect.contrast.mean - unit * mean[0]) < 5 * effect.contrast.mean_error
    assert effect.contrast.sd == pytest.approx(unit * np.sqrt(covariance[0, 0]), rel=0.06)


def test_of_several_causes_at_once_effects_of_lines_add_up():
    frame = triangle()
    posterior = known_dag(frame)
    both = posterior.effect({"a": (2, 4), "b": (-1, 3)}, "c", draws=1000)
    alone = posterior.effect("a", "c", do=(2, 4), direct=True, draws=1000)
    other = posterior.effect("b", "c", do=(-1, 3), draws=1000)
    expected = alone.contrast.mean + other.contrast.mean
    error = 5 * (both.contrast.mean_error + alone.contrast.mean_error + other.contrast.mean_error)
    assert both.contrast.mean == pytest.approx(expected, abs=error)
    assert both.derivative is None
    assert both.frame().columns[:2].tolist() == ["a", "b"]


def test_bge_has_the_path_product_of_its_regressions():
    frame = triangle(200)
    a, b, c = standard(frame).T
    effect = known_dag(frame, score="bge").effect("a", "c", draws=2000)
    unit = (effect.end[0] - effect.start[0]) / frame["a"].std() * frame["c"].std()
    coefficients = np.linalg.lstsq(np.column_stack([a, b]), c, rcond=None)[0]
    expected = coefficients[0] + coefficients[1] * (a @ b) / (a @ a)
    assert effect.contrast.mean == pytest.approx(unit * expected, rel=0.03)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_variance_is_cut_into_structural_and_functional(share):
    """Of two DAGs, one without the edge: p (1 - p) m^2 is between them, p v within."""
    frame = triangle()[["a", "b"]]
    posterior = known_dag(frame, edges=("a -> b",))
    mixed = between(posterior, {("a -> b",): share, (): 1 - share})
    effect = mixed.effect("a", "b", draws=N_DRAWS)
    unit = (effect.end[0] - effect.start[0]) / frame["a"].std() * frame["b"].std()
    (m,), ((v,),) = slopes(standard(frame)[:, 1], standard(frame)[:, :1])
    structural, functional = share * (1 - share) * m**2, share * v
    assert effect.probability == pytest.approx(share)
    assert effect.contrast.mean == pytest.approx(share * m * unit, rel=0.05)
    expected = structural / (structural + functional)
    assert effect.contrast.structural_share == pytest.approx(expected, abs=0.03)
    assert effect.contrast_if_any.mean == pytest.approx(m * unit, rel=0.05)
    assert effect.contrast_if_any.structural_share < 0.1


def test_without_a_path_there_is_exactly_no_effect():
    frame = triangle()
    effect = known_dag(frame).effect("c", "a")
    assert effect.probability == 0
    assert (effect.draws == 0).all()
    assert effect.contrast.low == effect.contrast.high == effect.contrast.structural_share == 0
    assert effect.contrast_if_any is None
    assert np.ptp(effect.curve.mean) < 1e-12
    assert effect.curve.mean[0] == pytest.approx(frame["a"].mean(), abs=0.05)


def test_all_effects_at_once_are_those_of_one_at_a_time():
    posterior = known_dag(triangle())
    every = posterior.effects(draws=1000).frame().set_index(["cause", "target"])
    for pair in (("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")):
        one, row = posterior.effect(*pair, draws=1000), every.loc[pair]
        error = 5 * (one.contrast.mean_error + row["mean_error"]) + 1e-9
        assert row["mean"] == pytest.approx(one.contrast.mean, abs=error)
        assert row["sd"] == pytest.approx(one.contrast.sd, rel=0.15, abs=1e-9)
        assert row["probability"] == pytest.approx(one.probability)
        slope_error = 5 * one.derivative.mean_error + 1e-9
        assert row["derivative"] == pytest.approx(one.derivative.mean, abs=2 * slope_error)
