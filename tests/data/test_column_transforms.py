"""Transforms of some columns, and columns to keep."""

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet.common.errors import OptionError
from gpnet.data.transforms import transform_of, transform_text
from gpnet.inference.choose_scales import choose_scales, compare_scales
from gpnet.inference.plan import make_score
from gpnet.inference.settings import Settings
from gpnet.runtime.context import Notes
from tests.contexts import context


@pytest.fixture
def frame():
    values = np.random.default_rng(0).normal(size=(80, 4))
    return pd.DataFrame(np.exp(values), columns=["A", "B", "c,d", 'e"f'])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("log2", "log2"),
        ("log2:A,B", "log2:A,B"),
        (" log2 : A , B ", "log2:A,B"),
        ("log2:A;log:B", "log2:A;log:B"),
        ("log2:A;log2:B", "log2:A,B"),
        ("log2;none:A", "log2;none:A"),
        ("auto;log:A", "log:A"),
        ('log:"c,d",A', 'log:"c,d",A'),
        ({"A": "log2", "c,d": "log", "B": "log2"}, 'log2:A,B;log:"c,d"'),
        ({'e"f': "none"}, 'none:"e""f"'),
        ({}, "auto"),
    ],
)
def test_one_text_for_what_was_asked(given, text):
    assert transform_text(given) == text
    assert transform_text(text) == text


def test_the_word_of_each_column():
    text = transform_text('log2;none:A;log:"c,d"')
    assert [transform_of(text, name) for name in ("A", "B", "c,d")] == ["none", "log2", "log"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("LOG2", "did you mean 'log2'?"),
        ("", "expected one of"),
        ("log3:A", "expected one of"),
        ({"A": 3}, "expected one of"),
        (7, "expected one of"),
        ("log:A;none:A", "'A' is named by 'log' and by 'none'"),
        ("log;none", "for all columns"),
        ('log:"A', "expected a word"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, told):
    with pytest.raises(OptionError, match=r"^transform") as refused:
        transform_text(given)
    assert told in str(refused.value)


def test_only_the_named_columns_are_transformed(frame):
    data = gpnet.load_table(frame, transform={"A": "log2", "c,d": "log"})
    assert data.transform == 'log2:A;log:"c,d"'
    np.testing.assert_array_equal(data.values[:, 0], np.log2(frame["A"] + 0.5))
    np.testing.assert_array_equal(data.values[:, 1], frame["B"])
    np.testing.assert_array_equal(data.values[:, 2], np.log(frame["c,d"]))
    for column in range(4):  # and the way back is there for each
        z = data.standardised()[:, column]
        np.testing.assert_allclose(data.to_measured(column, z), frame.iloc[:, column])
        np.testing.assert_array_equal(data.in_measured(column), frame.iloc[:, column])


def test_a_bound_is_that_of_the_column(frame):
    frame["B"] -= 10
    assert gpnet.load_table(frame, transform="log:A").n_rows == 80
    [found] = [one for one in gpnet.check_table(frame, transform="log:A,B") if one.level == "error"]
    assert found.columns == ("B",)


def test_columns_that_have_a_scale_are_not_taken_by_ranks():
    simulated = gpnet.simulate(nodes=2, rows=150, nonlinearity=0, edge_probability=1, seed=2)
    skewed = np.exp(2 * simulated.frame())
    score = make_score(Settings())

    def ranked(data):
        scales = compare_scales(data, score, context())
        return choose_scales(data, scales, Notes()).ranked

    assert ranked(gpnet.load_table(skewed)) == ("V1", "V2")
    assert ranked(gpnet.load_table(skewed, transform="log:V1")) == ("V2",)


def test_names_that_are_not_there_or_not_measured(frame):
    with pytest.raises(OptionError, match="transform 'Q': no such column"):
        gpnet.load_table(frame, transform="log2:Q")
    with pytest.raises(OptionError, match="transform 'A': is exogenous"):
        gpnet.load_table(frame, transform="log2:A", exogenous=["A"])


def test_columns_to_keep(frame):
    assert gpnet.load_table(frame, keep=["c,d", "A"]).names == ("A", "c,d")
    assert gpnet.load_table(frame, keep="A").names == ("A",)
    with pytest.raises(OptionError, match="keep 'a': no such column"):
        gpnet.load_table(frame, keep=["a"])
    with pytest.raises(OptionError, match="drop, keep: give one of the two"):
        gpnet.load_table(frame, keep=["A"], drop=["B"])
    data = gpnet.load_table(frame)
    with pytest.raises(OptionError, match="drop, keep"):
        gpnet.load_table(data, keep=["A"])


def test_what_was_set_is_told_by_a_column_that_need_not_be_kept(frame):
    frame["target"] = ["A"] * 10 + [""] * 70
    data = gpnet.load_table(frame, keep=["A", "B"], interventions="target")
    assert data.names == ("A", "B")
    assert data.interventions.sum() == 10


def test_a_posterior_in_the_units_of_the_user(frame):
    options = {"transform": "log2:A", "score": "linear", "draws": 200, "keep": ["A", "B"]}
    posterior = gpnet.learn(frame, **options)
    assert posterior.settings["data"]["transform"] == "log2:A"
    effect = posterior.effect("A", "B", do=(0.5, 2.0))
    assert "from 0.5 to 2" in effect.sentence()
