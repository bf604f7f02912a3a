"""The court in tables of Markdown."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from experiments.real_tables import kappa, measures
from experiments.real_tables.known import (
    DISTURBED,
    PAIRS,
    R_PAIRS,
    REFERENCE,
    REMOVED,
    TABLES,
    TUEBINGEN,
)
from experiments.real_tables.measures import Again, Ordered
from gpnet.common.types import Floats
from gpnet.inference.orientation import KAPPA

N_RESAMPLES = 2000
COVERED = 0.9
COLLECTIONS = (REFERENCE, TABLES, R_PAIRS, PAIRS, TUEBINGEN)
LEVELS = {"if the model holds": 0.0, "as shipped": KAPPA}


def claims_table(rows: pd.DataFrame) -> str:
    """What arrows and directions are worth."""
    header = ["data", "candidate", "doubt", "arrows with / against", "claimed", "adjacent pairs"]
    header += ["right", "log loss of direction"]
    lines = [
        [name, candidate, doubt, *_claims(Ordered.of(mine, level))]
        for name, candidate, mine in _by_collection(rows)
        for doubt, level in LEVELS.items()
    ]
    caption = (
        f"Arrows above {measures.SURE} with and against the known order of the columns; of "
        f"adjacent pairs (above {measures.ADJACENT}) of known order the share whose likelier "
        f"direction is the known one, and the log loss of direction ({COVERED:.0%} intervals over "
        "resampled pairs; a coin has 0.69)."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


def _claims(pairs: Ordered) -> list[str]:
    along, against, claimed = pairs.claims
    right, _ = pairs.directions
    loss = -np.log(right)
    return [
        f"{along} / {against}",
        _number(claimed),
        str(len(right)),
        _number(float(np.mean((right > 0.5) + 0.5 * (right == 0.5)))) if len(right) else "",
        _interval(loss),
    ]


def again_table(rows: pd.DataFrame) -> str:
    """What is found again in the other half of the rows."""
    header = ["data", "candidate", "adjacencies", "found again", "gone"]
    header += ["arrows", "the same", "reversed"]
    lines = [
        [name, candidate, *_again(measures.again(mine))]
        for name, candidate, mine in _by_collection(rows, WITH_HALVES)
    ]
    caption = (
        f"Without doubt: of what is above {measures.STRONG} in one half of the rows, the share "
        f"that is above {measures.FOUND} or, of adjacencies, below {measures.GONE} in the other."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


WITH_HALVES = (REFERENCE, TABLES)


def _again(found: Again) -> list[str]:
    adjacencies, arrows = max(1, found.adjacencies), max(1, found.arrows)
    return [
        str(found.adjacencies),
        f"{found.found / adjacencies:.3f}",
        f"{found.gone / adjacencies:.3f}",
        str(found.arrows),
        f"{found.same / arrows:.3f}",
        f"{found.reversed / arrows:.3f}",
    ]


def jumps_table(rows: pd.DataFrame) -> str:
    """What moves if next to nothing has changed."""
    header = ["candidate", "change", "tables", "median", "largest", "as shipped, largest"]
    views = {
        "a row removed": REMOVED,
        **{view: (view,) for view in DISTURBED if view not in REMOVED},
    }
    lines = [
        [
            str(candidate),
            name,
            str(len(found)),
            _number(np.median(found)),
            _number(found.max()),
            _number(measures.jumps(mine, some, KAPPA).max()),
        ]
        for candidate, mine in rows.groupby("candidate", sort=False)
        for name, some in views.items()
        if len(found := measures.jumps(mine, some))
    ]
    beyond = {
        str(candidate): measures.standardised_jumps(mine, "other seed")
        for candidate, mine in rows.groupby("candidate", sort=False)
    }
    far = [
        f"{name}: {(jumps > 3).mean():.4f} of {len(jumps)}"
        for name, jumps in beyond.items()
        if len(jumps)
    ]
    caption = (
        "The largest change of a probability of an edge, without doubt, over tables and views. "
        f"Two seeds differ by more than three stated errors in {'; '.join(far)}."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


def kappa_table(rows: pd.DataFrame) -> str:
    """The fitted number, of each candidate."""
    header = ["candidate", "kappa", "std. error", "spread", *COLLECTIONS]
    lines = []
    for candidate, mine in rows.groupby("candidate", sort=False):
        found = kappa.fit(
            {
                name: Ordered.of(some).directions
                for name, _, some in _by_collection(mine)
                if name not in (ALL, TUEBINGEN)
            }
        )
        tuebingen = mine[(mine["collection"] == TUEBINGEN) & (mine["view"] == "whole")]
        alone = kappa.fit({TUEBINGEN: Ordered.of(tuebingen).directions}).best
        best = [_number((found.best | alone).get(name, np.nan)) for name in COLLECTIONS]
        lines.append(
            [str(candidate), *map(_number, (found.mean, found.std_error, found.spread)), *best]
        )
    caption = (
        "Kappa for a new collection: the predictive mean, its standard error and the spread of "
        "collections about it; then what fits each collection best by itself. Tuebingen pairs are "
        "left out of the mean: noise and scales were chosen on them."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


ALL = "all"


def _by_collection(
    rows: pd.DataFrame, collections: Sequence[str] = COLLECTIONS
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Whole tables, or all views where halves are asked for; then all collections together."""
    views = rows if collections == WITH_HALVES else rows[rows["view"] == "whole"]
    for candidate, mine in views.groupby("candidate", sort=False):
        for name in collections:
            some = mine[mine["collection"] == name]
            if len(some):
                yield name, str(candidate), some
        if mine["collection"].nunique() > 1:
            yield ALL, str(candidate), mine


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def _interval(values: Floats) -> str:
    if not len(values):
        return ""
    again = np.random.default_rng(0).integers(len(values), size=(N_RESAMPLES, len(values)))
    low, high = np.quantile(values[again].mean(axis=1), [(1 - COVERED) / 2, (1 + COVERED) / 2])
    return f"{values.mean():.3f} ({low:.3f} to {high:.3f})"


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table."""
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *lines))
