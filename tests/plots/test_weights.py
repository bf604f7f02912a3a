"""Weights as they are, and what the diagnosis says of them."""

import numpy as np

from gpnet.stats.importance_weights import pareto_k
from tests.plots.drawn import everything
from tests.posteriors import thinned


def test_sorted_weights_against_the_mean():
    posterior = everything()
    ax = posterior.plot_weights()
    drawn = ax.lines[-1].get_ydata()
    np.testing.assert_allclose(drawn, np.sort(posterior.weights)[::-1] * 200)
    assert ax.get_yscale() == "log"


def test_their_health_is_worked_out_where_no_diagnosis_is():
    posterior = everything()
    told = posterior.plot_weights().get_title("left")
    assert f"effective sample size: {posterior.ess / 200:.0%} of the draws" in told
    assert f"k-hat {pareto_k(posterior.log_weights):.2f} (good: up to 0.7)" in told


def test_the_diagnosis_knows_better():
    known = {"effective_share": 0.42, "k_hat": None}
    told = thinned(5, diagnosis=known, missing_mass=0.013).plot_weights().get_title("left")
    assert "effective sample size: 42% of the draws (good: from 50%)" in told
    assert "no tail" in told
    assert "missing mass 1.3%" in told


def test_equal_weights_look_equal():
    ax = thinned(5).plot_weights()
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), 1)
    low, high = ax.get_ylim()
    assert low < 0.5
    assert high > 2
