"""The pictures that pages show are there, are small, and are described in words."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = [
    (page, words, page.parent / path)
    for page in PAGES
    for words, path in re.findall(r"!\[(.*?)\]\((.*?)\)", page.read_text())
]
LARGEST = 150_000  # bytes


@pytest.mark.parametrize(("page", "words", "picture"), SHOWN, ids=lambda one: Path(str(one)).name)
def test_pictures_are_there_small_and_described_in_words(page, words, picture):
    assert picture.stat().st_size < LARGEST
    assert len(words) > 20


def test_the_script_draws_pictures_that_are_shown():
    drawn = re.findall(r'^        "(\S+)": ', (ROOT / "docs" / "figures.py").read_text(), re.M)
    shown = {picture.stem for _, _, picture in SHOWN}
    assert len(drawn) == 4
    assert set(drawn) <= shown
