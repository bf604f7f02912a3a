"""What README shows is what gpnet prints."""

import re
from pathlib import Path

from tests.test_cli import gpnet

README = (Path(__file__).parents[1] / "README.md").read_text()


def words(line):
    return re.findall(r"[^\s│]+", line)


def test_the_table_of_the_demo():
    shown = [words(line) for line in README.splitlines() if re.match(r"    V\d ", line)]
    printed = [words(line) for line in gpnet("demo").stdout.splitlines()]
    assert len(shown) == 3
    for row in shown:
        assert row in printed


def test_the_choices_of_options():
    for option in ("score", "evidence"):
        listed = re.search(rf"--{option}.*?One of ([\w, ]+)\.", spaced_help(), re.S)[1].split(", ")
        for choice in listed:
            assert f"| `{choice}` |" in README


def spaced_help():
    return re.sub(r"[\s│]+", " ", gpnet("score", "--help").stdout)
