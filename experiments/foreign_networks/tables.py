"""Rows summed up by kind of data and candidate, as tables in Markdown."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from experiments.foreign_networks.measures import LIMITS, SURE
from gpnet.common.types import Floats

N_RESAMPLES = 2000
COVERED = 0.9
LOSSES = {"direction_loss": "direction", "adjacency_loss": "adjacency", "edge_loss": "edge"}


def kinds_table(rows: pd.DataFrame) -> str:
    """Log losses with intervals over data sets, and what sure claims are worth."""
    claims = [cell for above in SURE.values() for cell in (f"> {above}: claims", "claimed", "true")]
    header = ["data", "candidate", "sets", *LOSSES.values(), "right", *claims, "E-SHD", "seconds"]
    lines = [[*names, *_summary(mine)] for names, mine in by_kind(rows)]
    caption = (
        "Log loss (nats) of the direction of truly adjacent pairs, of adjacency, and of edges, "
        f"with {COVERED:.0%} bootstrap intervals over data sets; a coin has 0.69. right: pairs "
        "whose likelier direction is the true one."
    )
    return f"{markdown(header, lines)}\n\n{caption}\n"


def by_kind(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for (kind, candidate), mine in rows.groupby(["kind", "candidate"], sort=False):
        yield (str(kind), str(candidate)), mine


def _summary(rows: pd.DataFrame) -> list[str]:
    seconds = rows["seconds"].mean() if "seconds" in rows else float("nan")
    return [
        str(len(rows)),
        *(_with_interval(rows[name]) for name in LOSSES),
        _number(rows["right"].mean()),
        *(cell for name in SURE for cell in claims(rows, name)),
        f"{rows['eshd'].mean():.2f}",
        f"{seconds:.1f}",
    ]


def _number(value: float) -> str:
    """Empty where there is none: networks without edges have no directions."""
    return "" if np.isnan(value) else f"{value:.2f}"


def claims(rows: pd.DataFrame, name: str) -> list[str]:
    """How many, the mean of what they claim, and the share that is true."""
    n, claimed, true = (int(rows[f"claims_{name}"].sum()), *worth(rows, name))
    return [str(n), f"{claimed:.3f}", f"{true:.3f}"] if n else ["0", "", ""]


def worth(rows: pd.DataFrame, name: str) -> tuple[float, float]:
    """Of all sure claims together: the mean of what they claim, and the share that is true."""
    n = rows[f"claims_{name}"].sum()
    if not n:
        return float("nan"), float("nan")
    return rows[f"claimed_{name}"].sum() / n, rows[f"true_{name}"].sum() / n


def _with_interval(values: pd.Series) -> str:
    middle, low, high = interval(values)
    return "" if np.isnan(middle) else f"{middle:.3f} ({low:.3f} to {high:.3f})"


def interval(values: pd.Series) -> tuple[float, float, float]:
    """The mean where there are numbers, and its bootstrap interval over data sets."""
    x = values.dropna().to_numpy(float)
    if not len(x):
        return (float("nan"),) * 3
    again = np.random.default_rng(0).integers(len(x), size=(N_RESAMPLES, len(x)))
    low, high = np.quantile(x[again].mean(axis=1), [(1 - COVERED) / 2, (1 + COVERED) / 2])
    return float(x.mean()), float(low), float(high)


def bins_table(rows: pd.DataFrame) -> str:
    """By claimed probability of an edge: the pairs, their mean claim, and the share of edges."""
    spans = [f"{low:g} to {high:g}" for low, high in pairwise(LIMITS)]
    lines = [[*names, *_bins(mine)] for names, mine in by_kind(rows)]
    caption = "By claimed probability of an edge: mean claim / share of edges (ordered pairs)."
    return f"{markdown(['data', 'candidate', *spans], lines)}\n\n{caption}\n"


def _bins(rows: pd.DataFrame) -> list[str]:
    pairs, claimed, true = (_total(rows[f"bins_{name}"]) for name in ("pairs", "claimed", "true"))
    return [
        f"{c / n:.2f} / {t / n:.2f} ({n:.0f})" if n else ""
        for n, c, t in zip(pairs, claimed, true, strict=True)
    ]


def _total(cells: pd.Series) -> Floats:
    return np.sum([np.array(cell.split(), dtype=float) for cell in cells], axis=0)


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *lines))
