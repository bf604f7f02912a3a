"""Residuals and their quantiles are drawn as they were checked."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import norm

from gpnet import OptionError
from tests.plots.drawn import everything
from tests.posteriors import checks_of, thinned

PARENTS = np.zeros((5, 5), dtype=bool)
PARENTS[2, [0, 1]] = PARENTS[3, 2] = True  # V3 given V1, V2; V4 given V3
CHECKS = checks_of(
    PARENTS,
    parent_p=np.array([np.nan, np.nan, 0.43, 1e-7, np.nan]),
    shaped=np.array([0.02, 1.0, 0.98, 0.004, np.nan]),
)


@pytest.fixture
def posterior():
    return thinned(5, checks=CHECKS)


def title(ax):
    return ax.get_title("left").splitlines()


def points(ax):
    return ax.collections[-1].get_offsets()


def test_residuals_against_fitted_values(posterior):
    ax = posterior.plot_residuals("V3")
    np.testing.assert_array_equal(points(ax), np.stack([CHECKS.fitted[2], CHECKS.residual[2]], 1))
    assert [line.get_ydata()[0] for line in ax.lines] == [0, -2, 2]
    assert title(ax) == ["V3 given V1, V2", "no sign of misfit (p = 0.43)"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("V3, fitted", "standardised residual")
    low, high = ax.get_ylim()
    assert low < CHECKS.residual[2].min() < CHECKS.residual[2].max() < high


def test_a_misfit_is_told(posterior):
    told = title(posterior.plot_residuals("V4"))
    assert told == ["V4 given V3", "the residuals still depend on the parents (p < 0.001)"]


def test_without_parents_rows_stand_in_their_order(posterior):
    ax = posterior.plot_residuals("V1")
    assert title(ax) == ["V1", "no probable parents"]
    assert "rows" in ax.get_xlabel()
    np.testing.assert_array_equal(points(ax)[:, 0], 1 + np.arange(60))
    np.testing.assert_array_equal(points(ax)[:, 1], CHECKS.residual[0])


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ("V1", "noise normal 0.98"),
        ("V2", "noise not normal 1.00"),
        ("V3", "noise not normal 0.98"),
        ("V5", "the model takes the noise for normal"),
    ],
)
def test_whether_noise_is_normal_is_told(posterior, node, told):
    assert title(posterior.plot_quantiles(node))[1] == told


def test_residuals_in_order_against_normal_quantiles(posterior):
    ax = posterior.plot_quantiles("V3")
    x, y = points(ax).T
    np.testing.assert_array_equal(y, np.sort(CHECKS.residual[2]))
    np.testing.assert_allclose(x, norm.ppf((np.arange(1, 61) - 0.3175) / 60.365), atol=0.01)
    (line,) = ax.lines  # where normal noise of this size would lie
    np.testing.assert_allclose(line.get_ydata(), y.mean() + y.std() * x)


def inside(noise):
    """The share of points in the envelope."""
    checks = replace(CHECKS, fitted=np.zeros((5, 400)), residual=np.tile(noise, (5, 1)))
    ax = thinned(5, checks=checks).plot_quantiles("V3")
    band, y = ax.collections[0].get_paths()[0], points(ax)
    return np.mean(band.contains_points(y))


def test_normal_noise_lies_in_the_envelope_and_other_noise_does_not():
    """A sample leaves more than a fifth outside in far fewer than 1 of 1,000 cases."""
    rng = np.random.default_rng(1)
    assert inside(rng.standard_normal(400)) > 0.8
    assert inside(rng.exponential(size=400)) < 0.5


@pytest.mark.parametrize("plot", ["residuals", "quantiles"])
def test_what_cannot_be_drawn_is_told(posterior, plot):
    with pytest.raises(OptionError, match=r"node: no variable is called 'V9'; there is 'V1'"):
        getattr(posterior, f"plot_{plot}")("V9")
    with pytest.raises(OptionError, match=r"checks: .*was not looked at.*learn again"):
        getattr(thinned(3), f"plot_{plot}")("V1")
    assert plt.get_fignums() == []


def test_many_parents_are_counted():
    parents = np.tril(np.ones((11, 11), dtype=bool), -1)
    told = title(everything(checks=checks_of(parents)).plot_residuals("V11"))
    assert told[0] == "V11 given V1, V2, V3, 7 more"
