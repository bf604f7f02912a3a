"""What README shows is what gpnet prints."""

import re
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
    assert len(shown) == 10
    for row in shown:
        assert row in printed
    told = " ".join(told.split())
    mine, linear = re.search(r"wrong edges: (\S+)\. .*\(--score bge\): (\S+)\. ", told).groups()
    text = " ".join(README.split())
    assert f"straight lines alone makes {linear} mistakes here, gpnet {mine}." in text


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
