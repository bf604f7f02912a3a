"""The quick modes of all experiments: their numbers, asserted loosely, but so that they can fail.

Table 1 and figure A1 have a file of their own.
"""

import numpy as np
import pandas as pd
import pytest
from experiments.__main__ import main
from experiments.rows import Rows

pytestmark = pytest.mark.slow
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """One folder for all, as a user has: exhibits of the same rows share them."""
    return tmp_path_factory.mktemp("out")


def made(name, out):
    """Its CSV, after the command; the picture is there."""
    assert main([name, "--quick", "--out", str(out)]) == 0
    assert (out / f"{name}.png").read_bytes().startswith(PNG)
    return pd.read_csv(out / f"{name}.csv")


def mean(rows, method, parameter, nonlinearity, column="eshd"):
    mine = rows[(rows["method"] == method) & (rows["lambda"] == nonlinearity)]
    found = mine[mine["parameter"] == parameter][column]
    assert len(found)
    return found.mean()


def test_figure_1(out):
    rows = made("figure-1", out)
    for sampler in ("order", "partition"):
        curved = [
            mean(rows, f"{score}, {sampler}", p, 1) for score, p in (("GP", 100), ("BGe", 0.1))
        ]
        assert curved[0] < curved[1] - 1  # on non-linear data GP is far nearer to the truth
        lines = [
            mean(rows, f"{score}, {sampler}", p, 0) for score, p in (("GP", 100), ("BGe", 0.1))
        ]
        assert abs(lines[0] - lines[1]) < 2.5  # on linear data neither is
    key = ["lambda", "run", "parameter"]
    order, partition = (
        rows[rows["method"] == f"GP, {sampler}"].set_index(key)["eshd"]
        for sampler in ("order", "partition")
    )
    assert np.abs(order - partition).max() < 1.5  # the same posterior by two samplers
    assert (rows["eshd_skeleton"] <= rows["eshd"] + 1e-4).all()


def test_views_of_figure_1(out):
    rows = made("figure-1", out)
    curves = made("figure-a2", out).set_index(["lambda", "method", "parameter"])
    for nonlinearity in (0, 0.5, 1):
        loose, strict = (curves.loc[(nonlinearity, "GP, order", p)] for p in (10, 100))
        assert strict["tpr"] <= loose["tpr"] + 0.02  # a penalty takes edges away, right and wrong
        assert strict["fprp"] <= loose["fprp"] + 0.02
    cpdags = made("figure-a3", out)
    assert cpdags["eshd_cpdag"].tolist() == rows["eshd_cpdag"].tolist()
    counts = made("figure-a5", out)
    assert (counts["sets_scored_again"] < counts["sets_in_table"] / 4).all()
    again = counts.groupby("parameter")["sets_scored_again"].median()
    assert again[100] < again[10]


def test_figure_2_has_the_numbers_of_figure_1(out):
    """Whether scores were known before or not: the same rows, to the last digit."""
    alone = made("figure-2", out)
    shared = made("figure-1", out).merge(alone[["lambda", "run", "method", "parameter"]])
    both = shared.merge(alone, on=["lambda", "run", "method", "parameter"], suffixes=("", "_alone"))
    assert len(both) >= 9
    for column in ("eshd", "log_loss", "tpr", "sets_scored_again"):
        assert both[column].equals(both[f"{column}_alone"])
    seconds = Rows(out / "figure-2.csv", ["lambda", "run", "method", "parameter"]).frame()
    median = seconds.groupby("method")["seconds"].median()
    assert median["BGe, order"] < median["GP, order"]


def test_figure_3(out):
    means = made("figure-3", out).groupby(["method", "draws"])["kl"].mean()
    for method in ("weighted", "weighted, exact sampler"):
        assert means[method, 10_000] <= 0.01
        assert means["Laplace", 10_000] >= 5 * means[method, 10_000]
        assert means[method, 100] > 5 * means[method, 10_000]
    assert means["BGe", 10_000] > 0.2


def test_figure_a4(out):
    means = made("figure-a4", out).groupby(["method", "size"])["kl"].mean()
    assert means["weighted", 10_000] <= 0.01 < means["weighted", 1000] < means["weighted", 100]
    assert means["BGe", 10_000] > 0.2  # time does not help it


def test_figure_a6(out):
    rows = made("figure-a6", out)
    means = rows.groupby("method")["eshd"].mean()
    assert means.max() - means.min() < 2
    assert means.nunique() == 3  # the prior does enter


def test_figures_a7_to_a9(out):
    rows = made("figure-a7", out)
    assert mean(rows, "GP, partition", 100, 1) < mean(rows, "BGe, partition", 0.1, 1)
    assert set(rows["sets_in_table"]) == {15 * (1 + 14 + 91 + 364 + 1001)}
    assert made("figure-a8", out)["eshd_cpdag"].tolist() == rows["eshd_cpdag"].tolist()
    alone = made("figure-a9", out)
    both = rows.merge(alone, on=["lambda", "run", "method", "parameter"], suffixes=("", "_alone"))
    assert len(both) == len(alone)
    assert both["eshd"].equals(both["eshd_alone"])


def test_priors(out):
    eshd = made("priors", out).groupby(["score", "prior", "evidence"])["eshd"].mean()
    for score in ("gp", "adaptive"):
        assert eshd[score, "edges:4.6", "laplace"] < eshd[score, "uniform", "laplace"] - 2


def test_defaults(out):
    rows = made("defaults", out)
    loss = rows[rows["weight"] != 0.7].groupby(["score", "prior"])["log_loss"].mean()
    assert loss["adaptive", "edges:4.6"] < loss["gp", "edges:4.6"] + 0.05


def test_calibration(out):
    rows = made("calibration", out)
    standard = rows[rows["scale"] == "standard"]
    # The loss is what the posterior expects of itself, within 4 of its standard deviations.
    off = standard["log_loss"].mean() - standard["log_loss_expected"].mean()
    assert abs(off) < 4 * np.sqrt((standard["log_loss_sd"] ** 2).sum()) / len(standard)
