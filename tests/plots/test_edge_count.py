"""Bars of the number of edges."""

import numpy as np
import pytest

from tests.posteriors import enumerated, posterior_of


def test_bars_are_the_probabilities():
    posterior = enumerated(4)
    ax = posterior.plot_edge_count()
    for bar in ax.patches:
        number = round(bar.get_x() + bar.get_width() / 2)
        expected = posterior.expect(lambda dag, number=number: dag.sum() == number)
        assert bar.get_height() == pytest.approx(expected)
    assert len(ax.patches) == 7
    mean = posterior.expect(lambda dag: dag.sum())
    assert ax.get_title("left") == f"{mean:.1f} edges to be expected"


def test_the_mean_of_none_and_one_is_no_probability():
    dags = np.zeros((4, 2, 2), dtype=bool)
    dags[0, 0, 1] = True
    assert posterior_of(dags).plot_edge_count().get_title("left") == "0.2 edges to be expected"


def test_one_number_is_no_wall():
    ax = posterior_of(np.zeros((3, 2, 2), dtype=bool)).plot_edge_count()
    (bar,) = ax.patches
    low, high = ax.get_xlim()
    assert bar.get_width() < 0.3 * (high - low)
