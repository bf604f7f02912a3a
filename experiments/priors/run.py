"""Distances to the truth and calibration, by score and prior, on the simulation study.

`seconds` of the first prior of a score and data set has the time of its Laplace scores; the others
find them in the store.
"""

from collections.abc import Iterator

import pandas as pd
from rich.table import Table

import gpnet
from experiments import edges, reference
from experiments.experiment import Key, Place, Row, Settings
from experiments.study.tables import tuned
from gpnet.posterior import metrics


def keys(settings: Settings) -> list[Key]:
    """Data set by data set, so that its scores are computed once and all lambdas grow alike."""
    return [
        {
            "lambda": nonlinearity,
            "run": run,
            "score": score,
            "prior": prior,
            "evidence": evidence,
        }
        for run in range(1, settings["runs"] + 1)
        for nonlinearity in settings["lambdas"]
        for score in settings["scores"]
        for evidence in settings["evidence_methods"]
        for prior in settings["priors"]
        if evidence != "qmc" or prior not in settings["wide"] or run <= settings["wide_runs"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    known = reference.ten_nodes(key["lambda"], key["run"])
    posterior = gpnet.learn(
        known.data,
        score=key["score"],
        prior=key["prior"],
        evidence=key["evidence"],
        workers=place.workers,
        store=place.folder / f"lambda{key['lambda']}_run{key['run']:03}.sqlite",
        **settings["options"],
    )
    found = metrics.compare(posterior.dags, posterior.weights, known.dag)
    rounds = posterior.diagnosis["rounds"]
    return {
        "eshd": found["eshd"],
        "skeleton": found["eshd_skeleton"],
        "log_loss": found["log_loss"],
        "auroc": found["auroc"],
        "rounds": len(rounds),
        "effective_share_first": rounds[0]["effective_share"],
        "effective_share": posterior.diagnosis["effective_share"],
        "probabilities": edges.write(posterior.edge_probabilities().to_numpy()),
        "truth": edges.write(known.dag),
    }


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    for nonlinearity, mine in rows.groupby("lambda"):
        table = Table(
            *("score", "prior", "evidence", "runs", "median eSHD", "mean", "log loss", "ECE"),
            *("sure: claimed", "true", "seconds"),
            title=f"lambda {nonlinearity:g}",
        )
        for names, group in mine.groupby(["score", "prior", "evidence"], sort=False):
            table.add_row(*names, *_cells(group))
        for cells in _published(nonlinearity, mine["run"].unique().tolist()):
            table.add_row(*cells)
        yield table


def _cells(group: pd.DataFrame) -> list[str]:
    found = edges.judged(group)
    return [
        str(len(group)),
        f"{group['eshd'].median():.2f}",
        f"{group['eshd'].mean():.2f}",
        f"{found['log_loss']:.3f}",
        f"{found['ece']:.3f}",
        f"{found['sure_claimed']:.2f}",
        f"{found['sure_true']:.2f}",
        f"{group['seconds'].mean():.1f}",
    ]


def _published(nonlinearity: float, runs: list[int]) -> Iterator[list[str]]:
    """The authors' own, on the same runs, each at the tuning parameter that did best there."""
    rows = reference.published(10)
    rows = tuned(rows[rows["run"].isin(runs) & (rows["lambda"] == nonlinearity)])
    for (method, parameter), mine in rows.groupby(["method", "parameter"]):
        eshd = mine["eshd"]
        name = f"{method} ({parameter:g})"
        yield [name, "", "published", str(len(mine)), f"{eshd.median():.2f}", f"{eshd.mean():.2f}"]
