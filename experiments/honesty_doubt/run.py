"""The evidence for either direction of a pair, and what ways to doubt it make of it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import gpnet
from experiments.experiment import Key, Place, Row, Settings
from experiments.honesty import run as honesty
from experiments.honesty.measures import RAREST, directions, losses
from experiments.honesty.tables import markdown
from experiments.honesty_doubt import coarsening
from gpnet.common.types import Floats
from gpnet.data.sampled_rows import sampled_rows

DIGITS = 6
PENALTY = 3.8  # nats for an edge, as the default has
FEW = 5  # values: fewer are not modelled unless one asks
CONSTANTS = np.geomspace(1e-4, 10, 101)  # misfits a row, or what estimates are multiplied by
SHARES = np.linspace(0, 1, 101)  # of doubt about directions
WORTHS = np.geomspace(1e-3, 1, 101)  # of a nat for one direction


def keys(settings: Settings) -> list[Key]:
    return [
        {"kind": kind, "rows": settings["rows"], "dataset": number}
        for kind, most in settings["pairs"].items()
        for number in range(1, most + 1, 2)
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    judged = honesty.table(key, settings["seed"])
    frame = judged.frame()
    posterior = gpnet.learn(frame, workers=place.workers, curves=False)
    default = directions(posterior.edge_probabilities().to_numpy(), judged.dag)[0]
    few = [name for name in frame if frame[name].nunique() < FEW]
    if few:  # by default they have no score
        posterior = gpnet.learn(frame, model_discrete=few, workers=place.workers, curves=False)
    cause = int(judged.dag[1, 0])
    evidence = log_evidence(posterior, cause)
    misfit = _misfit(posterior, judged.values)
    found = dict(zip(("none", "true", "other"), evidence, strict=True)) | misfit
    found = {name: round(float(value), DIGITS) for name, value in found.items()}
    return {"weight": judged.weight, "n": len(frame), "default": round(default, DIGITS), **found}


def log_evidence(posterior: gpnet.Posterior, cause: int) -> Floats:
    """(3,): of no edge, the true direction, and the other one; less that of no edge."""
    scores = posterior.local_scores
    of = {
        (int(node), bool(parents.any())): value
        for node, parents, value in zip(
            scores.node, scores.parents, scores.log_marginal, strict=True
        )
    }
    # Doubt turns edges that are drawn: both directions are there, or, if none was drawn, neither.
    gains = [of.get((v, True), of[v, False]) - of[v, False] for v in (1 - cause, cause)]
    return np.array([0.0, *gains])


def _misfit(posterior: gpnet.Posterior, values: Floats) -> dict[str, float]:
    """By leave-one-out residuals of the likelier DAG, in the rows that the checks show."""
    checks = posterior.checks
    shown = values[sampled_rows(len(values), checks.residual.shape[1])]
    depend = sum(
        coarsening.dependence(checks.residual[child], shown[:, parent])
        for child, parent in np.argwhere(checks.parents)
    )
    return {"dependence": depend, "shape": sum(map(coarsening.shape, checks.residual))}


# Ways to doubt


class Way(NamedTuple):
    """How a number makes probabilities of the true direction, and of an edge, of the rows."""

    name: str
    numbers: Floats  # to choose from; one: it is given
    direction: Callable[[pd.DataFrame, float], Floats]
    adjacency: Callable[[pd.DataFrame, float], Floats]


def _coarsened(name: str, misfit: Callable[[pd.DataFrame, float], Floats], numbers: Floats) -> Way:
    def zeta(rows: pd.DataFrame, number: float) -> Floats:
        return coarsening.zeta(misfit(rows, number), rows["n"].to_numpy(float))

    return Way(
        name,
        numbers,
        lambda rows, number: coarsening.direction(_evidence(rows), zeta(rows, number)),
        lambda rows, number: coarsening.adjacency(_evidence(rows), zeta(rows, number), PENALTY),
    )


def _evidence(rows: pd.DataFrame) -> Floats:
    return rows[["none", "true", "other"]].to_numpy(float)


def _plain(rows: pd.DataFrame) -> Floats:
    return coarsening.direction(_evidence(rows), np.ones(len(rows)))


def _edge(rows: pd.DataFrame, number: float = 0) -> Floats:
    return coarsening.adjacency(_evidence(rows), np.ones(len(rows)), PENALTY)


def _constant(rows: pd.DataFrame, e: float) -> Floats:
    return np.full(len(rows), e)


def _dependence(rows: pd.DataFrame, factor: float) -> Floats:
    return factor * rows["dependence"].to_numpy(float)


def _both(rows: pd.DataFrame, factor: float) -> Floats:
    return factor * (rows["dependence"] + rows["shape"]).to_numpy(float)


def _lessened(rows: pd.DataFrame, worth: float) -> Floats:
    return coarsening.direction(_evidence(rows), np.full(len(rows), worth))


ONE = np.ones(1)
WAYS = (
    Way("no doubt", ONE, lambda rows, _: _plain(rows), _edge),
    _coarsened("coarsened, e as fitted", _constant, CONSTANTS),
    _coarsened("coarsened, e of dependent residuals", _dependence, ONE),
    _coarsened("the same, times what is fitted", _dependence, CONSTANTS),
    _coarsened("coarsened, e of dependence and shape", _both, ONE),
    _coarsened("the same, times what is fitted", _both, CONSTANTS),
    Way("a nat for a direction counts less", WORTHS, _lessened, _edge),
    Way("doubt 0.12", 0.12 * ONE, lambda rows, k: (1 - k) * _plain(rows) + k / 2, _edge),
    Way("doubt as fitted", SHARES, lambda rows, k: (1 - k) * _plain(rows) + k / 2, _edge),
    Way("default", ONE, lambda rows, _: rows["default"].to_numpy(float), _edge),
)


# The report


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[str]:
    for kind, mine in rows.groupby("kind", sort=False):
        yield ways_table(f"{kind} of odd number ({len(mine)})", mine)
    if rows["kind"].nunique() > 1:
        yield ways_table(f"together ({len(rows)})", rows)


def ways_table(title: str, rows: pd.DataFrame) -> str:
    header = [title, "fitted", "log loss", "weighted", "one left out", "above 0.9", "of these true"]
    lines = [[way.name, *_summary(way, rows)] for way in WAYS]
    caption = (
        "Log loss of the direction (a coin has 0.69). Fitted by equal weights; one left out: "
        "fitted to all other pairs. edge: mean -log probability of an edge; all pairs have one."
    )
    return f"{markdown([*header, 'edge'], lines)}\n\n{caption}\n"


def _summary(way: Way, rows: pd.DataFrame) -> list[str]:
    each = losses_of(way, rows)
    best = int(each.mean(axis=1).argmin())
    number, fitted = way.numbers[best], len(way.numbers) > 1
    p = way.direction(rows, number)
    sure = np.maximum(p, 1 - p) > 0.9
    return [
        f"{number:.3g}" if fitted else "",
        f"{each[best].mean():.3f}",
        f"{np.average(each[best], weights=rows['weight']):.3f}",
        f"{one_left_out(each):.3f}" if fitted else "",
        str(int(sure.sum())),
        f"{(p[sure] > 0.5).mean():.2f}" if sure.any() else "",
        f"{losses(way.adjacency(rows, number), RAREST).mean():.3f}",
    ]


def losses_of(way: Way, rows: pd.DataFrame) -> Floats:
    """(numbers, pairs)"""
    return np.array([losses(way.direction(rows, number), RAREST) for number in way.numbers])


def one_left_out(each: Floats) -> float:
    """The mean loss of each pair under the number that is best for all others."""
    best = (each.sum(axis=1, keepdims=True) - each).argmin(axis=0)
    return float(each[best, np.arange(each.shape[1])].mean())
