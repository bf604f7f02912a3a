"""Names that a spreadsheet would run."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpnet.common.spreadsheets import inert

STARTS = "=+-@\t\r＝＋－＠"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("a;=1", "a;'=1"),
        ('a"\n=1', "a\"\n'=1"),
        ("Erk", "Erk"),
        ("a-b + c = d@e", "a-b + c = d@e"),
        ("", ""),
        ("'", "'"),
    ],
)
def test_an_apostrophe_stands_before_formulas_alone(name, written):
    assert inert(name) == written


names = st.text(alphabet=STARTS + "';,\n\"| ab1")


@given(names)
def test_no_cell_begins_a_formula_whatever_separates_cells(name):
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(inert(name), newline=""), delimiter=separator):
            assert not any(cell[:1] in STARTS for cell in row if cell)


@given(names, names)
def test_two_names_stay_two(one, other):
    assert (inert(one) == inert(other)) == (one == other)
