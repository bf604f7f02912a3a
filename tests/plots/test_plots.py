"""What holds for all plots: their axes, whatever the names, and nothing left behind."""

import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from gpnet import OptionError, plots
from gpnet.posterior.plotting import Plotting
from tests.plots.drawn import ODD, everything

POSTERIOR, ODDLY_NAMED = everything(), everything(ODD)
CHILD = int(POSTERIOR.fits.node[0])
N_PARENTS = int(POSTERIOR.fits.parents[0].sum())
TRUTH = POSTERIOR.consensus(0.9).to_numpy()
# The method, what it needs besides, and how many panels it has.
PLOTS = {
    "network": (lambda _: (), 1),
    "edges": (lambda _: (), 1),
    "relation": (lambda posterior: (posterior.names[CHILD],), N_PARENTS),
    "residuals": (lambda posterior: (posterior.names[CHILD],), 1),
    "quantiles": (lambda posterior: (posterior.names[CHILD],), 1),
    "edge_count": (lambda _: (), 1),
    "gamma": (lambda _: (), 1),
    "chains": (lambda _: (), 2),
    "weights": (lambda _: (), 1),
    "calibration": (lambda _: (TRUTH,), 1),
    "comparison": (lambda posterior: (posterior,), 1),
}


def draw(name, posterior=POSTERIOR, **options):
    needs, _ = PLOTS[name]
    return getattr(posterior, f"plot_{name}")(*needs(posterior), **options)


def test_all_plots_are_here():
    methods = {name.removeprefix("plot_") for name in vars(Plotting) if name.startswith("plot_")}
    assert methods == set(PLOTS) == set(plots.__all__) - {"posterior_calibration"}


@pytest.mark.parametrize("name", PLOTS)
def test_returns_its_axes_in_a_figure_of_its_own(name):
    n_panels, before = PLOTS[name][1], plt.get_fignums()
    axes = draw(name)
    assert len(plt.get_fignums()) == len(before) + 1
    assert isinstance(axes, Axes) if n_panels == 1 and name != "relation" else True
    assert len(np.ravel(axes)) == n_panels
    assert all(isinstance(ax, Axes) and ax.has_data() for ax in np.ravel(axes))


@pytest.mark.parametrize("name", PLOTS)
def test_draws_into_the_axes_that_are_given(name):
    n_panels = PLOTS[name][1]
    figure, given = plt.subplots(1, n_panels)
    axes = draw(name, ax=given)
    assert len(plt.get_fignums()) == 1
    assert np.ravel(axes).tolist() == np.ravel(given).tolist()
    figure.canvas.draw()


@pytest.mark.parametrize("name", PLOTS)
def test_refuses_what_are_no_axes(name):
    with pytest.raises(OptionError, match="ax: expected"):
        draw(name, ax="here")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_names_may_be_anything(name, kind):
    """Drawn without a warning, which would be an error here."""
    np.ravel(draw(name, ODDLY_NAMED))[0].figure.savefig(io.BytesIO(), format=kind)


@pytest.mark.parametrize("name", PLOTS)
def test_leaves_the_settings_of_matplotlib_alone(name):
    before = dict(mpl.rcParams)
    np.ravel(draw(name))[0].figure.canvas.draw()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", PLOTS)
def test_the_same_bytes_twice(name):
    def picture():
        file = io.BytesIO()
        np.ravel(draw(name))[0].figure.savefig(file, format="png")
        return file.getvalue()

    assert picture() == picture()
