"""A posterior in plain sentences, for whoever has never seen the paper.

Pairs of variables fall into five kinds: an arrow that is sure; one that would be, if the model
fitted its variables; one that is likely; a pair that belongs together, while its direction is open;
a hint, which may be nothing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gpnet.common.messages import count, listing, printable, with_stop
from gpnet.common.types import Node
from gpnet.posterior.cautions import cannot_be, cautions
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.likely_edges import LikelyEdge, likely_edges
from gpnet.posterior.posterior import Posterior
from gpnet.report.checks import doubtful, verdict
from gpnet.report.labels import IN_TEXT, label
from gpnet.stats.estimates import Estimate

SURE: Final = 0.9  # from here on an arrow is told as a fact, with its probability
OPEN: Final = 0.1  # from here on the opposite arrow keeps the direction open
ADJACENT: Final = 0.5  # a pair that rather belongs together than not
HINT: Final = 0.05  # below, nothing is told
KINDS: Final = ("sure", "unfit", "likely", "open", "hint")
# Sentences of a kind; the table has the rest.
TOLD: Final = dict.fromkeys(KINDS, 12) | {"unfit": 6}

NOT_THE_MODEL: Final = "this says nothing about whether the model fits: see Model checks"
NOT_YET: Final = "The computation has not converged, and what follows may change."
NO_VERDICT: Final = "Nothing is recorded about whether this result converged."


def kind_of(posterior: Posterior, edge: LikelyEdge, doubted: Collection[Node] = ()) -> str:
    """One of KINDS.

    No arrow is sure or likely at a variable that the model does not fit, or into an age: there
    only that the two belong together may be told.
    """
    kind = _kind_if_fitting(edge)
    if kind not in ("sure", "likely"):
        return kind
    if cannot_be(posterior, edge.child):
        return "open"
    return "unfit" if edge.parent in doubted or edge.child in doubted else kind


def _kind_if_fitting(edge: LikelyEdge) -> str:
    if edge.probability >= SURE:
        return "sure"
    if edge.adjacent >= ADJACENT and edge.opposite >= OPEN:
        return "open"
    return "likely" if edge.probability >= ADJACENT else "hint"


def summary(posterior: Posterior) -> dict[str, Any]:
    """All that stands at the top of the page."""
    pairs = sorted(likely_edges(posterior, least=HINT), key=lambda edge: -edge.probability)
    doubted = doubtful(posterior)
    kinds = [kind_of(posterior, pair, doubted) for pair in pairs]
    by_kind = {kind: [p for p, k in zip(pairs, kinds, strict=True) if k == kind] for kind in KINDS}
    return {
        "lead": " ".join([*map(_on_page, cautions(posterior)), _lead(posterior, by_kind)]),
        "kinds": {
            kind: {
                "told": [_told(pair, posterior, doubted) for pair in found[: TOLD[kind]]],
                "more": max(0, len(found) - TOLD[kind]),
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
    sure, unfit, likely, still_open, hints = (len(by_kind[kind]) for kind in KINDS)
    told = []
    if sure:
        holds = posterior.diagnosis.model_fits is not False
        certain = "data and model make nearly certain"
        elsewhere = "would be nearly certain if the model held everywhere"
        what = certain if holds else elsewhere
        if posterior.diagnosis.converged is False:
            what = f"{'has' if sure == 1 else 'have'} a high probability"
        told.append(f"{count(sure, 'arrow')} that {what}")
    if unfit:
        belongs = "belongs" if unfit == 1 else "belong"
        told.append(
            f"{count(unfit, 'pair')} that {belongs} together while only a model that does not fit "
            "tells the direction"
        )
    if likely:
        told.append(f"{count(likely, 'arrow')} that {'is' if likely == 1 else 'are'} likely")
    if still_open:
        its = "belongs together while its" if still_open == 1 else "belong together while their"
        told.append(f"{count(still_open, 'pair')} that {its} direction is open")
    if hints:
        told.append(count(hints, "weaker hint"))
    found = f"gpnet found {listing(told) or 'no relation'}."
    if posterior.diagnosis.converged is False:
        return f"{NOT_YET} So far, among {among}, {found}"
    return f"Among {among}, {found}"


def _told(pair: LikelyEdge, posterior: Posterior, doubted: Mapping[Node, str]) -> dict[str, Any]:
    names = posterior.names
    a, b = label(names[pair.parent], IN_TEXT), label(names[pair.child], IN_TEXT)
    there, back = with_interval(pair.probability), with_interval(pair.opposite)
    kind = kind_of(posterior, pair, doubted)
    if kind == "sure":
        text, rest = _arrow(posterior, a, b, "drives"), f"probability {there}"
    elif kind == "unfit":
        text = _pair(posterior, a, b, "belong" if pair.adjacent >= SURE else "probably belong")
        reason = doubted.get(pair.child) or doubted[pair.parent]
        rest = f"{a} → {b} {there} if the model held, but {reason}"
    elif kind == "open":
        text = _pair(posterior, a, b, "belong")
        rest = f"adjacent {number(pair.adjacent)}: {a} → {b} {there}, {b} → {a} {back}"
        if cannot_be(posterior, pair.child):
            rest += f"; but {b} looks like what nothing in the table can drive"
    else:
        drives = "probably drives" if kind == "likely" else "may drive"
        unsafe = pair.parent in doubted or pair.child in doubted
        unsafe = unsafe or cannot_be(posterior, pair.child)
        related = f"{a} may be related to {b}"
        text = related if unsafe else _arrow(posterior, a, b, drives)
        rest = f"probability {there}; the other way {number(pair.opposite)}"
    return {"edge": [pair.parent, pair.child], "text": text, "rest": rest}


def _arrow(posterior: Posterior, a: str, b: str, drives: str) -> str:
    """Nobody should quote arrows of a model that does not fit, or of draws that do not agree."""
    diagnosis = posterior.diagnosis
    unsafe = diagnosis.model_fits is False or diagnosis.converged is False
    return f"{a} → {b}" if unsafe else f"{a} {drives} {b}"


def _pair(posterior: Posterior, a: str, b: str, belong: str) -> str:
    """Two variables whose direction is open."""
    so_far = " so far" if posterior.diagnosis.converged is False else ""
    return f"{a} and {b} {belong} together{so_far}"


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
        yield "What can be no effect of others, as an age, can be told beforehand: roots or tiers."
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
