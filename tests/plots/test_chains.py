"""Traces and agreement are those of the draws."""

import numpy as np
import pytest

from gpnet.stats.convergence import draws_by_chain, split_r_hat
from tests.plots.drawn import everything
from tests.posteriors import thinned


def traces(ax):
    return [line.get_ydata() for line in ax.lines]


def points(ax):
    return [np.asarray(one.get_offsets()) for one in ax.collections]


def test_a_line_for_each_chain():
    posterior = everything()
    trace, agreement = posterior.plot_chains()
    assert len(traces(trace)) == len(points(agreement)) == 4
    for chain, drawn in enumerate(traces(trace)):
        np.testing.assert_array_equal(drawn, posterior.log_target[posterior.chain == chain])
    r_hat = split_r_hat(posterior.log_target[draws_by_chain(posterior.chain)])
    assert f"4 chains: R-hat {r_hat:.3f}" in trace.get_title("left")


def test_each_chain_against_all():
    posterior = everything()
    _, agreement = posterior.plot_chains()
    apart = ~np.eye(11, dtype=bool)
    of_chains = []
    for chain, drawn in enumerate(points(agreement)):
        mine = posterior.chain == chain
        weights = posterior.weights[mine] / posterior.weights[mine].sum()
        p = (weights[:, None, None] * posterior.dags[mine]).sum(axis=0)
        of_chains.append(p)
        together = posterior.edge_probabilities().to_numpy()
        np.testing.assert_allclose(drawn, np.stack([together[apart], p[apart]], axis=1))
    widest = np.ptp(of_chains, axis=0).max()
    assert f"apart by {widest:.2f} at most" in agreement.get_title("left")


def test_independent_draws_are_told_and_halved():
    trace, agreement = thinned(5).plot_chains()
    assert trace.get_title("left") == "200 independent draws, hence no chains"
    assert trace.lines[0].get_linestyle() == "None"
    assert len(points(agreement)) == 2
    assert [t.get_text() for t in agreement.get_legend().texts] == ["first half", "second half"]


@pytest.mark.parametrize("independent", [True, False])
def test_few_draws_of_one_chain(independent):
    trace, _ = thinned(3, n_draws=1, independent=independent).plot_chains()
    trace.figure.canvas.draw()
    if not independent:
        assert trace.get_title("left") == "1 chain: too few draws for R-hat"
