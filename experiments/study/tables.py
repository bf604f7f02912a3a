"""Our numbers beside the published ones, paired by data set."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments import reference
from experiments.experiment import Settings
from experiments.pairs import difference

DATA_SET = ["lambda", "run"]


def tuned(rows: pd.DataFrame) -> pd.DataFrame:
    """Those with the parameter of the least median eSHD, by method and lambda, as in the paper.

    Only values of a parameter that were tried on all data sets of the method compete.
    """
    if rows.empty:
        return rows
    eshd = rows.groupby(["lambda", "method", "parameter"])["eshd"].agg(["median", "size"])
    most = eshd.groupby(["lambda", "method"])["size"].transform("max")
    fully = eshd[eshd["size"] >= 0.8 * most]  # the authors miss some runs of some parameters
    best = fully.groupby(["lambda", "method"])["median"].idxmin().tolist()
    index = pd.MultiIndex.from_frame(rows[["lambda", "method", "parameter"]])
    return rows[index.isin(best)]


def against(settings: Settings, method: str) -> str:
    """The published method that one of ours is compared with."""
    return str(settings["methods"][method].get("against", method))


def side_by_side(
    rows: pd.DataFrame, settings: Settings, column: str, title: str
) -> Iterator[Table]:
    """A table a lambda: medians, ours and published, each at the parameter that does best."""
    theirs = tuned(reference.published(settings["nodes"]))
    for nonlinearity, mine in tuned(rows).groupby("lambda"):
        table = Table(
            *("", "data sets", "parameter", "median", "published", "at", "ours less published"),
            title=f"{title}, lambda {nonlinearity:g}",
        )
        for method, group in mine.groupby("method", sort=False):
            twin = theirs[theirs["method"] == against(settings, str(method))]
            table.add_row(str(method), *_cells(group, twin, column))
        yield table


def _cells(mine: pd.DataFrame, theirs: pd.DataFrame, column: str) -> list[str]:
    ours = mine.set_index(DATA_SET)[column]
    cells = [str(len(mine)), f"{mine['parameter'].iloc[0]:g}", f"{ours.median():.2f}"]
    same = theirs[theirs.set_index(DATA_SET).index.isin(ours.index)]
    if same.empty:
        return cells
    published = same.set_index(DATA_SET)[column]
    parameter = f"{same['parameter'].iloc[0]:g}"
    return [*cells, f"{published.median():.2f}", parameter, str(difference(ours, published))]


def times_side_by_side(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    """A table a lambda: median seconds, and how many times as many the published runs took."""
    theirs = tuned(reference.published(settings["nodes"]))
    for nonlinearity, mine in rows.groupby("lambda"):
        table = Table(
            *("", "data sets", "median seconds", "published", "times"),
            title=f"run-times, lambda {nonlinearity:g}",
        )
        for method, group in mine.groupby("method", sort=False):
            twin = theirs[theirs["method"] == against(settings, str(method))]
            twin = twin[(twin["lambda"] == nonlinearity) & twin["run"].isin(group["run"])]
            ours, published = group["seconds"].median(), twin["seconds"].median()
            cells = [f"{published:.1f}", f"{published / ours:.0f}"] if len(twin) else []
            table.add_row(str(method), str(len(group)), f"{ours:.2f}", *cells)
        yield table
