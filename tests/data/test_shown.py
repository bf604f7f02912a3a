"""What a notebook shows of a table."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from gpnet.data.load import load_table
from gpnet.data.shown import MOST_SHOWN


def frame():
    values = np.exp(np.random.default_rng(0).normal(size=(50, 3)))
    return pd.DataFrame(values, columns=["a", "b", "<c>"]).assign(batch=["x", "y"] * 25)


def shown(data):
    """The table of a page, cell by cell."""
    page = data._repr_html_()
    table = page[page.index("<table") : page.index("</table>") + len("</table>")]
    root = ElementTree.fromstring(table)  # noqa: S314, as it is our own
    rows = [[cell.text or "" for cell in row] for row in root.iter("tr")]
    return pd.DataFrame(rows[1:], columns=rows[0]).set_index("variable")


def test_every_variable_has_a_row():
    data = load_table(frame(), transform={"a": "log2"}, exogenous=["batch"])
    table = shown(data.by_ranks(["b"]))
    assert list(table.index) == ["a", "b", "<c>", "batch"]
    assert list(table["scale"]) == ["log2", "by ranks", "", ""]
    assert list(table["role"]) == ["", "", "", "exogenous"]
    assert table.loc["batch", "levels"] == "x and y"
    assert float(table.loc["a", "most"]) == pytest.approx(frame()["a"].max(), rel=1e-3)


def test_what_is_nowhere_has_no_column():
    data = load_table(frame().drop(columns="batch"))
    assert list(shown(data)) == ["least", "median", "most"]
    assert "What is odd about it" not in data._repr_html_()
    assert "<strong>Dataset</strong> of 50 rows, 3 variables" in data._repr_html_()


def test_missing_and_set_cells_are_counted():
    table = frame()
    table.loc[[3, 4], "a"] = np.nan
    table["target"] = ["b"] * 10 + [""] * 40
    found = shown(load_table(table, missing="impute", interventions="target"))
    assert found.loc["a", "missing"] == "2"
    assert found.loc["b", "set by experiment"] == "10"
    assert float(found.loc["a", "least"]) == pytest.approx(table["a"].min(), rel=1e-3)


def test_warnings_are_told_and_names_cannot_be_markup():
    page = load_table(frame().assign(**{"<i>": lambda t: 2 * t["a"]}))._repr_html_()
    assert "What is odd about it" in page
    assert "&#x27;&lt;i&gt;&#x27; is a rescaled copy of &#x27;a&#x27;" in page
    assert "<i>" not in page


def test_of_very_many_variables_some_are_shown():
    values = np.random.default_rng(0).normal(size=(30, MOST_SHOWN + 2))
    data = load_table(values)
    assert len(shown(data)) == MOST_SHOWN
    assert "and 2 more variables" in data._repr_html_()
