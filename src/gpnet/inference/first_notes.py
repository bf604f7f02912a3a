"""What is known before anything is computed, and told with the result."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from gpnet.common.messages import count, quoted
from gpnet.data.dataset import Dataset
from gpnet.data.issues import grouped
from gpnet.inference.plan import Plan

FEW_LEFT: Final = 30  # rows in which a variable was not set


def first_notes(data: Dataset, plan: Plan) -> Iterator[str]:
    """What is known before anything is computed."""
    yield from (warning.sentence for warning in grouped(data.warnings))
    yield from plan.notes
    yield from _notes_on_roles(data)


def _notes_on_roles(data: Dataset) -> Iterator[str]:
    """What is not modelled, and what was set."""
    if data.exogenous:
        names, many = quoted(data.exogenous), len(data.exogenous) > 1
        yield (
            f"{names} {'are' if many else 'is'} exogenous: {'they' if many else 'it'} may drive "
            f"others, and nothing in the table drives {'them' if many else 'it'}"
        )
    if data.interventions is not None:
        n_rows = int(data.interventions.any(axis=1).sum())
        targets = [data.names[v] for v in np.flatnonzero(data.interventions.any(axis=0))]
        yield (
            f"{quoted(targets)} {'were' if len(targets) > 1 else 'was'} set by experiments, in "
            f"{n_rows:,} of {count(data.n_rows, 'row')}; such rows count for all other variables"
        )
        left = (~data.interventions).sum(axis=0)
        few = [data.names[v] for v in np.flatnonzero(left < FEW_LEFT)]
        if few:
            yield (
                f"what drives {quoted(few)} rests on fewer than {FEW_LEFT} rows in which nobody "
                f"set {'it' if len(few) == 1 else 'them'}"
            )
