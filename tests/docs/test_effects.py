"""The page on effects: its code runs, and its commands are those that there are."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

PAGE = (Path(__file__).parents[2] / "docs" / "effects.md").read_text()


def test_the_code_runs(capsys):
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    exec(code, {})  # noqa: S102
    plt.close("all")
    assert "Setting V3 from" in capsys.readouterr().out
