"""The posterior of the edge penalty."""

import numpy as np
import pytest

from gpnet import OptionError
from tests.plots.drawn import everything
from tests.posteriors import thinned


def test_bars_are_the_weights_of_the_grid():
    posterior = everything()
    bars = posterior.plot_gamma().patches
    for bar in bars:
        low, high = bar.get_x(), bar.get_x() + bar.get_width()
        inside = (posterior.gammas > low) & (posterior.gammas < high)
        assert bar.get_height() == pytest.approx(posterior.weights[inside].sum())
    assert sum(bar.get_height() for bar in bars) == pytest.approx(1)


@pytest.mark.parametrize("gammas", [np.zeros(200), np.linspace(-9, 9, 200)], ids=["one", "many"])
def test_any_number_of_values(gammas):
    ax = thinned(3, gammas=gammas).plot_gamma()
    ax.figure.canvas.draw()
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert len(heights) <= 60
    assert heights.sum() == pytest.approx(1)
    assert heights[:-1].max(initial=0) <= 1.01 * heights[:-1].min(initial=1)  # all values alike


def test_the_odds_are_those_of_gamma():
    ax = everything().plot_gamma()
    ax.figure.canvas.draw()
    (odds,) = ax.child_axes
    found = {
        t.get_text(): p for t, p in zip(odds.get_xticklabels(), odds.get_xticks(), strict=True)
    }
    assert found["1 : 10"] == pytest.approx(np.log(10))
    assert found["3 : 1"] == pytest.approx(-np.log(3))


def test_refused_where_nothing_was_learned():
    with pytest.raises(OptionError, match=r"not learned.*learn with prior='learned'"):
        thinned(3).plot_gamma()
