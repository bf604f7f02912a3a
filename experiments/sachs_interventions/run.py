"""Sachs' eleven proteins under nine conditions, told in several ways, against the consensus.

*first condition*: CD3/CD28 alone, as in the paper. *pooled*: all cells, and nothing said of their
conditions. *interventions*: inhibited or activated proteins were set, so that these cells do not
count for them. *conditions*: the condition is an exogenous column, which may drive anything.
*both*: the two together.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

import gpnet
from experiments.experiment import Key, Place, Row, Settings
from experiments.sachs import CONDITIONS, all_conditions, consensus
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior import metrics

DIGITS = 6  # after the point: beyond them another machine differs
CLAIM = 0.9
VIEWS: dict[str, dict[str, Any]] = {
    "first condition": {"drop": ["condition", "target"]},
    "pooled": {"drop": ["condition", "target"]},
    "interventions": {"drop": ["condition"], "interventions": "target"},
    "conditions": {"drop": ["target"], "condition": "condition"},
    "both": {"interventions": "target", "condition": "condition"},
}


def keys(settings: Settings) -> list[Key]:
    return [
        {"score": score, "view": view} for score in settings["scores"] for view in settings["views"]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    cells = some_of_each(all_conditions(), settings["rows_each"])
    if key["view"] == "first condition":
        cells = cells[cells["condition"] == CONDITIONS[0].name]
    told = VIEWS[key["view"]]
    posterior = gpnet.learn(
        cells,
        transform="log2",
        workers=place.workers,
        curves=False,
        store=place.folder / "sachs-interventions.sqlite",
        **told,
        **settings["scores"][key["score"]],
    )
    return {
        "cells": len(cells),
        **{name: round(value, DIGITS) for name, value in judged(posterior).items()},
        "verdict": posterior.diagnosis.verdict,
    }


def some_of_each(cells: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first rows of each condition."""
    return cells.groupby("condition", sort=False).head(most).reset_index(drop=True)


def judged(posterior: gpnet.Posterior) -> dict[str, float]:
    """Proteins alone: what conditions do to them is not in the consensus network."""
    truth = consensus()
    n, weights = len(truth), posterior.weights
    dags = posterior.dags[:, :n, :n]
    found = metrics.compare(dags, weights, truth)
    p = metrics.edge_probabilities(dags, weights)
    claims = p > CLAIM
    joined = truth | truth.T
    either = cpdag(posterior.dags, posterior.identified)[:, :n, :n]
    compelled = np.tensordot(weights, either & ~either.swapaxes(1, 2), 1)
    return {
        **{name: found[name] for name in ("eshd", "etp", "efp", "eshd_skeleton", "auroc")},
        "claims": float(claims.sum()),
        "claims_true": float((claims & truth).sum()),
        # Of the edges between proteins that the consensus has adjacent: directed whatever the model
        # says of curves and noise, and the right way round.
        "compelled": float(compelled[joined].sum()),
        "compelled_right": float(compelled[truth].sum()),
        "raf_mek": float(p[0, 1]),
        "mek_raf": float(p[1, 0]),
        "erk_akt": float(posterior.probability("Erk -> Akt")),
    }


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table | str]:
    table = Table(
        *("score", "view", "cells", "E-SHD", "E-TP", "E-FP", "skeleton", "above 0.9: true of"),
        *("compelled: right of", "Raf -> Mek", "Mek -> Raf", "Erk -> Akt"),
        title="distance to the consensus DAG of 17 edges",
    )
    for row in rows.to_dict("records"):
        table.add_row(
            row["score"],
            row["view"],
            f"{row['cells']:,}",
            *(f"{row[name]:.1f}" for name in ("eshd", "etp", "efp", "eshd_skeleton")),
            f"{row['claims_true']:.0f} of {row['claims']:.0f}",
            f"{row['compelled_right']:.1f} of {row['compelled']:.1f}",
            *(f"{row[name]:.2f}" for name in ("raf_mek", "mek_raf", "erk_akt")),
        )
    yield table
