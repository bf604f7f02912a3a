"""Effects as the page of a report carries them: numbers and texts, packed as its draws are."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from gpnet.common.errors import GpnetError, OutOfTimeError
from gpnet.effects.all_pairs import measure_all
from gpnet.effects.effect import sentence_of
from gpnet.effects.matrix import EffectMatrix, PairCurve
from gpnet.report.labels import IN_TEXT, label
from gpnet.report.packing import as_text
from gpnet.runtime.context import RunContext

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

DRAWS: Final = 300
MOST_VARIABLES: Final = 60  # a map of more can hardly be read, and takes long to fill
BARS: Final = 24  # of the histogram of a contrast
NUMBERS: Final = ("mean", "low", "high", "structural_share")  # of contrasts

NO_TABLE: Final = (
    "Effects are left out, as the table was not kept with this run; gpnet report RUN --data "
    "TABLE.csv puts them in."
)
NO_TIME: Final = (
    "Effects are left out, as the time budget had ended; gpnet report RUN puts them in."
)
TOO_MANY: Final = (
    f"Effects on each other of more than {MOST_VARIABLES} variables are left out; gpnet effect RUN "
    "CAUSE TARGET measures any of them."
)


def effects_on_page(posterior: "Posterior", context: RunContext | None = None) -> dict[str, Any]:
    """Of all pairs, with curves; where they cannot be had, `missing` says why."""
    if posterior.tables is None:
        return {"missing": NO_TABLE}
    if posterior.n_variables > MOST_VARIABLES:
        return {"missing": TOO_MANY}
    try:
        with threadpool_limits(1):  # as when learning
            found = measure_all(posterior, draws=DRAWS, seed=0, curves=True, context=context)
    except OutOfTimeError:
        return {"missing": NO_TIME}
    except GpnetError as error:
        return {"missing": f"Effects are left out: {error}."}
    except MemoryError:
        return {"missing": "Effects are left out, as there was not enough memory for them."}
    return record(found)


def record(found: EffectMatrix) -> dict[str, Any]:
    """By name, as the scripts of the page read it."""
    contrast = vars(found.contrast)
    return {
        "missing": "",
        "from": list(found.start),
        "to": list(found.end),
        "modelled": found.modelled.tolist(),
        "probability": as_text(found.probability, "<f8"),
        "probability_error": as_text(found.probability_error, "<f8"),
        **{name: as_text(contrast[name], "<f8") for name in NUMBERS},
        "values": {one.cause: list(one.values) for one in found.curves},
        "pairs": [_pair(found, one) for one in found.curves],
    }


def _pair(found: EffectMatrix, one: PairCurve) -> dict[str, Any]:
    names = [label(name, IN_TEXT) for name in found.names]
    place = one.cause * len(names) + one.target
    move = names[one.cause], found.start[one.cause], found.end[one.cause]
    probability = float(found.probability[one.cause, one.target])
    grounds = found.grounds(one.cause, one.target)
    return {
        "pair": [one.cause, one.target],
        "identified": grounds.identified,
        "sentence": sentence_of(
            [move], names[one.target], found.contrast.at(place), probability, grounds
        ),
        "curve": as_text(np.stack([one.mean, one.low, one.high]), "<f8"),
        **_histogram(one),
    }


def _histogram(one: PairCurve) -> dict[str, Any]:
    """Counts of the draws that have an effect, in bars from end to end; 0 is within."""
    some = one.draws[one.any_effect]
    ends = (min(0.0, float(some.min())), max(0.0, float(some.max()))) if len(some) else (-1.0, 1.0)
    counts, _ = np.histogram(some, bins=BARS, range=ends)
    return {"ends": list(ends), "counts": counts.tolist()}
