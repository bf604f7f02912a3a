"""Edge against edge, whatever the order of the variables."""

import numpy as np
import pytest

from gpnet import OptionError
from tests.plots.drawn import ODD, overlapping
from tests.posteriors import enumerated, posterior_of, thinned

ONE, OTHER = thinned(11), thinned(11, seed=1)


def marks(ax):
    return np.stack(ax.containers[0].lines[0].get_data(), axis=1)


def test_marks_are_both_probabilities():
    x, y = (posterior.edge_probabilities().to_numpy().ravel() for posterior in (ONE, OTHER))
    np.testing.assert_array_equal(marks(ONE.plot_comparison(OTHER)), np.stack([x, y], axis=1))


def test_variables_may_stand_in_another_order():
    order = np.random.default_rng(0).permutation(4)
    posterior = enumerated(4)
    shuffled = posterior_of(
        posterior.dags[:, order][:, :, order],
        log_weights=posterior.log_weights,
        names=tuple(posterior.names[i] for i in order),
    )
    ax = posterior.plot_comparison(shuffled)
    np.testing.assert_allclose(*marks(ax).T, atol=1e-12)
    assert ax.texts[0].get_text() == ""  # nothing differs, nothing is named


def test_the_largest_differences_are_named_with_their_numbers():
    ax = ONE.plot_comparison(OTHER)
    x, y = ONE.edge_probabilities(), OTHER.edge_probabilities()
    largest = (x - y).abs().stack().sort_values(ascending=False)[:8]
    lines = ax.texts[-1].get_text().split("\n")
    told = {line.split("  ")[1]: line.split("  ")[2] for line in lines}
    assert len(told) == 8
    for edge, numbers in told.items():
        parent, child = edge.split(" → ")
        assert numbers == f"{x.loc[parent, child]:.2f} | {y.loc[parent, child]:.2f}"
        assert abs(x - y).loc[parent, child] >= largest.min()
    assert ax.get_title("left") == f"edges differ by {largest.max():.2f} at most"


def test_each_number_stands_at_its_mark_once():
    ax = ONE.plot_comparison(OTHER)
    numbers = ", ".join(text.get_text() for text in ax.texts[:-1]).split(", ")
    assert sorted(numbers, key=int) == [str(k) for k in range(1, 9)]


def test_names_stay_in_the_figure_and_off_the_marks():
    ax = thinned(11, names=ODD).plot_comparison(thinned(11, seed=1, names=ODD))
    ax.figure.canvas.draw()
    names = ax.texts[-1].get_window_extent()
    assert names.x1 <= ax.figure.bbox.x1
    assert overlapping([names, ax.get_window_extent()]) == []


def test_titles_are_the_users():
    ax = ONE.plot_comparison(OTHER, titles=("$gp$", "bge"))
    assert ax.get_xlabel() == "probability of an edge, $gp$"
    assert ax.get_ylabel() == "probability, bge"


def test_other_variables_are_refused():
    with pytest.raises(OptionError, match=r"other: expected a posterior of the same variables"):
        ONE.plot_comparison(thinned(5))
