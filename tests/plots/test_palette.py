"""Colours can be told apart and read."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from gpnet.plots import palette

# Machado, Oliveira & Fernandes (2009), severity 1: what people without one kind of cones see.
SEEN = {
    "all": np.eye(3),
    "no red": [[0.1524, 1.0526, -0.2050], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "no green": [[0.3673, 0.8606, -0.2280], [0.2803, 0.6727, 0.0471], [-0.0118, 0.0429, 0.9689]],
    "no blue": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1477], [0.0048, 0.6914, 0.3039]],
}


def linear(colour):
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))


def lab(rgb):
    """CIE L*a*b* of linear sRGB, in which equal distances look about equal."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.clip(to_xyz @ rgb, 0.009, None) / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", SEEN)
def test_chains_are_told_apart_by_all_eyes(eyes):
    seen = [lab(np.clip(np.array(SEEN[eyes]) @ linear(c), 0, 1)) for c in palette.CHAINS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 10
    both = [lab(np.array(SEEN[eyes]) @ linear(c)) for c in (palette.ACCENT, palette.SECOND)]
    assert np.linalg.norm(both[0] - both[1]) > 25


def test_red_and_green_would_not_do():
    seen = [
        lab(np.clip(np.array(SEEN["no green"]) @ linear(c), 0, 1)) for c in ("#c03b1c", "#5f7a00")
    ]
    assert np.linalg.norm(seen[0] - seen[1]) < 25


@pytest.mark.parametrize("colour", ["ACCENT", "SECOND", "INK", "GREY"])
def test_what_is_written_can_be_read(colour):
    """A contrast of 4.5, as the WCAG ask for."""
    assert 1.05 / (luminance(getattr(palette, colour)) + 0.05) > 4.5


@pytest.mark.parametrize("colour", ["ACCENT_DARK", "SECOND_DARK"])
def test_on_a_dark_ground_too(colour):
    assert (luminance(getattr(palette, colour)) + 0.05) / (luminance("#20262c") + 0.05) > 4.5


def test_the_more_probable_the_darker():
    assert all(luminance(a) > luminance(b) for a, b in pairwise(palette.PROBABILITY))
