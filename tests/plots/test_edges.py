"""The heat map shows the posterior's numbers, and structure."""

import numpy as np
import pytest

from tests.plots.drawn import ODD, overlapping
from tests.posteriors import thinned


def test_cells_are_the_probabilities_under_their_names():
    posterior = thinned(11)
    ax = posterior.plot_edges()
    shown = ax.images[0].get_array()
    rows = [label.get_text() for label in ax.get_yticklabels()]
    columns = [label.get_text() for label in ax.get_xticklabels()]
    assert rows == columns
    expected = posterior.edge_probabilities().loc[rows, columns].to_numpy()
    apart = ~np.eye(11, dtype=bool)
    np.testing.assert_array_equal(shown.data[apart], expected[apart])
    assert shown.mask[~apart].all()
    assert ax.images[0].get_clim() == (0, 1)


def test_causes_come_first():
    shown = thinned(30).plot_edges().images[0].get_array().filled(0)
    assert np.triu(shown).sum() > 0.9 * shown.sum()


def test_numbers_where_they_fit():
    ax = thinned(11).plot_edges()
    shown = ax.images[0].get_array().filled(0)
    for text in ax.texts:
        j, i = text.get_position()
        assert text.get_text() == f"{shown[i, j]:.2f}"
    assert len(ax.texts) == (shown >= 0.005).sum() > 10
    assert not thinned(60).plot_edges().texts


@pytest.mark.parametrize("n", [5, 11, 30, 60])
def test_names_do_not_overlap(n):
    ax = thinned(n, names=tuple(f"{'long ' * (i % 4)}name {i}" for i in range(n))).plot_edges()
    ax.figure.canvas.draw()
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert len(labels) == n
        assert overlapping([label.get_window_extent() for label in labels]) == []


def test_numbers_stay_in_their_cells():
    ax = thinned(11, names=ODD).plot_edges()
    ax.figure.canvas.draw()
    cell = ax.get_window_extent().width / 11
    assert max(text.get_window_extent().width for text in ax.texts) < cell
