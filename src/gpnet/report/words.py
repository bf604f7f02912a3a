"""A posterior in plain sentences, for whoever has never seen the paper.

Pairs of variables fall into four kinds: an arrow that an experiment or knowledge tells; a pair that
belongs together, while only the model prefers a direction, if anything does; one that probably
belongs together; a hint, which may be nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gpnet.common.messages import count, listing, printable, with_stop
from gpnet.common.types import Node
from gpnet.posterior.cautions import cannot_be, cautions
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.edge_table import most_adjacent
from gpnet.posterior.likely_edges import LINE, OPEN, LikelyEdge
from gpnet.posterior.posterior import Posterior
from gpnet.report.checks import doubtful, verdict
from gpnet.report.labels import IN_TEXT, label
from gpnet.stats.estimates import Estimate

SURE: Final = 0.9  # from here on a pair belongs together, and an identified arrow is a fact
ADJACENT: Final = 0.5  # a pair that rather belongs together than not
HINT: Final = 0.05  # below, nothing is told
KINDS: Final = ("identified", "linked", "likely", "hint")
TOLD: Final = 12  # sentences of a kind; the table has the rest
BY: Final = {  # grounds, as the end of a sentence
    "experiment": "direction known from an experiment",
    "knowledge": "direction known beforehand",
    "independences": "by independences alone",
    "shape": "by the shape of curves and noise alone",
}

NOT_THE_MODEL: Final = "this says nothing about whether the model fits: see Model checks"
NOT_YET: Final = "The computation has not converged, and what follows may change."
NO_VERDICT: Final = "Nothing is recorded about whether this result converged."


def kind_of(edge: LikelyEdge) -> str:
    """One of KINDS: how probably two are adjacent, unless their direction is identified."""
    if edge.identified and edge.probability >= ADJACENT:
        return "identified"
    if edge.adjacent >= SURE:
        return "linked"
    return "likely" if edge.adjacent >= ADJACENT else "hint"


def summary(posterior: Posterior) -> dict[str, Any]:
    """All that stands at the top of the page."""
    pairs = most_adjacent(posterior)
    doubted = doubtful(posterior)
    kinds = [kind_of(pair) for pair in pairs]
    by_kind = {kind: [p for p, k in zip(pairs, kinds, strict=True) if k == kind] for kind in KINDS}
    return {
        "cautions": list(map(_on_page, cautions(posterior))),
        "lead": _lead(posterior, by_kind),
        "kinds": {
            kind: {
                "told": [_told(pair, posterior, doubted) for pair in found[:TOLD]],
                "more": max(0, len(found) - TOLD),
            }
            for kind, found in by_kind.items()
        },
        "alone": _alone(pairs, posterior.names),
        "converged": posterior.diagnosis.converged,
        "verdict": _on_page(_about_computation(posterior.diagnosis)),
        "model": verdict(posterior),
        "caveats": list(_caveats(posterior)),
    }


def _on_page(text: str) -> str:
    """With arrows as the page writes them: -> could be broken in two at the end of a line."""
    return printable(text).replace("' -> '", "' → '")


def _about_computation(diagnosis: Diagnosis) -> str:
    """The verdict, such that nobody takes it for one about the model."""
    if not diagnosis.converged or diagnosis.verdict is None:
        return diagnosis.verdict or NO_VERDICT
    head, colon, rest = diagnosis.verdict.partition(":")
    return f"The computation {head[:1].lower()}{head[1:]} ({NOT_THE_MODEL}){colon}{rest}"


def number(p: float) -> str:
    """Two digits; what rounds to 0 or 1 without being it says so."""
    if 0 < p < 0.005:
        return "below 0.01"
    return "above 0.99" if 0.995 <= p < 1 - 1e-12 else f"{p:.2f}"


def with_interval(p: Estimate) -> str:
    """0.66 (0.65 to 0.68), or "above 0.99": more would be the error of the computation alone."""
    low, high = p.interval()
    return "above 0.99" if p >= 0.995 else f"{p:.2f} ({low:.2f} to {high:.2f})"


def _lead(posterior: Posterior, by_kind: Mapping[str, Sequence[LikelyEdge]]) -> str:
    rows = posterior.settings.get("data", {}).get("rows")
    among = count(posterior.n_variables, "variable")
    among += f" measured in {count(rows, 'row')}" if rows else ""
    identified, linked, likely, hints = (len(by_kind[kind]) for kind in KINDS)
    told = []
    if identified:
        tells = "tells" if identified == 1 else "tell"
        told.append(
            f"{count(identified, 'arrow')} whose direction experiments or knowledge {tells}"
        )
    if linked:
        n_preferred = sum(pair.sign == OPEN for pair in by_kind["linked"])
        prefers = ", with a direction that the model alone prefers"
        if linked > 1:
            some = "all" if n_preferred == linked else f"{n_preferred} of them"
            prefers = f", {some}{prefers[1:]}"
        together = f"{count(linked, 'pair')} that belong{'s' * (linked == 1)} together"
        told.append(f"{together}{prefers if n_preferred else ''}")
    if likely:
        its = "that probably belongs together" if likely == 1 else "that probably belong together"
        told.append(f"{count(likely, 'pair')} {its}")
    if hints:
        told.append(count(hints, "weaker hint"))
    found = f"gpnet found {'; '.join(told) or 'no relation'}."
    if posterior.diagnosis.converged is False:
        return f"{NOT_YET} So far, among {among}, {found}"
    return f"Among {among}, {found}"


def _told(pair: LikelyEdge, posterior: Posterior, doubted: Mapping[Node, str]) -> dict[str, Any]:
    names, kind = posterior.names, kind_of(pair)
    a, b = label(names[pair.parent], IN_TEXT), label(names[pair.child], IN_TEXT)
    if kind == "identified":
        text = _arrow(posterior, a, b, "drives" if pair.probability >= SURE else "probably drives")
        rest = f"probability {with_interval(pair.probability)}; {BY[pair.grounds]}"
    else:
        text = f"{a} {pair.sign} {b}"
        rest = f"adjacent {number(pair.adjacent)}; {_direction(pair)}"
        if pair.sign == OPEN and cannot_be(posterior, pair.child):
            rest += f"; but, by its name, nothing in the table can drive {b}"
    reason = doubted.get(pair.child) or doubted.get(pair.parent)
    if reason and kind != "hint":
        rest += f"; but {reason}"
    return {
        "edge": [pair.parent, pair.child],
        "identified": kind == "identified",
        "text": text,
        "rest": rest,
    }


def _direction(pair: LikelyEdge) -> str:
    """What is known of it, and on what grounds."""
    if pair.sign != OPEN:
        return "direction open" if pair.sign == LINE else BY[pair.grounds]
    told, held = number(pair.direction), number(min(pair.if_model_holds / pair.adjacent, 1.0))
    if told != held:
        told += f", or {held} if the model holds"
    return f"this direction {told}, {BY[pair.grounds]}"


def _arrow(posterior: Posterior, a: str, b: str, drives: str) -> str:
    """Nobody should quote arrows of a model that does not fit, or of draws that do not agree."""
    diagnosis = posterior.diagnosis
    unsafe = diagnosis.model_fits is False or diagnosis.converged is False
    return f"{a} → {b}" if unsafe else f"{a} {drives} {b}"


def _alone(pairs: Sequence[LikelyEdge], names: Sequence[str]) -> str:
    """The variables that rather have no neighbour."""
    adjacent = {v for pair in pairs if pair.adjacent >= ADJACENT for v in (pair.parent, pair.child)}
    alone = [label(name, IN_TEXT) for v, name in enumerate(names) if v not in adjacent]
    if not alone:
        return ""
    return f"No likely relation was found for {listing(alone)}."


def _caveats(posterior: Posterior) -> Iterator[str]:
    """What was restricted, approximate or assumed."""
    yield from (with_stop(_capital(_on_page(note))) for note in posterior.diagnosis.notes or ())
    options = posterior.settings.get("options", {})
    for name, text in (("require", "Required beforehand"), ("forbid", "Ruled out beforehand")):
        if options.get(name):
            yield f"{text}: {printable(', '.join(options[name]))}."
    if options.get("tiers"):
        tiers = "; ".join(", ".join(tier) for tier in options["tiers"])
        yield f"No arrow was allowed into an earlier tier: {printable(tiers)}."
    if not any(options.get(name) for name in ("require", "forbid", "tiers", "roots")):
        yield (
            "Variables that nothing in the table can drive, such as an age, can be declared "
            "beforehand (roots, tiers)."
        )
    most = posterior.diagnosis.max_parents
    if most is not None and most < posterior.n_variables - 1:
        yield f"At most {most} parents of a variable were considered."
    any_shape = np.isfinite(posterior.local_scores.shaped).any()
    noise = "adds to what the parents do" if any_shape else "is additive and normal"
    yield (
        "“Drives” holds under the model's assumptions: no common cause was left out of the table, "
        f"there are no feedback loops, and the noise {noise}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def edge_counts(posterior: Posterior) -> list[list[float]]:
    """Number of edges and its probability, of all numbers that occur."""
    n_edges = posterior.dags.sum(axis=(1, 2))
    share = np.bincount(n_edges, weights=posterior.weights)
    return [[int(n), float(share[n])] for n in np.unique(n_edges)]
