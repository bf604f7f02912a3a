"""The network that is drawn is the posterior's."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

from gpnet import OptionError
from gpnet.plots import palette
from tests.plots.drawn import ODD, overlapping, texts
from tests.posteriors import enumerated, thinned

SIZES = [5, 11, 30, 60]


def patches(ax, kind):
    """By the numbers in their gid: edge-3-5, node-2."""
    named = [patch for patch in ax.patches if str(patch.get_gid()).startswith(kind)]
    return {tuple(map(int, patch.get_gid().split("-")[1:])): patch for patch in named}


def width(arrow):
    """Of the shaft, where it begins."""
    outline = arrow.get_xy()
    return np.linalg.norm(outline[0] - outline[-2])  # the last point is the first again


@pytest.mark.parametrize("n", SIZES)
def test_edges_are_as_wide_and_dark_as_they_are_probable(n):
    posterior = thinned(n)
    p = posterior.edge_probabilities().to_numpy()
    arrows = patches(posterior.plot_network(threshold=0.2), "edge")
    assert set(arrows) == {tuple(edge) for edge in np.argwhere(p >= 0.2).tolist()}
    probability = np.array([p[edge] for edge in arrows])
    for drawn in (
        np.array([width(arrow) for arrow in arrows.values()]),
        np.array([arrow.get_alpha() for arrow in arrows.values()]),
    ):
        slope, least = np.polyfit(probability, drawn, 1)
        np.testing.assert_allclose(drawn, least + slope * probability, atol=1e-6)
        assert slope > 0.5
        assert least > 0
    assert {to_hex(arrow.get_facecolor()) for arrow in arrows.values()} == {palette.ACCENT}


def test_an_arrow_points_at_the_child():
    ax = enumerated(2).plot_network(threshold=0)
    nodes = {node: patch.get_window_extent() for (node,), patch in patches(ax, "node").items()}
    for (_, child), arrow in patches(ax, "edge").items():
        outline = ax.transData.transform(arrow.get_xy()[:-1])
        tip = outline[len(outline) // 2]
        box = nodes[child]
        assert box.x0 < tip[0] < box.x1
        assert min(abs(tip[1] - box.y0), abs(tip[1] - box.y1)) < 2


def test_both_directions_are_seen():
    posterior = enumerated(2)
    arrows = patches(posterior.plot_network(threshold=0), "edge")
    p = posterior.edge_probabilities().to_numpy()
    assert set(arrows) == {(0, 1), (1, 0)}
    assert (arrows[0, 1].get_alpha() > arrows[1, 0].get_alpha()) == (p[0, 1] > p[1, 0])


@pytest.mark.parametrize("size", [None, (6, 6), (12, 3)], ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_names_do_not_overlap_and_stay_in_their_boxes(n, size):
    names = tuple(f"{'a long name, ' * (i % 3)}number {i + 1}" for i in range(n))
    ax = None if size is None else plt.subplots(figsize=size, dpi=400)[1]
    ax = thinned(n, names=names).plot_network(ax=ax)
    ax.figure.canvas.draw()
    written = {text.get_text(): text.get_window_extent() for text in texts(ax)}
    assert len(written) >= n
    assert overlapping(list(written.values())) == []
    nodes = patches(ax, "node")
    assert len(nodes) == n
    for (node,), box in nodes.items():
        outer = box.get_window_extent()
        inner = [b for t, b in written.items() if t.endswith(f"number {node + 1}") and "…" not in t]
        for text in inner:
            assert outer.x0 < text.x0
            assert text.x1 < outer.x1
    whole = ax.figure.bbox
    for box in written.values():
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert whole.y0 <= box.y0
        assert box.y1 <= whole.y1


def test_names_grow_with_the_axes():
    """A window that is made larger shows larger names, in the boxes still."""
    ax = thinned(11, names=ODD).plot_network()
    figure = ax.figure
    figure.canvas.draw()
    before = texts(ax)[0].get_fontsize()
    figure.set_size_inches(2 * figure.get_size_inches())
    figure.canvas.draw()
    assert texts(ax)[0].get_fontsize() == pytest.approx(2 * before, rel=0.1)
    assert overlapping([text.get_window_extent() for text in texts(ax)]) == []


def test_the_name_is_written_as_it_is():
    ax = thinned(11, names=ODD).plot_network()
    written = [text.get_text() for text in texts(ax)]
    assert "$x_1$" in written
    assert "<img src=x>" in written


def test_in_large_axes_names_are_not_huge():
    ax = enumerated(2).plot_network(ax=plt.subplots(figsize=(15, 15))[1])
    ax.figure.canvas.draw()
    assert max(text.get_fontsize() for text in texts(ax)) < 20


def test_the_key_says_what_the_width_means():
    ax = thinned(5).plot_network(threshold=0.3)
    key = [patch for patch in ax.patches if patch.get_gid() == "key"]
    written = [text.get_text() for text in texts(ax)]
    assert len(key) == 3
    assert {"probability", "0.3", "0.5", "1"} <= set(written)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_probability(threshold):
    with pytest.raises(OptionError, match="threshold: a probability from 0 to 1"):
        enumerated(2).plot_network(threshold=threshold)
