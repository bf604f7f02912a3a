"""What README shows is what gpnet prints."""

import re
from pathlib import Path

import numpy as np

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


def test_the_posterior_in_python(capsys):
    code = next(c for c in re.findall(r"```python\n(.*?)```", README, re.S) if "ExactSampler" in c)
    names = {}
    exec(code, names)  # noqa: S102
    assert names["dags"].shape == (1000, 6, 6)
    shown = np.array(re.findall(r"\d\.\d*", capsys.readouterr().out), dtype=float)
    frequencies = names["dags"].mean(axis=0).ravel()
    assert np.abs(shown - frequencies).max() < 0.08  # 5 standard errors


def test_the_choices_of_options():
    for option in ("score", "evidence"):
        listed = re.search(rf"--{option}.*?One of ([\w, ]+)\.", spaced_help(), re.S)[1].split(", ")
        for choice in listed:
            assert f"| `{choice}` |" in README


def spaced_help():
    return re.sub(r"[\s│]+", " ", gpnet("score", "--help").stdout)
