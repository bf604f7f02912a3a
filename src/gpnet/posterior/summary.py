"""A posterior in brief: for programs by name, and as text for whoever prints it."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd

from gpnet.common.messages import printable, with_stop
from gpnet.posterior.cautions import cautions
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.edge_table import HEADINGS, MAX_ROWS, as_text, cells, most_adjacent
from gpnet.posterior.likely_edges import LEGEND
from gpnet.posterior.point_estimates import PointEstimates

LEAST_SET: Final = 0.01  # probability of a parent set that is listed
MAY_CHANGE: Final = "Not converged yet, so that these numbers may change"


class Summary(dict[str, Any]):
    """What summary.json holds, by name; printed, the edges and how far to trust them."""

    def __init__(self, values: dict[str, Any], text: str) -> None:
        super().__init__(values)
        self._text = text

    def __repr__(self) -> str:
        return self._text


def summarise(posterior: PointEstimates) -> Summary:
    """Nothing in it depends on when or where it was computed."""
    best, diagnosis = posterior.map_dag().to_numpy(), posterior.diagnosis
    names, relations = posterior.names, posterior.relations()
    values = {
        "converged": diagnosis.converged,
        "verdict": diagnosis.verdict,
        "model": _model(posterior),
        "doubt": _doubt(diagnosis),
        "edges": posterior.edges().to_dict("records"),
        "relations": relations[relations["probability"] > LEAST_SET].to_dict("records"),
        "map_dag": [[names[i], names[j]] for i, j in np.argwhere(best)],
        "variables": list(names),
        "diagnosis": diagnosis.record(),
        "settings": dict(posterior.settings),
    }
    return Summary(values, _text(posterior))


def _model(posterior: PointEstimates) -> dict[str, Any]:
    """Whether it fits, in words, and of each variable, where that was looked at."""
    diagnosis, looked_at = posterior.diagnosis, posterior.checks is not None
    return {
        "fits": diagnosis.model_fits,
        "verdict": diagnosis.model_verdict,
        "checks": posterior.model_checks().to_dict("records") if looked_at else None,
    }


def _doubt(diagnosis: Diagnosis) -> dict[str, Any]:
    """About directions: how often they are left open, and what the table has of misfit."""
    by_one_number = diagnosis.doubt_on_misfit is None  # as an older gpnet had it not
    return {
        "sentence": diagnosis.doubt,
        "kappa": diagnosis.doubt_throughout if by_one_number else None,
        "misfitting": _listed(diagnosis.misfitting),
        "rounded": _listed(diagnosis.rounded),
    }


def _listed(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)


def _text(posterior: PointEstimates) -> str:
    diagnosis, likely = posterior.diagnosis, most_adjacent(posterior)
    # Nobody should read probabilities before it is said that they may change.
    first = [f"{MAY_CHANGE}."] if diagnosis.converged is False else []
    rows = [cells(edge, posterior.names) for edge in likely[:MAX_ROWS]]
    lines = [*first, *cautions(posterior), *as_text(rows), LEGEND]
    if len(likely) > MAX_ROWS:
        lines.append(f"and {len(likely) - MAX_ROWS} more pairs, less probable")
    told = (diagnosis.verdict, diagnosis.model_verdict, diagnosis.doubt)
    lines += [sentence for sentence in told if sentence]
    return "\n".join([*lines, *(f"Note: {with_stop(note)}" for note in diagnosis.notes or ())])


def as_html(posterior: PointEstimates) -> str:
    """For notebooks: how far to trust it, then the likely edges."""
    diagnosis = posterior.diagnosis
    told = [*cautions(posterior), diagnosis.verdict, diagnosis.model_verdict, diagnosis.doubt]
    sentences = "".join(f"<p>{escape(printable(text))}</p>" for text in told if text)
    rows = [cells(edge, posterior.names) for edge in most_adjacent(posterior)[:MAX_ROWS]]
    table = pd.DataFrame(rows, columns=list(HEADINGS)).to_html(index=False)
    return f"{sentences}{table}<p>{escape(LEGEND)}</p>"
