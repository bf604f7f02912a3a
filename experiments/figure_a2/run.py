"""Mean TPR and FPRp of the best DAG by value of the parameter, from the rows of figure 1."""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

from experiments import reference
from experiments.experiment import Settings

BY = ["lambda", "method", "parameter"]
ENOUGH = 20  # data sets for a point of a curve, where there are as many


def select(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over data sets; how many they are of; both, as published, over the same data sets."""
    mine = pd.concat([_alike(one) for _, one in rows.groupby(BY[:2], sort=False)])
    theirs = reference.published(10).merge(mine[[*BY, "run"]])
    means = _means(mine).join(_means(theirs)[["tpr", "fprp"]].add_suffix("_published"), on=BY)
    return means.round(6).reset_index()


def _alike(rows: pd.DataFrame) -> pd.DataFrame:
    """Of one method and lambda: on data sets that all parameters have, or a curve would show which
    data sets its points are of. Parameters that were tried on few are left out.
    """
    tried = rows.groupby("parameter")["run"].transform("size")
    rows = rows[tried >= min(ENOUGH, tried.max())]
    times = rows.groupby("run")["parameter"].transform("size")
    return rows[times == rows["parameter"].nunique()]


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
