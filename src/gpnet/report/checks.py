"""Whether the model fits, as the page knows it."""

from typing import Any, Final

import numpy as np

from gpnet.common.types import Floats, Node
from gpnet.posterior.posterior import Posterior
from gpnet.report.labels import IN_TEXT, label
from gpnet.stats.normal_quantiles import normal_envelope

NO_VERDICT: Final = "Nothing is recorded about whether the model fits."
ADJACENT: Final = 0.5  # from here on related residuals are no news: there is an edge
DIGITS: Final = 4  # of what is drawn and never told


def verdict(posterior: Posterior) -> dict[str, Any]:
    """In words: whether the model fits, and what doubt about directions there is."""
    diagnosis = posterior.diagnosis
    return {
        "fits": diagnosis.model_fits,
        "verdict": diagnosis.model_verdict or NO_VERDICT,
        "doubt": diagnosis.doubt or "",
    }


def doubtful(posterior: Posterior) -> dict[Node, str]:
    """Variables at which no direction is told as a fact, each with the reason."""
    checks = posterior.checks
    if checks is None:
        return {}
    names = [label(name, IN_TEXT) for name in posterior.names]
    adjacent = posterior.adjacency_probabilities().to_numpy()
    found: dict[Node, str] = {}
    for v, w in checks.related():
        if adjacent[v, w] < ADJACENT:
            reason = f"a common cause of {names[v]} and {names[w]} may be missing"
            found |= {v: reason, w: reason}
    return found | {v: f"{names[v]} does not fit the model" for v in checks.misfitting()}


def numbers(posterior: Posterior) -> dict[str, Any] | None:
    """Of each variable given its most probable parents; None where nothing was checked."""
    checks = posterior.checks
    if checks is None:
        return None
    sizes = {int(n) for n in np.isfinite(checks.residual).sum(axis=1)} - {0}
    return {
        "parents": [np.flatnonzero(row).tolist() for row in checks.parents],
        "curved": (1 - checks.linear).tolist(),
        "shaped": checks.shaped.tolist(),
        "varying": checks.varying.tolist(),
        "p": checks.parent_p.tolist(),
        "other": checks.other.tolist(),
        "other_p": checks.other_p.tolist(),
        "fitted": [_short(row) for row in checks.fitted],
        "residual": [_short(row) for row in checks.residual],
        # By the number of residuals: fewer of a variable that was set in some rows.
        "normal": {
            n: {name: _short(array) for name, array in vars(normal_envelope(n)).items()}
            for n in sorted(sizes)
        },
    }


def _short(values: Floats) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values.tolist()]
