"""Names as they are drawn."""

import matplotlib.pyplot as plt
import pytest

from gpnet.plots.text import PLAIN, drawable, labels, shorten, text_widths
from tests.plots.drawn import ODD


def test_short_and_all_different():
    found = labels(ODD)
    assert len(set(found)) == len(ODD)
    assert max(map(len, found)) <= 24 + len(" (10)")
    assert found[0] == "$x_1$"


def test_they_are_shortened_in_their_middle():
    assert shorten("abcdefgh", 8) == "abcdefgh"
    assert shorten("abcdefghi", 8) == "abcd…ghi"
    assert labels(["time since the first dose", "time since the last dose"], 12) == [
        "time s… dose (1)",
        "time s… dose (2)",
    ]


def test_what_no_font_has_is_written_out():
    assert drawable("π 🧬") == "π \\U0001f9ec"
    assert drawable("two\nlines") == "two\\nlines"
    assert drawable("\ud800") == "\\ud800"


def test_without_that_matplotlib_would_warn():
    figure = plt.figure()
    figure.text(0, 0, "🧬")
    with pytest.warns(UserWarning, match="missing from"):
        figure.canvas.draw()


def test_a_font_of_the_user_counts():
    with plt.rc_context({"font.family": ["DejaVu Sans Mono", "no such font"]}):
        assert drawable("π ツ") == "π \\u30c4"


@pytest.mark.parametrize("name", ["$x_1$", "V1", "a rather long one"])
def test_widths_are_those_that_are_drawn(name):
    figure = plt.figure(dpi=720)
    text = figure.text(0, 0, name, fontsize=10, **PLAIN)
    assert text.get_window_extent().width / 10 == pytest.approx(
        text_widths([name], 10)[0], rel=0.03
    )
