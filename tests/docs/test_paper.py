"""The page of the paper's exhibits: its tables agree with the rows beside it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments.experiment import Experiment
from experiments.pairs import difference
from experiments.study.tables import DATA_SET, twins

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "paper.md").read_text(encoding="utf-8")


def tables(heading):
    """Of a section: each table as rows of cells, without its head."""
    section = re.search(rf"^## {heading}.*?(?=^## |\Z)", TEXT, re.M | re.S).group()
    found = re.findall(r"(?:^\|.*\n)+", section, re.M)
    rows = [[line.strip().strip("|").split("|") for line in one.splitlines()[2:]] for one in found]
    return [[[cell.strip() for cell in line] for line in one] for one in rows]


def rows_of(name):
    return pd.read_csv(DOCS / "paper" / f"{name}.csv")


def numbers(cells):
    return [float(cell) for cell in cells]


@pytest.mark.parametrize(
    ("heading", "place", "name", "column"),
    [
        ("Figure 1", 0, "figure-1", "eshd"),
        ("Figure A3", 0, "figure-1", "eshd_cpdag"),
        ("Figures A7", 0, "figure-a7", "eshd"),
        ("Figures A7", 1, "figure-a7", "eshd_cpdag"),
    ],
)
def test_medians_and_differences_of_the_study(reference, heading, place, name, column):
    rows, settings = rows_of(name), Experiment.load(name, quick=False).settings
    shown = {line[0]: line[2:] for line in tables(heading)[place]}
    assert set(shown) == set(rows["method"])
    for panel, nonlinearity in enumerate((0, 0.5, 1)):
        for method, ours, theirs in twins(rows[rows["lambda"] == nonlinearity], settings):
            median, published, gap = shown[method][3 * panel : 3 * panel + 3]
            own, other = (one.set_index(DATA_SET)[column] for one in (ours, theirs))
            assert median.split(" ")[0] == f"{own.median():.2f}"
            found = difference(own, other)
            assert gap == f"{found.mean:+.2f} ({found.low:+.2f}, {found.high:+.2f})"
            if published:
                assert published.split(" ")[0] == f"{other.median():.2f}"


def test_divergences_of_figure_3():
    means = rows_of("figure-3").groupby(["method", "draws"])["kl"].mean()
    names = ["BGe", "Laplace", "Algorithm 1", "weighted", "weighted, exact sampler"]
    lines = tables("Figure 3")[0]
    for name, line in zip(names, lines[:5], strict=True):
        for draws, cell in zip((100, 316, 1000, 3162, 10000, 31623), line[1:], strict=True):
            digits = len(cell.partition(".")[2])
            assert float(cell) == pytest.approx(means[name, draws], abs=0.51 * 10**-digits)


def test_table_1():
    rows = rows_of("table-1").set_index(["method", "prior"])
    method, n_checked = "", 0
    for name, prior, *cells in tables("Table 1")[0]:
        method = name.replace("GP²", "GP^2") or method
        if "published" in prior:
            continue
        prior = "own" if method in ("gpnet", "kPC-HSIC", "kPC-DC") else prior.strip("`")
        row = rows.loc[(method, prior)]
        columns = ["eshd", "etp", "efp", "erk_akt", "no_erk_pka", "eshd_cpdag"]
        for column, digits, cell in zip(columns, (1, 1, 1, 2, 2, 1), cells, strict=True):
            assert float(cell) == pytest.approx(row[column], abs=0.51 * 10**-digits)
        n_checked += 1
    assert n_checked == len(rows)


def test_figure_a1():
    rows = rows_of("figure-a1")
    median, quantiles, positive, adaptive, adaptive_positive = tables("Figure A1")[0]
    for place, nonlinearity in enumerate(sorted(rows["lambda"].unique()), start=1):
        here = rows[rows["lambda"] == nonlinearity].set_index("score")["difference"]
        gp, other = here["gp"], here["adaptive"]
        assert float(median[place]) == pytest.approx(gp.median(), abs=0.051)
        assert float(adaptive[place]) == pytest.approx(other.median(), abs=0.051)
        low, high = numbers(quantiles[place].split(" to "))
        assert [low, high] == pytest.approx(np.quantile(gp, [0.1, 0.9]).tolist(), abs=0.051)
        for line, values in ((positive, gp), (adaptive_positive, other)):
            assert line[place] == f"{(values > 0).mean():.0%}"


def test_seconds_of_figure_2():
    rows = rows_of("figure-2-seconds")
    medians = rows.groupby(["method", "lambda"])["seconds"].median()
    for name, *cells in tables("Figure 2")[0]:
        method = name.removesuffix(", one particle")
        for nonlinearity, cell in zip((0, 0.5, 1), cells, strict=False):
            assert float(cell) == pytest.approx(medians[method, nonlinearity], abs=0.051)


def test_a_number_that_is_off_is_seen(monkeypatch):
    """The control: the same page with one digit changed."""
    monkeypatch.setitem(globals(), "TEXT", TEXT.replace("| .0031 |", "| .0034 |", 1))
    with pytest.raises(AssertionError):
        test_divergences_of_figure_3()
