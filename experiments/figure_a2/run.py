"""Mean TPR and FPRp of the best DAG by value of the parameter, from the rows of figure 1."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments import reference
from experiments.experiment import Settings

BY = ["lambda", "method", "parameter"]


def select(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over data sets; how many they are of; both, as published, over the same data sets."""
    theirs = reference.published(10).merge(rows[[*BY, "run"]])
    means = _means(rows).join(_means(theirs)[["tpr", "fprp"]].add_suffix("_published"), on=BY)
    return means.round(6).reset_index()


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.groupby(BY, sort=False).agg(
        tpr=("tpr", "mean"), fprp=("fprp", "mean"), datasets=("run", "size")
    )


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    for nonlinearity, mine in select(rows).groupby("lambda"):
        table = Table(
            *("", "parameter", "data sets", "TPR", "FPRp", "published TPR", "FPRp"),
            title=f"the best DAG, lambda {nonlinearity:g}",
        )
        for row in mine.to_dict("records"):
            shown = [f"{row[name]:.2f}" for name in ("tpr", "fprp")]
            published = [row["tpr_published"], row["fprp_published"]]
            shown += [f"{value:.2f}" for value in published if pd.notna(value)]
            table.add_row(row["method"], f"{row['parameter']:g}", str(row["datasets"]), *shown)
        yield table
