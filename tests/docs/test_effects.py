"""The page on effects: its code runs, and its commands are those that there are."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from experiments.sachs_effects.run import summary

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "effects.md").read_text()


def test_the_code_runs(capsys):
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    exec(code, {})  # noqa: S102
    plt.close("all")
    assert "Setting V3 from" in capsys.readouterr().out


def check_the_table_of_sachs(page):
    rows = summary(pd.read_csv(DOCS / "sachs-effects.csv"))
    section = page[page.index("## Real experiments") : page.index("## Which experiment next")]
    lines = [line.strip("|").split("|") for line in re.findall(r"^\|.*\d.*\|$", section, re.M)][1:]
    order = ["level", "activity", "nothing"]
    rows["place"] = rows["set"].map(order.index)
    found = rows.sort_values("place", kind="stable").to_dict("records")
    assert len(lines) == len(found) == 9
    for line, row in zip(lines, found, strict=True):
        told = [float(number) for number in re.findall(r"[\d.]+", " ".join(line[2:]))]
        names = ["pairs", "rmse", "covered", *(["same_sign", "told"] if line[-1].strip() else [])]
        assert told == [round(row[name], 2) for name in names]


def test_the_table_of_sachs_agrees_with_its_rows():
    check_the_table_of_sachs(PAGE)
    with pytest.raises(AssertionError):  # the control: one digit changed
        check_the_table_of_sachs(PAGE.replace("| 70 | 1.58 |", "| 70 | 1.53 |"))
