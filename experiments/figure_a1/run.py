"""The log score of a chain minus that of its reverse, on data drawn from the chain.

Both have the same skeleton and no colliders, so that a linear score cannot tell them
apart. The data are ours: weights of each edge are drawn anew, as in the paper's formula. In a chain
that is also what the authors' generator does, which shares weights among the parents of a node.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from rich.table import Table

import gpnet
from experiments.experiment import Key, Place, Row, Settings
from gpnet.common.types import Dag
from gpnet.gp.evidence import Evidence
from gpnet.inference.plan import make_score
from gpnet.inference.settings import Settings as Options
from gpnet.scores import Score

DIGITS = 6  # after the point: beyond them is rounding, another on each machine


def keys(settings: Settings) -> list[Key]:
    """Run by run, so that all lambdas grow alike."""
    return [
        {"lambda": nonlinearity, "run": run, "score": score}
        for run in range(1, settings["runs"] + 1)
        for nonlinearity in settings["lambdas"]
        for score in settings["scores"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    chain = np.eye(settings["nodes"], k=1, dtype=bool)
    made = gpnet.simulate(
        dag=chain, rows=settings["rows"], nonlinearity=key["lambda"], seed=key["run"]
    )
    data = gpnet.load_table(made.frame())
    score = make_score(
        Options(score=key["score"], evidence=settings["evidence"], seed=settings["seed"])
    )
    forward, backward = (local_scores(score, data, dag) for dag in (chain, chain.T))
    errors = [evidence.std_error for evidence in (*forward, *backward)]
    return {
        "difference": round(total(forward) - total(backward), DIGITS) + 0.0,  # never -0.0
        "std_error": round(float(np.sqrt(np.sum(np.square(errors)))), DIGITS),
    }


def local_scores(score: Score, data: gpnet.Dataset, dag: Dag) -> list[Evidence]:
    """Of every node given its parents."""
    return [
        score.log_marginal(data, node, tuple(np.flatnonzero(dag[:, node]).tolist()))
        for node in range(len(dag))
    ]


def total(local: list[Evidence]) -> float:
    """The log marginal likelihood of the DAG."""
    return float(sum(evidence.value for evidence in local))


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """By score and lambda: runs, median, low (10%), high (90%), mean, positive (a share)."""
    return (
        rows.groupby(["score", "lambda"], sort=False)["difference"]
        .agg(
            runs="size",
            median="median",
            low=lambda x: x.quantile(0.1),
            high=lambda x: x.quantile(0.9),
            mean="mean",
            positive=lambda x: (x > 0).mean(),
        )
        .reset_index()
    )


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table | str]:
    for score, mine in summary(rows).groupby("score", sort=False):
        table = Table(
            *("lambda", "runs", "median", "10%", "90%", "mean", "positive"),
            title=f"{score}: log score of the chain less that of its reverse",
        )
        for one in mine.sort_values("lambda").to_dict("records"):
            differences = [f"{one[name]:+.2f}" for name in ("median", "low", "high", "mean")]
            share = f"{one['positive']:.0%}"
            table.add_row(f"{one['lambda']:g}", str(one["runs"]), *differences, share)
        yield table
    yield (
        f"Scores err by {rows['std_error'].median():.3f} (median standard error of a difference). "
        "Published: nothing in expectation at lambda 0, positive in more than 90% at 0.75."
    )
