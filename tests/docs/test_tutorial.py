"""The tutorials are run, and what they show is what comes out."""

import re

import matplotlib.pyplot as plt
import pytest

from tests.docs.pages import DOCS, alike, check_comments, run_page, words

PAGES = ["index.md", "known.md", "missing.md", "tutorial.md", "from-arrows-to-effects.md"]
ELSEWHERE = {"effects.md"}  # test_effects.py
NOT_RUN = {"cluster.md"}  # needs a cluster


def test_words_are_compared_at_all():
    assert alike(words("V1 0.66 ±"), words("V1  0.67 ±"))
    assert not alike(words("V1 0.66"), words("V1 0.69"))
    assert not alike(words("V1 0.66"), words("V2 0.66"))
    assert alike(words("by +4.51 (3.79 to 5.36); 30%"), words("by +4.53 (3.79 to 5.40); 31%"))
    assert not alike(words("by +4.51 (3.79"), words("by -4.51 (3.79"))
    assert not alike(words("30% of it"), words("35% of it"))
    assert not alike(words("42 effects"), words("43 effects"))
    check_comments("print(1 / 3)  # 0.33", {})
    with pytest.raises(AssertionError):
        check_comments("print(1 / 3)  # a number: 0.43", {})
    with pytest.raises(AssertionError):
        check_comments("print(1 / 3)  # another sign: -0.33", {})


def test_every_page_with_code_is_run():
    pages = {page.name: page.read_text() for page in DOCS.glob("*.md")}
    code = {name for name, text in pages.items() if re.search("```(python|console)", text)}
    assert code == {*PAGES} | ELSEWHERE | NOT_RUN


@pytest.mark.parametrize("name", PAGES)
def test_a_page_from_top_to_bottom(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    run_page(name)
    plt.close("all")
