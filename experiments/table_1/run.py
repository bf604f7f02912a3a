"""Distances to the consensus network by method and structure prior, and two edges that were tested.

Sachs et al. inhibited Erk: that changed Akt, and PKA hardly. All rows share one store of scores, so
that `seconds` of the first row of a score has the time of scoring, and the others hardly any. What
a run that was killed in the middle of a row had scored, the next finds, and nobody's seconds have.
"""

from collections.abc import Iterator
from math import nan
from typing import Any

import pandas as pd
from baselines import LEARNERS, Resources, timed_fit
from rich.table import Table

from experiments.experiment import Key, Place, Row, Settings
from experiments.sachs import published, sachs
from gpnet.posterior import metrics

DIGITS = 6  # after the point: beyond them another machine differs
OWN = "own"  # the prior of a learner that is given none
MEASURED = ["eshd", "etp", "efp", "eshd_cpdag", "etp_cpdag", "efp_cpdag", "eshd_skeleton"]
MEASURED += ["erk_akt", "no_erk_pka", "effective_share"]


def keys(settings: Settings) -> list[Key]:
    """Method by method."""
    return [
        {"method": name, "prior": prior}
        for name in settings["rows"]
        for prior in settings["methods"][name].get("priors", [OWN])
        if prior in [OWN, *settings["priors"]]
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    method, known = settings["methods"][key["method"]], sachs()
    options = method["options"] | ({} if key["prior"] == OWN else {"prior": key["prior"]})
    resources = Resources(place.workers, place.folder / "sachs.sqlite")
    posterior, seconds = timed_fit(LEARNERS[method["learner"]](**options), known.data, resources)
    share = posterior.diagnosis.effective_share
    found = metrics.compare(posterior.dags, posterior.weights, known.dag)
    found |= {
        "erk_akt": float(posterior.probability("Erk -> Akt")),
        "no_erk_pka": float(posterior.probability("not Erk -> PKA")),
        "effective_share": nan if share is None else share,
    }
    return {
        **{name: round(found[name], DIGITS) for name in MEASURED},
        "seconds": seconds,
        "verdict": posterior.diagnosis.verdict or "none",
        "data": known.data.fingerprint[:12],
    }


# What it says


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table | str]:
    theirs = published()
    yield _table(rows, theirs)
    yield _other_graphs(rows, theirs)
    yield _times(rows, settings)
    for row in rows.to_dict("records"):
        if row["verdict"].startswith("Not converged"):
            yield f"{row['method']}, {row['prior']}: {row['verdict']}"


def _table(rows: pd.DataFrame, theirs: pd.DataFrame) -> Table:
    table = Table(
        *("method", "prior", "E-SHD", "E-TP", "E-FP", "Erk -> Akt", "no Erk -> PKA"),
        *("effective share", "seconds"),
        title="table 1: distance to the consensus DAG of 17 edges",
    )
    for method, mine in rows.groupby("method", sort=False):
        for row in mine.to_dict("records"):
            share = f"{row['effective_share']:.2f}"
            table.add_row(method, row["prior"], *_counts(row), share, f"{row['seconds']:,.1f}")
        for row in _of(theirs, method, "dag"):
            table.add_row("", "published", *_counts(row), "", f"{row['seconds']:,.0f}")
        table.add_section()
    return table


def _of(theirs: pd.DataFrame, method: str, graph: str) -> list[dict[str, Any]]:
    """One row, or none."""
    chosen = (theirs["method"] == as_published(method)) & (theirs["graph"] == graph)
    return theirs[chosen].to_dict("records")


def as_published(method: str) -> str:
    """The name without what only we say of it, as in "GP^2, order, 3 parents"."""
    return ", ".join(method.split(", ")[:2])


def _counts(row: dict[str, Any]) -> list[str]:
    distances = [f"{row[name]:.1f}" for name in ("eshd", "etp", "efp")]
    return [*distances, *(f"{row[name]:.2f}" for name in ("erk_akt", "no_erk_pka"))]


def _other_graphs(rows: pd.DataFrame, theirs: pd.DataFrame) -> Table:
    """Without directions that nobody can know, and without any."""
    table = Table(
        *("method", "prior", "CPDAG: E-SHD", "E-TP", "E-FP", "skeleton: E-SHD"),
        title="the same on equivalence classes and skeletons",
    )
    for method, mine in rows.groupby("method", sort=False):
        for row in mine.to_dict("records"):
            table.add_row(method, row["prior"], *(f"{row[name]:.1f}" for name in MEASURED[3:7]))
        there = zip(_of(theirs, method, "cpdag"), _of(theirs, method, "skeleton"), strict=True)
        for cpdag, skeleton in there:
            cells = [cpdag["eshd"], cpdag["etp"], cpdag["efp"], skeleton["eshd"]]
            table.add_row("", "published", *(f"{cell:.1f}" for cell in cells))
        table.add_section()
    return table


def _times(rows: pd.DataFrame, settings: Settings) -> Table:
    """Of all rows of a model together: more than one takes by itself, if none was broken off."""
    table = Table("model", "rows", "seconds of all", "published, of one", title="run-times")
    model = rows["method"].str.split(",").str[0]
    for name, mine in rows.groupby(model, sort=False):
        theirs = settings["published_seconds"].get(name)
        told = f"{theirs:,}" if theirs else ""
        table.add_row(str(name), str(len(mine)), f"{mine['seconds'].sum():,.0f}", told)
    return table
