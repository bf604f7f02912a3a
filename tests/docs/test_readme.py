"""What README shows is what gpnet prints."""

import re
import shlex
from pathlib import Path

from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.inference.plan import PRIORS
from gpnet.inference.settings import Settings
from gpnet.samplers import SAMPLERS
from gpnet.scores import SCORES
from tests.cli.test_tables import gpnet

README = (Path(__file__).parents[2] / "README.md").read_text()


def words(line):
    return re.findall(r"[^\s│]+", line)


def test_the_table_and_the_mistakes_of_the_demo(tmp_path):
    shown = [words(line) for line in README.splitlines() if re.match(r"    V\d ", line)]
    told = gpnet("demo", cwd=tmp_path).stdout
    printed = [words(line) for line in told.splitlines()]
    assert len(shown) == 14
    for row in shown:
        assert row in printed
    told = " ".join(told.split())
    mine, linear = re.search(
        r"model holds here: (\S+)\. .*\(--score bge\): (\S+)\. ", told
    ).groups()
    text = " ".join(README.split())
    assert f"straight lines alone makes {linear} mistakes here, gpnet {mine}." in text


def test_the_commands_on_a_table_of_ones_own(tmp_path):
    section = README[README.index("## Your own table") : README.index("**Rows must be")]
    commands = re.findall(r"^    gpnet (.*)$", section, re.M)
    assert [command.split()[0] for command in commands] == [
        *("example", "check", "learn", "show", "effect")
    ]
    for command in commands:
        done = gpnet(*shlex.split(command, comments=True), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "PKC" in done.stdout
    # Those within the text, on the same run.
    effects = gpnet("effect", "run", "--all", "--out", "effects.csv", cwd=tmp_path)
    assert effects.returncode == 0, effects.stderr
    predicted = gpnet("predict", "run", "cells.csv", "Erk", cwd=tmp_path)
    assert predicted.returncode == 0, predicted.stderr
    assert gpnet("effect", "run", "PKC", "Jnk", "--do", "40,100", cwd=tmp_path).returncode == 0


def test_the_python_example(capsys):
    code = re.search(r"```python\n(.*?)```", README, re.S)[1]
    exec(code, {})  # noqa: S102
    printed = capsys.readouterr().out
    assert "probability" in printed
    assert "Converged" in printed


def test_all_choices_are_there_and_the_defaults_are_the_defaults():
    section = README[README.index("## Choices") : README.index("## What it cannot do")]
    for choice in (*SCORES, *EVIDENCE_METHODS, *SAMPLERS):
        assert f"`{choice}`" in section
    for prior in PRIORS:
        assert re.search(rf"`{prior}[:`]", section)
    default = Settings()
    for option in ("score", "prior", "evidence", "sampler"):
        row = re.search(rf"\| `--{option}` \| `(.*?)` \|", section)
        assert row[1] == getattr(default, option)
