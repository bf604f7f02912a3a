"""Columns that follow from others, and logarithms that do not mend a column."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from gpnet.data.issues import grouped
from gpnet.data.load import check_table

N = 120


def table(seed=0, n_rows=N):
    values = np.random.default_rng(seed).gamma(4.0, size=(n_rows, 4)) + 0.1
    return pd.DataFrame(values, columns=["a", "b", "c", "d"])


def only(frame, **options):
    (finding,) = check_table(frame, **options)
    assert finding.level == "warning"
    return finding


# Sums and linear combinations


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda t: t.a + t.b, "'e' = 'a' + 'b'"),
        (lambda t: t.a - t.b, "'a' = 'b' + 'e'"),
        (lambda t: t.a + t.b + 7, "'e' = 'a' + 'b' + 7"),
        (lambda t: 100 - t.a - t.b - t.c, "'a' + 'b' + 'c' + 'e' = 100"),
        (lambda t: t.a + t.b + t.c + t.d, "'e' = 'a' + 'b' + 'c' + 'd'"),
        (lambda t: t.a + t.b - t.c, "'a' + 'b' = 'c' + 'e'"),
    ],
)
def test_columns_that_add_up(made, told):
    frame = table()
    finding = only(frame.assign(e=made(frame)))
    assert finding.code == "sum"
    assert finding.problem == f"columns add up: {told}"
    assert "e" in finding.columns
    assert "--drop" in finding.remedy
    assert check_table(frame.assign(e=made(frame)), drop=[finding.columns[0]]) == []


def test_the_order_of_columns_does_not_matter():
    frame = table().assign(e=lambda t: t.a + t.b)[["e", "d", "b", "c", "a"]]
    assert only(frame).problem == "columns add up: 'e' = 'b' + 'a'"


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_a_sum_of_what_was_rounded(digits):
    frame = table() * 10
    frame = frame.assign(e=frame.a + frame.b).round(digits)
    assert only(frame).problem == "columns add up: 'e' = 'a' + 'b'"


def test_a_sum_with_noise_is_a_measurement():
    frame = table()
    frame["e"] = frame.a + frame.b + np.random.default_rng(1).normal(scale=0.05, size=N)
    assert check_table(frame) == []


def test_a_linear_combination():
    finding = only(table().assign(e=lambda t: (t.a + t.b) / 2 - 3 * t.d))
    assert finding.code == "linear-combination"
    assert "'e' is a linear combination of 'a', 'b' and 'd'" in finding.problem
    assert "(0.5 'a' + 0.5 'b' - 3 'd', apart from a constant)" in finding.problem


def test_few_rows_fit_nothing_by_chance():
    values = np.random.default_rng(3).normal(size=(12, 11))
    assert check_table(pd.DataFrame(values).add_prefix("c")) == []


def test_it_is_seen_on_the_scale_of_the_user():
    frame = table().assign(e=lambda t: t.a + t.b)
    for transform in ("log2", "rank-normal"):
        assert "sum" in [one.code for one in check_table(frame, transform=transform)]


def test_a_copy_is_told_as_a_copy_alone():
    frame = table().assign(e=lambda t: 2 * t.a)
    assert only(frame).code == "rescaled-copy"


# Powers and products


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda t: t.a**2, "is the square of 'a'"),
        (lambda t: 5 - 2 * t.a**2, "is the square of 'a'"),
        (lambda t: t.a**3, "is the cube of 'a'"),
        (lambda t: 1 / t.a, "is the reciprocal of 'a'"),
        (lambda t: np.log10(t.a), "is the logarithm of 'a'"),
        (lambda t: (t.a - 4) ** 2, "is a quadratic function of 'a'"),
        (lambda t: (t.a**2).round(1), "is the square of 'a'"),
    ],
)
def test_powers_of_another_column(made, told):
    frame = table()
    finding = only(frame.assign(e=made(frame)), transform="rank-normal:e")
    assert finding.code == "power"
    assert finding.problem.startswith(f"column 'e' {told}")
    assert finding.columns == ("e", "a")


def test_a_root_is_told_as_a_square():
    finding = only(table().assign(e=lambda t: np.sqrt(t.a)))
    assert finding.problem.startswith("column 'a' is the square of 'e'")


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda t: 3 * t.a * t.b, "'e' is 'a' × 'b', rescaled or not"),
        (lambda t: t.a / t.b**2, "'e' is 'a' × 'b'^-2, rescaled or not"),
    ],
)
def test_products_and_ratios(made, told):
    frame = table()
    finding = only(frame.assign(e=made(frame)), transform="rank-normal:e")
    assert finding.code == "product"
    assert told in finding.problem


def test_findings_of_a_kind_are_told_together():
    frame = table(n_rows=300)
    for name in "abcd":
        frame[name + "2"] = frame[name] ** 2
    (told,) = grouped(check_table(frame))
    assert told.code == "power"
    assert "'a2' is the square of 'a', rescaled or not; and much the same of 'b2'" in told.problem


def test_what_has_another_remedy_is_told_by_itself():
    rng, frame = np.random.default_rng(5), table(n_rows=400)
    for name, size in {"e": 2, "f": 2, "g": 2, "h": -6, "i": -6, "j": -6}.items():
        frame[name] = np.exp(rng.normal(size, 1.5, size=400))
    large, small = grouped(check_table(frame))
    assert "'log2:e'" in large.remedy
    assert "'log:h'" in small.remedy


@pytest.mark.parametrize("name", ["diabetes", "wine", "breast_cancer", "linnerud", "iris"])
def test_no_false_alarms_on_measured_tables(name):
    bunch = getattr(datasets, f"load_{name}")(as_frame=True)
    codes = {one.code for one in check_table(bunch.frame)}
    assert not codes & {"sum", "linear-combination", "power", "product", "log-in-vain"}


# Logarithms


def shifted():
    """A background of 1000 below values of many sizes."""
    frame = table()
    return frame.assign(e=1000 + np.exp(np.random.default_rng(4).normal(3, 1, size=N)))


def test_a_background_that_log2_does_not_take_off():
    finding = only(shifted(), transform="log2:e")
    assert (finding.code, finding.columns) == ("log-in-vain", ("e",))
    assert "log2 does not mend its shape" in finding.problem
    assert "begin far from 0" in finding.problem
    assert "take off the background" in finding.remedy
    assert "'rank-normal:e'" in finding.remedy
    assert check_table(shifted(), transform="rank-normal:e") == []
    assert check_table(shifted().assign(e=lambda t: t.e - 1000), transform="log2:e") == []


def test_values_that_are_small_beside_the_half_of_log2():
    frame = table().assign(e=lambda t: np.exp(np.random.default_rng(4).normal(-6, 1, size=N)))
    finding = only(frame, transform="log2:e")
    assert "'log:e' or 'rank-normal:e'" in finding.remedy
    assert check_table(frame, transform="log:e") == []


def test_a_logarithm_that_makes_a_column_asymmetric():
    frame = table().assign(e=np.linspace(1.0, 30.0, N))
    frame["e"] = frame["e"].sample(frac=1, random_state=0).to_numpy()
    finding = only(frame, transform="log:e")
    assert "'none:e'" in finding.remedy
    assert check_table(frame, transform="none:e") == []


def test_outliers_are_advised_what_draws_them_in():
    values = np.exp(np.random.default_rng(5).normal(-6, 1.6, size=400))
    frame = table(n_rows=400).assign(e=values)
    finding = only(frame)
    assert finding.code == "outlier"
    assert "'log:e' or 'rank-normal:e'" in finding.remedy  # log2(x + 0.5) would not
    assert check_table(frame, transform="log:e") == []
    assert [one.code for one in check_table(frame, transform="log2:e")] == [
        "outlier",
        "log-in-vain",
    ]
