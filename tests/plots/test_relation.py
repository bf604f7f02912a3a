"""Fitted relations are drawn as they were fitted."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gpnet import OptionError
from tests.plots.drawn import everything, fits_of
from tests.posteriors import thinned, zero_scores

DAGS = np.zeros((200, 4, 4), dtype=bool)
DAGS[:, 0, 3] = True
DAGS[50:, 2, 3] = True  # {V1, V3} in three quarters, {V1} in the rest
FITS = fits_of([3, 3, 1], [[0], [0, 2], [0]], 4)


@pytest.fixture
def posterior():
    return thinned(4, dags=DAGS, local_scores=zero_scores(DAGS), fits=FITS)


def test_a_panel_for_each_parent_of_the_most_probable_set(posterior):
    panels = posterior.plot_relation("V4")
    assert [ax.get_xlabel() for ax in panels] == ["V1", "V3"]
    assert panels[0].get_ylabel() == "V4"
    assert "probability of these parents 0.75" in panels[0].get_title("left")
    for ax, curve in zip(panels, (1, 2), strict=True):
        (line,) = ax.lines
        np.testing.assert_array_equal(line.get_xdata(), FITS.x[curve])
        np.testing.assert_array_equal(line.get_ydata(), FITS.mean[curve])


def test_a_transform_is_told():
    told = {"data": {"transform": "log2"}}
    posterior = thinned(4, dags=DAGS, local_scores=zero_scores(DAGS), fits=FITS, settings=told)
    panels = posterior.plot_relation("V4")
    assert [ax.get_xlabel() for ax in panels] == ["V1 (log2)", "V3 (log2)"]
    assert panels[0].get_ylabel() == "V4 (log2)"


def test_points_are_partial_residuals_and_the_band_is_the_band(posterior):
    for ax, curve in zip(posterior.plot_relation("V4"), (1, 2), strict=True):
        rows, band = ax.collections
        expected = np.stack([FITS.shown[:, FITS.parent[curve]], FITS.residual[curve]], axis=1)
        np.testing.assert_array_equal(rows.get_offsets(), expected)
        outline = {tuple(point) for point in band.get_paths()[0].vertices}
        for edge in (FITS.low, FITS.high):
            assert set(zip(FITS.x[curve], edge[curve], strict=True)) <= outline


def test_a_set_that_is_asked_for(posterior):
    (ax,) = posterior.plot_relation("V4", parents=["V1"])
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), FITS.mean[0])
    assert "probability of these parents 0.25" in ax.get_title("left")
    (given,) = posterior.plot_relation("V4", ["V1"], ax=plt.subplots()[1])
    np.testing.assert_array_equal(given.lines[0].get_ydata(), FITS.mean[0])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("V9",), r"node: no variable is called 'V9'; there is 'V1'"),
        (("V1",), r"node: no parent of 'V1' was probable enough.*there is 'V2' and 'V4'"),
        (("V4", ["V2"]), r"parents: this set of 'V4' was not fitted; there is \['V1'\] or \['V1'"),
        (("V4", ["V0"]), r"parents: no variable is called 'V0'"),
        (("V4", "V1"), r"parents: expected a list of names, found 'V1'"),
    ],
)
def test_what_was_not_fitted_is_told(posterior, asked, told):
    with pytest.raises(OptionError, match=told):
        posterior.plot_relation(*asked)
    assert plt.get_fignums() == []


def test_without_fits_it_says_so():
    with pytest.raises(OptionError, match=r"nothing was fitted.*learn again"):
        thinned(3).plot_relation("V1")


def test_too_few_panels():
    posterior = everything()
    name = posterior.names[posterior.fits.node[0]]
    with pytest.raises(OptionError, match=r"ax: expected \d panels?.*make them by plt.subplots"):
        posterior.plot_relation(name, ax=plt.subplots(1, 7)[1])
