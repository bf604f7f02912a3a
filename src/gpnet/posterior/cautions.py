"""What has to be read before any probability."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from gpnet.common.messages import listing, quote, quoted
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.point_estimates import PointEstimates

TOLD: Final = 0.05  # probability of an arrow that is told


def cautions(posterior: PointEstimates) -> list[str]:
    """Sentences, the weightiest first; none where there is nothing to beware of."""
    return [*_tables_that_disagree(posterior.diagnosis), *_arrows_that_cannot_be(posterior)]


def _tables_that_disagree(diagnosis: Diagnosis) -> Iterator[str]:
    """Completed tables of one with gaps."""
    disputed = diagnosis.imputations_disputed or ()
    if disputed:
        differ = "edge differs" if len(disputed) == 1 else "edges differ"
        yield (
            f"Completed tables disagree: {len(disputed)} {differ} by more than 0.5 in probability "
            f"from table to table ({listing(disputed)}), and "
            f"{diagnosis.imputations_variance_share or 0:.0%} of the variance of all edges lies "
            f"between tables. The probabilities below are means over {diagnosis.imputations} "
            "tables; more of them (--imputations, in Python imputations=) make these more certain, "
            "and only fewer gaps make the tables agree."
        )


def cannot_be(posterior: PointEstimates, child: int) -> bool:
    """Whether no arrow can lead into a variable, by what it is."""
    return posterior.names[child] in (posterior.diagnosis.undriven or ())


def _arrows_that_cannot_be(posterior: PointEstimates) -> Iterator[str]:
    """Into an age, a sex or a part of a date."""
    names, p = posterior.names, posterior.edge_probabilities().to_numpy()
    likeliest = [divmod(int(i), len(names)) for i in np.argsort(-p, axis=None, kind="stable")]
    found = [(a, b) for a, b in likeliest if p[a, b] >= TOLD and cannot_be(posterior, b)]
    if not found:
        return
    arrows = [f"{quote(names[a])} -> {quote(names[b])} ({p[a, b]:.2f})" for a, b in found]
    into = dict.fromkeys(names[b] for _, b in found)
    yield (
        f"To judge by the name, nothing in the table can drive {quoted(into)}; but nobody said so, "
        f"and {listing(arrows)} {'is' if len(found) == 1 else 'are'} among the arrows below. Say "
        "so (--roots, in Python roots=) and learn again."
    )
