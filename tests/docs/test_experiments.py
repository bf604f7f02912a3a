"""The page on experiments: its table of Sachs' proteins is that of the rows beside it."""

import re
from pathlib import Path

import pandas as pd

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_sachs_agrees_with_its_rows():
    rows = pd.read_csv(DOCS / "sachs-interventions.csv").to_dict("records")
    page = (DOCS / "experiments.md").read_text()
    lines = re.findall(r"^\|.*\| (?:853|7 466) \|(.*)\|$", page, re.M)
    assert len(lines) == len(rows) == 10
    for line, row in zip(lines, rows, strict=True):
        told = [float(number) for number in re.findall(r"[\d.]+", line)]
        names = ["eshd", "etp", "efp", "eshd_skeleton"]
        names += ["claims_true", "claims", "compelled_right", "compelled"]
        assert told == [round(row[name], 1) for name in names]
