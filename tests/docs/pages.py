"""Pages that are run from top to bottom, and what they show compared with what comes out."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
TOLERANCE = 0.02  # another machine may round another way; of numbers above 1, of their size
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?%?"


def run_page(name):
    """Its code and its commands, in the folder that is current."""
    text = (DOCS / name).read_text(encoding="utf-8")
    names = {}
    for kind, block in re.findall(r"```(console|python)\n(.*?)```", text, re.S):
        if kind == "python":
            exec(block, names)  # noqa: S102
            check_comments(block, names)
            continue
        command, _, shown = block.removeprefix("$ ").partition("\n")
        printed = run(command)
        # A command with nothing below it is run, and what it prints stands elsewhere.
        assert not shown or alike(words(shown), words(printed)), printed


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
    """Numbers by themselves; bars and space do not count."""
    return re.findall(rf"(?<![\w.]){NUMBER}|[^\s━╌\d.]+|\d+|\.", text)


def alike(shown, printed):
    return len(shown) == len(printed) and all(
        a == b or _close(a, b) for a, b in zip(shown, printed, strict=True)
    )


def _close(shown, printed):
    """Whole numbers count something, and are the same or not; percentages may differ by two."""
    if not all(re.fullmatch(NUMBER, word) for word in (shown, printed)):
        return False
    if shown.isdigit() and printed.isdigit():
        return False
    a, b = (float(w.rstrip("%")) / (100 if w.endswith("%") else 1) for w in (shown, printed))
    return near(a, b)


def near(a, b):
    return abs(a - b) <= TOLERANCE * max(1, abs(b))


def check_comments(code, names):
    """The number in a comment is what its line prints."""
    for expression, shown in re.findall(r"print\((.*)\)  # .*?([-+]?\d+\.\d+)", code):
        printed = str(eval(expression, names)).split()[0]  # noqa: S307
        assert near(float(shown), float(printed)), expression
