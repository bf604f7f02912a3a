"""Our numbers beside the published ones, paired by data set."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments import reference
from experiments.experiment import Settings
from experiments.pairs import difference

DATA_SET = ["lambda", "run"]
RIVAL = "BGe, partition"
ENOUGH = 0.8  # of a method's data sets: a parameter tried on fewer does not compete


def tuned(rows: pd.DataFrame) -> pd.DataFrame:
    """Those with the parameter of the least median eSHD, by method and lambda, as in the paper.

    The medians are of the data sets that all values of the parameter which compete were tried on.
    """
    if rows.empty:
        return rows
    groups = rows.groupby(["lambda", "method"], sort=False)
    return pd.concat([_best(group) for _, group in groups])


def _best(rows: pd.DataFrame) -> pd.DataFrame:
    by = rows.pivot_table("eshd", index="run", columns="parameter")
    counts = by.notna().sum()
    compete = by.loc[:, counts >= ENOUGH * counts.max()].dropna()
    return rows[rows["parameter"] == compete.median().idxmin()]


def against(settings: Settings, method: str) -> str:
    """The published method that one of ours is compared with."""
    return str(settings["methods"][method].get("against", method))


def twins(
    rows: pd.DataFrame, settings: Settings
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Of each method: its name, our rows, and the published ones of the same data sets.

    Both are tuned on these data sets; where some are published and others not, ours are those
    that are.
    """
    published = reference.published(settings["nodes"])
    for method, mine in rows.groupby("method", sort=False):
        theirs = published[published["method"] == against(settings, str(method))]
        theirs = tuned(theirs[_data_sets(theirs).isin(_data_sets(mine))])
        ours = tuned(mine)
        if len(theirs):
            ours = ours[_data_sets(ours).isin(_data_sets(theirs))]
        yield str(method), ours, theirs


def twins_in_time(
    rows: pd.DataFrame, settings: Settings
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """The same with the parameter that ours has; where there is no such, the one that did best."""
    published = reference.published(settings["nodes"])
    for method, mine in rows.groupby("method", sort=False):
        theirs = published[published["method"] == against(settings, str(method))]
        theirs = theirs[_data_sets(theirs).isin(_data_sets(mine))]
        same = theirs[theirs["parameter"].isin(mine["parameter"])]
        yield str(method), mine, same if len(same) else tuned(theirs)


def _data_sets(rows: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(rows[DATA_SET])


def side_by_side(
    rows: pd.DataFrame, settings: Settings, column: str, title: str
) -> Iterator[Table]:
    """A table a lambda: medians, ours and published, each at the parameter that does best."""
    rival = tuned(rows[rows["method"] == RIVAL]).set_index(DATA_SET)[column]
    for nonlinearity in sorted(rows["lambda"].unique()):
        table = Table(
            *("", "data sets", "at", "median", "published", "at", "ours less published"),
            f"ours less {RIVAL}",
            title=f"{title}, lambda {nonlinearity:g}",
        )
        for method, mine, theirs in twins(rows[rows["lambda"] == nonlinearity], settings):
            own = mine.set_index(DATA_SET)[column]
            table.add_row(method, *_cells(mine, theirs, column), str(difference(own, rival)))
        yield table


def shd_side_by_side(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    return side_by_side(rows, settings, "eshd", "expected SHD of DAGs")


def cpdag_shd_side_by_side(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    return side_by_side(rows, settings, "eshd_cpdag", "expected SHD of CPDAGs")


def cpdag_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """What the exhibits of CPDAGs show of their rows."""
    return rows[[*DATA_SET, "method", "parameter", "eshd_cpdag", "etp_cpdag", "efp_cpdag"]]


def _cells(mine: pd.DataFrame, theirs: pd.DataFrame, column: str) -> list[str]:
    ours = mine.set_index(DATA_SET)[column]
    cells = [str(len(mine)), f"{mine['parameter'].iloc[0]:g}", f"{ours.median():.2f}"]
    if theirs.empty:
        return [*cells, "", "", ""]
    published = theirs.set_index(DATA_SET)[column]
    parameter = f"{theirs['parameter'].iloc[0]:g}"
    return [*cells, f"{published.median():.2f}", parameter, str(difference(ours, published))]


def times_side_by_side(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    """A table a lambda: median seconds, and how many times as many the published runs took."""
    for nonlinearity, here in rows.groupby("lambda"):
        table = Table(
            *("", "data sets", "at", "median seconds", "published", "at", "times"),
            title=f"run-times, lambda {nonlinearity:g}",
        )
        for method, mine, theirs in twins_in_time(here, settings):
            table.add_row(method, *_times(mine, theirs))
        yield table


def _times(mine: pd.DataFrame, theirs: pd.DataFrame) -> list[str]:
    ours = mine["seconds"].median()
    cells = [str(len(mine)), f"{mine['parameter'].iloc[0]:g}", f"{ours:.2f}"]
    if theirs.empty:
        return cells
    published = theirs["seconds"].median()
    parameter = f"{theirs['parameter'].iloc[0]:g}"
    return [*cells, f"{published:.1f}", parameter, f"{published / ours:.0f}"]
