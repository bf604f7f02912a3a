"""The tutorial is run, and what it shows is what comes out."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", TUTORIAL, re.S)
TOLERANCE = 0.02  # another machine may round another way


def run(command):
    assert command.startswith("gpnet ")
    done = subprocess.run(
        [sys.executable, "-m", "gpnet", *shlex.split(command)[1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def words(text):
    """Numbers as numbers; bars and space do not count."""
    found = re.findall(r"[^\s━╌]+", text)
    return [float(w) if re.fullmatch(r"\d+\.\d+", w) else w for w in found]


def alike(shown, printed):
    return len(shown) == len(printed) and all(
        abs(a - b) <= TOLERANCE if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(shown, printed, strict=True)
    )


def check_comments(code, names):
    """The number in a comment is what its line prints."""
    for expression, shown in re.findall(r"print\((.*)\)  # .*?(\d\.\d+)", code):
        assert abs(eval(expression, names) - float(shown)) <= TOLERANCE, expression  # noqa: S307


def test_words_are_compared_at_all():
    assert alike(words("V1 0.66 ±"), words("V1  0.67 ±"))
    assert not alike(words("V1 0.66"), words("V1 0.69"))
    assert not alike(words("V1 0.66"), words("V2 0.66"))
    check_comments("print(1 / 3)  # 0.33", {})
    with pytest.raises(AssertionError):
        check_comments("print(1 / 3)  # a number: 0.43", {})


def test_the_tutorial_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(text, names)  # noqa: S102
            check_comments(text, names)
            continue
        command, _, shown = text.removeprefix("$ ").partition("\n")
        printed = run(command)
        assert alike(words(shown), words(printed)), printed
