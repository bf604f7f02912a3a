"""Tiers as text, with names of any kind, and what is no such text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpnet
from gpnet.common.errors import OptionError
from gpnet.inference.settings import Settings
from gpnet.inference.tiers import read, written

NAMES = st.lists(st.text(min_size=1), min_size=1)


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("motheduc,fatheduc < educ < wage", (("motheduc", "fatheduc"), ("educ",), ("wage",))),
        ("a<b", (("a",), ("b",))),
        (
            ' "a, b" ,birth weight<"say ""no""" < *',
            (("a, b", "birth weight"), ('say "no"',), ("*",)),
        ),
        ('"a < b" < it\'s', (("a < b",), ("it's",))),
        ("  ", ()),
    ],
)
def test_text_is_read(text, tiers):
    assert read(text) == tiers
    assert Settings(tiers=text).tiers == tiers


@given(st.lists(NAMES, min_size=2))
def test_what_is_written_is_read_again(tiers):
    assert read(written(tiers)) == tuple(map(tuple, tiers))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", "two or more"),
        ("a,b", "two or more"),
        ("< a", "tier 1 of '< a' is empty"),
        ("a < < b", "tier 2"),
        ('a < ""', "tier 2"),
        ("a, < b", "a name is missing in tier 1"),
        ("a,,b < c", "a name is missing in tier 1"),
        ('"a < b', "mind double quotes"),
        ('"a" b < c', "mind double quotes"),
    ],
)
def test_what_is_no_text_of_tiers(text, words):
    with pytest.raises(OptionError, match=r"^tiers: ") as error:
        read(text)
    assert words in str(error.value)


def test_text_and_lists_are_the_same():
    frame = gpnet.simulate(nodes=3, rows=60, seed=1).frame()
    options = {"score": "bge", "draws": 200, "bag": "off"}
    by_text = gpnet.learn(frame, tiers="V2 < V1,V3", **options)
    by_lists = gpnet.learn(frame, tiers=[["V2"], ["V1", "V3"]], **options)
    assert by_text.settings == by_lists.settings
    assert (by_text.dags == by_lists.dags).all()
    assert not by_text.dags[:, [0, 2], 1].any()
