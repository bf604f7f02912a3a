"""What Sachs' treatments did to the proteins, against what the untreated cells alone foretell.

The network is learnt from the first condition. For each treatment the protein that it acts on is
set, and the means of the ten others are predicted; they were measured under the treatment. A band
for a measured mean holds 90% of draws of the effect, with the sampling error of both measured means
added.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table
from scipy.special import ndtri

import gpnet
from experiments.experiment import Key, Place, Row, Settings
from experiments.sachs import CONDITIONS, NAMES, all_conditions, consensus
from gpnet.common.types import Floats
from gpnet.effects.effect import Effect

DIGITS = 6  # after the point: beyond them another machine differs
FIRST = CONDITIONS[0].name
TARGETS = {one.name: one.target for one in CONDITIONS if one.target}
QUANTILES = {"low": 0.05, "high": 0.95}
TAILS = (0.05, 0.95)
CLEAR = float(ndtri(0.95))  # standard errors from which a measured shift counts as one
WORTH_TELLING = 0.1  # standard deviations from which a predicted shift has a sign
NORMAL = ndtri((np.arange(41) + 0.5) / 41)  # in place of random numbers: the same in every run
NO_EFFECT, CONTROL = "no effect", "ICAM-2"


def keys(settings: Settings) -> list[Key]:
    """The control first: two conditions in which nothing was set."""
    asked = [(NO_EFFECT, CONTROL, "nothing")]
    asked += [
        (method, treatment, way)
        for method in settings["methods"]
        for treatment, ways in settings["treatments"].items()
        for way in ways
    ]
    return [
        {"method": method, "treatment": treatment, "set": way, "protein": protein}
        for method, treatment, way in asked
        for protein in NAMES
        if protein != TARGETS.get(treatment)
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    cells, protein = logs(settings["cells"]), key["protein"]
    before, after = cells[FIRST][protein], cells[key["treatment"]][protein]
    error = float(np.hypot(before.sem(), after.sem()))
    effect = None if key["set"] == "nothing" else foretold(key, settings, place)
    draws = np.zeros(1) if effect is None else effect.draws
    low, high = band(draws, error)
    numbers = {
        "from": np.nan if effect is None else float(effect.start[0]),
        "to": np.nan if effect is None else float(effect.end[0]),
        "probability": 0.0 if effect is None else float(effect.probability),
        "predicted": float(draws.mean()),
        "low": low,
        "high": high,
        "structural_share": 0.0 if effect is None else effect.contrast.structural_share,
        "measured": float(after.mean() - before.mean()),
        "measured_error": error,
        "sd": float(before.std()),
    }
    rounded = {name: round(value, DIGITS) for name, value in numbers.items()}
    return {"target": TARGETS.get(key["treatment"], ""), **rounded}


def foretold(key: Key, settings: Settings, place: Place) -> Effect:
    """Of the protein that is treated, set as the key says, on the other."""
    cells, target = logs(settings["cells"]), TARGETS[key["treatment"]]
    before, after = cells[FIRST][target], cells[key["treatment"]][target]
    do = (float(before.mean()), where_set(before, after, key["set"]))
    posterior = learnt(json.dumps(settings["methods"][key["method"]]), settings["cells"], place)
    return posterior.effect(target, key["protein"], do=do, draws=settings["draws"])


def where_set(before: "pd.Series[float]", after: "pd.Series[float]", way: str) -> float:
    """What the protein that is treated is set to."""
    return float(after.mean() if way == "level" else before.quantile(QUANTILES[way]))


def band(draws: Floats, error: float) -> tuple[float, float]:
    """90% of what may be measured: draws of the effect, and the error of measured means."""
    low, high = np.quantile(np.add.outer(draws, error * NORMAL), TAILS)
    return float(low), float(high)


@lru_cache(maxsize=2)
def logs(most: int) -> dict[str, pd.DataFrame]:
    """log2(x + 0.5) by condition; at most so many cells of the first."""
    table = all_conditions()
    found = {
        name: np.log2(rows[list(NAMES)] + 0.5).reset_index(drop=True)
        for name, rows in table.groupby("condition", sort=False)
    }
    return found | {FIRST: found[FIRST].head(most)}


@lru_cache(maxsize=4)  # keys come method by method; a text can be kept in mind, a dict cannot
def learnt(method: str, most: int, place: Place) -> gpnet.Posterior:
    """From the first condition; "dag" among the options, in JSON, tells it the network."""
    options = json.loads(method)
    if options.pop("dag", None) == "consensus":
        options |= known_edges()
    return gpnet.learn(
        logs(most)[FIRST],
        transform="none",
        workers=place.workers,
        curves=False,
        store=place.folder / "sachs-effects.sqlite",
        **options,
    )


def known_edges() -> dict[str, Any]:
    """Options by which the consensus network alone is left."""
    there, pairs = consensus(), range(len(NAMES))
    texts = {(i, j): f"{NAMES[i]} -> {NAMES[j]}" for i in pairs for j in pairs if i != j}
    return {
        "require": [text for pair, text in texts.items() if there[pair]],
        "forbid": [text for pair, text in texts.items() if not there[pair]],
        "max_parents": int(there.sum(axis=0).max()),
        "doubt": "off",
        "bag": "off",
    }


# What the rows say together


def with_no_effect(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, and beside them those of somebody who foretells that nothing happens."""
    treated = rows[rows["set"] != "nothing"]
    nothing = treated[treated["method"] == treated["method"].iloc[0]].assign(method=NO_EFFECT)
    reach = CLEAR * nothing["measured_error"]
    nothing = nothing.assign(predicted=0.0, probability=0.0, low=-reach, high=reach)
    return pd.concat([rows, nothing], ignore_index=True)


def judged(rows: pd.DataFrame) -> dict[str, float]:
    """Of some predictions: errors in standard deviations of the untreated cells."""
    clear = rows[rows["measured"].abs() > CLEAR * rows["measured_error"]]
    told = clear[clear["predicted"].abs() > WORTH_TELLING * clear["sd"]]
    held = rows["measured"].between(rows["low"], rows["high"])
    return {
        "pairs": len(rows),
        "rmse": float(np.sqrt((((rows["predicted"] - rows["measured"]) / rows["sd"]) ** 2).mean())),
        "covered": int(held.sum()),
        "told": len(told),
        "same_sign": int((np.sign(told["predicted"]) == np.sign(told["measured"])).sum()),
    }


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """By how the protein was set, and method."""
    every = with_no_effect(rows)
    every["set"] = every["set"].replace({"low": "activity", "high": "activity"})
    groups = every.groupby(["set", "method"], sort=False)
    return pd.DataFrame(
        {"set": way, "method": method, **judged(group)} for (way, method), group in groups
    )


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table | str]:
    for title, frame in (
        ("all treatments", summary(rows)),
        ("one by one", by_treatment(rows)),
    ):
        table = Table(*frame.columns, title=title)
        for row in frame.itertuples(index=False):
            table.add_row(*(f"{x:.2f}" if isinstance(x, float) else str(x) for x in row))
        yield table


def by_treatment(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each treatment, its protein's own shift first."""
    groups = with_no_effect(rows).groupby(["treatment", "set", "method"], sort=False)
    return pd.DataFrame(
        {
            "treatment": treatment,
            "set": way if way == "nothing" else f"{group['target'].iloc[0]} {way}",
            "by": float((group["to"] - group["from"]).iloc[0]),
            "method": method,
            **judged(group),
        }
        for (treatment, way, method), group in groups
    )
