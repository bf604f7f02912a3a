import pytest

from gpnet.report.labels import IN_PICTURES, IN_TEXT, label, label_width


@pytest.mark.parametrize("longest", [IN_PICTURES, IN_TEXT])
def test_a_long_name_keeps_its_beginning_and_its_end(longest):
    name = "".join(chr(ord("A") + k % 26) for k in range(100))
    short = label(name, longest)
    assert len(short) == longest
    start, end = short.split("…")
    assert name.startswith(start)
    assert name.endswith(end)
    assert label(name[:longest], longest) == name[:longest]


def test_a_label_is_one_line_that_nothing_obeys():
    assert label("a\nb\x1b\u202e") == "a\\nb\\x1b\\u202e"


def test_wide_letters_are_wider():
    widths = [label_width(6 * letter) for letter in "inW漢"]
    assert widths == sorted(set(widths))
    assert label_width("é" * 4) == label_width("e\u0301" * 4)
