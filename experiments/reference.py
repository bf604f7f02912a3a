"""The paper's own data sets, where they are at hand; else simulated ones of the same kind."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import gpnet
from experiments.experiment import ExperimentError
from gpnet.common.types import Dag
from gpnet.graphs.dag_csv import read_dag

VARIABLE = "GPNET_REFERENCE"
FOLDER = Path(os.environ.get(VARIABLE) or Path(__file__).parents[2] / "shared/reference")


@dataclass(frozen=True, eq=False)
class Known:
    """A data set with the DAG that it came from."""

    data: gpnet.Dataset
    dag: Dag


def present() -> bool:
    """Whether the reference is at hand."""
    if not FOLDER.is_dir() and os.environ.get(VARIABLE):
        raise ExperimentError(f"{VARIABLE}: there is no folder {FOLDER}; unset it to simulate data")
    return FOLDER.is_dir()


def source() -> str:
    """Whether experiments on the authors' data sets have them."""
    return "at hand" if present() else "not at hand, simulated ones stand for them"


def ten_nodes(nonlinearity: float, run: int) -> Known:
    """A run of the simulation study: ten nodes, 100 rows."""
    return study(10, nonlinearity, run)


def study(nodes: int, nonlinearity: float, run: int) -> Known:
    """The same with 10 or 15 nodes."""
    if present():
        stem = FOLDER / "simulated" / f"n{nodes}" / f"lambda{nonlinearity:g}_run{run:03}"
        data = gpnet.load_table(f"{stem}.csv")
        return Known(data, read_dag(f"{stem}_dag.csv", data.names))
    made = gpnet.simulate(nodes=nodes, rows=100, nonlinearity=nonlinearity, seed=run)
    return Known(gpnet.load_table(made.frame()), made.dag)


def published(nodes: int) -> pd.DataFrame:
    """What the authors' runs scored on the data sets of the study, under our names of columns.

    Columns: lambda, run, method, parameter, eshd, tpr, fprp, the same with _cpdag, seconds. Empty
    where the reference is not at hand.
    """
    key = ["lambda", "run", "method", "parameter"]
    values = ["eshd", "tpr", "fprp"]
    if not present():
        return pd.DataFrame(columns=[*key, *values, *(f"{v}_cpdag" for v in values), "seconds"])
    rows = pd.read_csv(FOLDER / f"published_n{nodes}.csv")
    dags, cpdags = (rows[rows["graph"] == graph] for graph in ("dag", "cpdag"))
    return dags[[*key, *values, "seconds"]].merge(
        cpdags[[*key, *values]], on=key, suffixes=("", "_cpdag")
    )


def four_nodes() -> gpnet.Dataset:
    """The data set of the exact posterior."""
    return gpnet.load_table(FOLDER / "n4.csv") if present() else simulated_four_nodes()


def simulated_four_nodes() -> gpnet.Dataset:
    """One like it, of a chain too: some hundred DAGs of its posterior have more than 1e-4."""
    chain = np.eye(4, k=1, dtype=bool)
    return gpnet.load_table(gpnet.simulate(dag=chain, rows=100, nonlinearity=0.5, seed=0).frame())


def golden_four_nodes() -> dict[tuple[str, frozenset[str]], float]:
    """The log marginals of `four_nodes` by (node, parents)."""
    rows = pd.read_csv(FOLDER / "golden_scores.csv", keep_default_na=False)
    rows = rows[(rows["dataset"] == "n4") & (rows["kernel"] == "add")]
    columns = zip(rows["node"], rows["parents"], rows["log_marginal"], strict=True)
    return {(node, frozenset(filter(None, p.split(";")))): float(x) for node, p, x in columns}
