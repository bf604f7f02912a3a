"""Distances, log loss and calibration of every candidate, on data sets of every family.

`seconds` is no measure of a candidate: whoever comes first computes the scores that others share.
"""

import os
from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.table import Table

from experiments import edges
from experiments.defaults.candidates import posterior
from experiments.defaults.networks import known
from experiments.experiment import Key, Place, Row, Settings
from experiments.pairs import difference
from gpnet.posterior import metrics

CANDIDATE = ["score", "kernel", "weight", "prior"]
PAPER = {"score": "gp", "kernel": "additive", "weight": 0.5}


def keys(settings: Settings) -> list[Key]:
    """Data set by data set, so that the rows of an interrupted run can be compared.

    The finals come first: they take longer, and what they share with the screening is stored.
    """
    most = max(max(family["datasets"]) for family in settings["families"].values())
    return [
        {"family": name, "dataset": dataset, "half": half(dataset), **candidate, "evidence": method}
        for stage, method in (("final", "qmc"), ("screen", "laplace"))
        for dataset in range(1, most + 1)
        for name, family in settings["families"].items()
        if dataset <= family["datasets"][stage == "final"]
        if stage == "final" or half(dataset) == "choose"
        for candidate in _candidates(settings[stage], family, dataset)
    ]


def half(dataset: int) -> str:
    return "choose" if dataset % 2 else "confirm"


def _candidates(stage: dict[str, Any], family: dict[str, Any], dataset: int) -> Iterator[Key]:
    nodes = family["study"] if "study" in family else family["nodes"]
    for candidate in stage["candidates"]:
        if dataset > candidate.get("datasets", dataset) or nodes > candidate.get("nodes", nodes):
            continue
        for prior in stage["priors"]:
            yield {
                "score": candidate["score"],
                "kernel": candidate.get("kernel", "additive"),
                "weight": candidate.get("linear_weight", 0.5),
                "prior": prior,
            }


def measure(key: Key, settings: Settings, place: Place) -> Row:
    family = settings["families"][key["family"]]
    truth = known(family, key["dataset"])
    options = {
        "score": key["score"],
        "kernel": key["kernel"],
        "linear_weight": key["weight"],
        "prior": key["prior"],
        "evidence": key["evidence"],
        "max_parents": family.get("max_parents", settings["max_parents"]),
        "space": "full",
        "sampler": "exact",
        "seed": settings["seed"],
    }
    store = place.folder / f"{key['family']} {key['dataset']}.db"
    workers = place.workers or os.cpu_count() or 1
    dags, weights = posterior(truth, options, store, workers, settings["draws"])
    measured = metrics.compare(dags, weights, truth.dag)
    return {
        **{name: measured[name] for name in ("eshd", "eshd_skeleton", "log_loss")},
        "probabilities": edges.write(metrics.edge_probabilities(dags, weights)),
        "truth": edges.write(truth.dag),
    }


# The report


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    screened, finals = (rows[rows["evidence"] == name] for name in ("laplace", "qmc"))
    if len(screened):
        yield _overview(screened, "screening by Laplace, the half to choose on")
    for name in ("choose", "confirm"):
        mine = finals[finals["half"] == name]
        if len(mine):
            yield _overview(mine, f"accurate scores, the half to {name}")
    for family, mine in finals.groupby("family", sort=False):
        yield _family(str(family), mine)


def _overview(rows: pd.DataFrame, title: str) -> Table:
    """Log loss by family, the mean over data sets, of candidates that were tried on all of them."""
    families = list(dict.fromkeys(rows["family"]))
    table = Table("", *families, "mean", title=f"log loss: {title}")
    losses = rows.groupby([*CANDIDATE, "family"], sort=False)["log_loss"]
    by, n_sets = losses.mean().unstack("family"), losses.size().unstack("family")
    by = by[(n_sets == n_sets.max()).all(axis=1)]  # on the same data sets, to be comparable
    for candidate, losses in by.assign(mean=by.mean(axis=1)).sort_values("mean").iterrows():
        cells = [f"{losses[name]:.3f}" for name in (*families, "mean")]
        table.add_row(name_of(candidate), *cells)
    return table


def name_of(candidate: Any) -> str:
    """As in "adaptive 0.7, edges:4.6"."""
    score, kernel, weight, prior = candidate
    told = f" {kernel}" if kernel != "additive" else ""
    told += f" {weight:g}" if score in ("adaptive", "parentwise") else ""
    return f"{score}{told}, {prior}"


def _family(family: str, rows: pd.DataFrame) -> Table:
    table = Table(
        *("", "sets", "eSHD", "skeleton", "log loss", "less that of gp"),
        *("ECE", "claimed", "true", "of"),
        title=f"{family}: medians, losses, and edges claimed above {edges.SURE}",
    )
    for candidate, mine in rows.groupby(CANDIDATE, sort=False):
        found = edges.judged(mine)
        table.add_row(
            name_of(candidate),
            str(len(mine)),
            f"{mine['eshd'].median():.2f}",
            f"{mine['eshd_skeleton'].median():.2f}",
            f"{found['log_loss']:.3f}",
            against_paper(mine, rows),
            f"{found['ece']:.3f}",
            *(f"{found[name]:.3f}" for name in ("sure_claimed", "sure_true")),
            f"{found['n_sure']:.0f}",
        )
    return table


def against_paper(mine: pd.DataFrame, rows: pd.DataFrame) -> str:
    """The difference under the same prior, paired by data set; with a 95% bootstrap interval."""
    same = rows[(rows[list(PAPER)] == pd.Series(PAPER)).all(axis=1)]
    same = same[same["prior"] == mine["prior"].iloc[0]].set_index("dataset")["log_loss"]
    found = difference(mine.set_index("dataset")["log_loss"], same)
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
