"""All that the page knows, as plain numbers and texts."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.messages import printable
from gpnet.common.types import Floats
from gpnet.data.transforms import UNCHANGED, transform_of
from gpnet.graphs.distinct import distinct
from gpnet.graphs.equivalence import cpdag
from gpnet.plots.layout.layered import HEIGHT, layout
from gpnet.posterior.likely_edges import LINE, OPEN, SOLID, likely_edges, never_drawn
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.recorded_settings import names_for_csv
from gpnet.posterior.relations import FittedRelations
from gpnet.report import checks
from gpnet.report.labels import IN_TEXT, label, label_width
from gpnet.report.packing import packed
from gpnet.report.repeat import cite, repeat
from gpnet.report.words import edge_counts, summary
from gpnet.stats.convergence import draws_by_chain
from gpnet.stats.estimates import Estimate

PIXELS: Final = 1.3  # a label's letters have 13 pixels, a layout's 10
START: Final = 0.5  # pairs that rather belong together than not are shown at first
HIGHEST: Final = 0.9  # a link that is nearly certain is never hidden at first
PER_NODE: Final = 3  # links shown at first, at most, unless they are nearly certain
WORTH_A_LINE: Final = 0.01  # probability of a pair being adjacent, from which on it can be shown
TOP: Final = 6  # DAGs
TRACE: Final = 240  # points of a chain's trace
BARS: Final = 40  # of a histogram
DIGITS: Final = 5  # of what is drawn and never told


def contents(posterior: Posterior, effects: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """By name, as the scripts of the page read it; effects are measured elsewhere, if at all."""
    plain = posterior.without_doubt()
    p = plain.edge_probabilities().to_numpy()
    adjacent = posterior.adjacency_probabilities().to_numpy()
    threshold = first_threshold(adjacent)
    return {
        "version": version("gpnet"),
        "table": label(posterior.settings.get("data", {}).get("table", ""), IN_TEXT),
        "names": list(posterior.names),
        "whole": [printable(name) for name in posterior.names],
        "full": [label(name, IN_TEXT) for name in posterior.names],
        "csv": names_for_csv(posterior.names, posterior.settings),
        **_places(posterior, np.where(_likelier(p), adjacent, 0.0), threshold),
        "threshold": threshold,
        "summary": summary(posterior),
        **_edges(posterior),
        "edge_columns": _edge_columns(posterior),
        "if_held": None if plain is posterior else _edges(plain),
        "kappa": 0 if plain is posterior else posterior.diagnosis.doubt_throughout,
        "never": _bar(never_drawn(posterior)),
        "signs": _signs(posterior),
        "draws": packed(posterior),
        "top": _top(plain),
        "curves": _curves(posterior.fits),
        "levels": _levels(posterior),
        "exogenous": [posterior.names.index(name) for name in _exogenous(posterior)],
        "were_set": _were_set(posterior),
        "units": _units(posterior),
        "effects": effects or {"missing": "Effects were not asked for."},
        "checks": checks.numbers(posterior),
        "doubtful": [[v, reason] for v, reason in checks.doubtful(posterior).items()],
        "diagnosis": posterior.diagnosis.record(),
        "charts": _charts(plain),
        "questions": posterior.questions().to_numpy().tolist(),
        "repeat": repeat(posterior),
        "cite": cite(),
    }


def _units(posterior: Posterior) -> list[str]:
    """Of each variable, what was done to it before it was fitted: " (log2)", or nothing."""
    transform = posterior.settings.get("data", {}).get("transform", "none")
    words = ["none" if v in _exogenous(posterior) else transform_of(transform, v)
             for v in posterior.names]  # fmt: skip
    return ["" if word in UNCHANGED else f" ({word})" for word in words]


def first_threshold(adjacent: Floats) -> float:
    """START, or what shows no more than PER_NODE links a variable, if below HIGHEST; hundredths."""
    most = int(PER_NODE * len(adjacent))
    pairs = np.triu(adjacent, 1)
    strongest = np.sort(pairs[pairs >= START])[::-1]
    if len(strongest) <= most:
        return START
    return min(float(np.floor(100 * strongest[most]) / 100) + 0.01, HIGHEST)


def _likelier(p: Floats) -> NDArray[np.bool_]:
    """(n, n): of each pair the direction that is at least as probable, and one of two alike."""
    return np.asarray((p > p.T) | ((p == p.T) & np.triu(np.ones(p.shape, dtype=bool), 1)))


def _bar(p: Estimate) -> list[float]:
    """Probability, standard error, and the ends of the 95 % interval."""
    return [float(p), p.std_error, *p.interval()]


def _places(posterior: Posterior, p: Floats, threshold: float) -> dict[str, Any]:
    labels = [label(name) for name in posterior.names]
    widths = np.array([label_width(text) for text in labels])
    placed = layout(p, widths, threshold)
    return {
        "labels": labels,
        "widths": _pixels(placed.widths),
        "height": HEIGHT * PIXELS,
        "positions": _pixels(placed.positions),
        "routes": [
            [*edge, _pixels(route)]
            for edge, route in zip(placed.edges.tolist(), placed.routes, strict=True)
        ],
    }


def _pixels(lengths: Floats) -> list[Any]:
    return list((PIXELS * lengths).round(1).tolist())


def _edges(posterior: Posterior) -> dict[str, Any]:
    """What the page shows under one reading: of real tables, or as if the model held."""
    edges = posterior.edge_estimates()
    return {
        "edges": [[i, j, *_bar(estimate)] for (i, j), estimate in edges.items()],
        "pairs": _pairs(posterior),
    }


def _edge_columns(posterior: Posterior) -> list[list[Any]]:
    """Of each edge, what else edges.csv says of it."""
    found = posterior.edges()
    return [list(row) for row in found.iloc[:, 4:].itertuples(index=False, name=None)]


def _signs(posterior: Posterior) -> list[list[Any]]:
    """Of pairs worth a line: from, to; how it is drawn; what tells the direction."""
    kinds = {SOLID: "solid", OPEN: "open", LINE: "line"}
    likely = likely_edges(posterior, least=WORTH_A_LINE)
    return [[edge.parent, edge.child, kinds[edge.sign], edge.grounds] for edge in likely]


def _pairs(posterior: Posterior) -> list[list[Any]]:
    """Of pairs worth it: a, b; adjacent; in the CPDAG a -> b, b -> a, undirected; each a bar."""
    dags, p = posterior.dags, posterior.edge_probabilities().to_numpy()
    a, b = np.nonzero(np.triu(p + p.T) >= WORTH_A_LINE)
    either = cpdag(dags, posterior.identified)
    there, back = either[:, a, b], either[:, b, a]
    events = [dags[:, a, b] | dags[:, b, a], there & ~back, back & ~there, there & back]
    columns = [map(_bar, posterior.probabilities(event)) for event in events]
    return [list(row) for row in zip(a.tolist(), b.tolist(), *columns, strict=True)]


def _top(posterior: Posterior) -> list[dict[str, Any]]:
    """The best by their score, or by their share where each replicate has scores of its own."""
    if posterior.diagnosis.replicates:
        dags, place = distinct(posterior.dags)
        share = np.bincount(place, weights=posterior.weights)
        best = np.argsort(-share, kind="stable")[:TOP]
        probabilities = posterior.probabilities(place[:, None] == best)
        found = list(zip(dags[best], probabilities, strict=True))
    else:
        found = [(dag.to_numpy(), p) for dag, p, _ in posterior.top_dags(TOP)]
    return [{"edges": np.argwhere(dag).tolist(), "probability": _bar(p)} for dag, p in found]


def _curves(fits: FittedRelations | None) -> dict[str, Any] | None:
    """Of each curve its parent, its node, the other parents, and what is drawn."""
    if fits is None:
        return None
    return {
        "shown": _column_wise(fits.shown),
        "curves": [
            {
                "parent": int(fits.parent[c]),
                "node": int(fits.node[fits.fit[c]]),
                "parents": np.flatnonzero(fits.parents[fits.fit[c]]).tolist(),
                **{name: _short(getattr(fits, name)[c]) for name in ("x", "mean", "low", "high")},
                "residual": _short(fits.residual[c]),
            }
            for c in range(len(fits.fit))
        ],
    }


def _exogenous(posterior: Posterior) -> list[str]:
    """Variables that are not modelled."""
    named = posterior.settings.get("data", {}).get("exogenous", [])
    return [name for name in named if name in posterior.names]


def _were_set(posterior: Posterior) -> list[int]:
    """Variables that experimenters set in some rows."""
    patterns = posterior.settings.get("data", {}).get("interventions", [])
    named = {name for pattern in patterns for name in pattern["targets"]}
    return [v for v, name in enumerate(posterior.names) if name in named]


def _levels(posterior: Posterior) -> dict[int, list[str]]:
    """By the number of a categorical variable, what its values 0, 1, ... are called."""
    named = posterior.settings.get("data", {}).get("levels", {})
    return {
        posterior.names.index(name): [label(level, IN_TEXT) for level in levels]
        for name, levels in named.items()
        if name in posterior.names
    }


def _column_wise(table: Floats) -> list[list[float]]:
    return [_short(column) for column in table.T]


def _short(numbers: Floats) -> list[float]:
    return [float(f"{number:.{DIGITS}g}") for number in numbers.tolist()]


def _charts(posterior: Posterior) -> dict[str, Any]:
    replicates = posterior.diagnosis.replicates  # whose log targets are not those of the table
    by_chain = draws_by_chain(posterior.chain)[: 0 if replicates else None]
    every = max(1, by_chain.shape[1] // TRACE)
    below_best = posterior.log_target - posterior.log_target.max()
    weights = np.sort(posterior.weights)[::-1]
    at = np.unique(np.linspace(0, len(weights) - 1, 100).astype(int))
    return {
        "edges": edge_counts(posterior),
        "gamma": None if posterior.gammas is None else _histogram(posterior),
        "trace": [_short(below_best[draws[::every]]) for draws in by_chain],
        "independent": posterior.independent,
        "weights": [_short((at + 1) / len(weights)), _short(np.cumsum(weights)[at])],
        "draws": posterior.n_draws,
        "ess": posterior.ess,
    }


def _histogram(posterior: Posterior) -> list[list[float]]:
    """The middle of each bar and its probability."""
    share, ends = np.histogram(np.asarray(posterior.gammas), bins=BARS, weights=posterior.weights)
    return [[float(x), float(y)] for x, y in zip((ends[1:] + ends[:-1]) / 2, share, strict=True)]
