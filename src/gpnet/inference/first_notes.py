"""What is known before anything is computed, and told with the result."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from gpnet.common.messages import count, quoted
from gpnet.common.types import Node
from gpnet.data.dataset import Dataset
from gpnet.data.issues import Issue, grouped
from gpnet.data.roles import CODES as ASSUMED
from gpnet.data.undriven import CODES as UNDRIVEN
from gpnet.gp.evidence.laplace import Laplace
from gpnet.inference.identified import identified_pairs
from gpnet.inference.plan import Plan

FEW_LEFT: Final = 30  # rows in which a variable was not set


def first_notes(data: Dataset, plan: Plan) -> Iterator[str]:
    """What is known before anything is computed."""
    yield from (warning.sentence for warning in warnings_of(data, plan))
    yield from plan.notes
    yield from _notes_on_roles(data)
    if isinstance(getattr(plan.score, "evidence", None), Laplace):
        yield (
            "Laplace's approximation tells no error of its scores, so that no probability has a "
            "known one (±?); --evidence qmc (in Python evidence='qmc') does"
        )


def warnings_of(data: Dataset, plan: Plan) -> list[Issue]:
    """Those of the table, but for what the plan rules out: an age that is a root is no worry."""
    free = {*undriven_columns(data, plan), *_open_columns(data, plan)}
    asks = (*UNDRIVEN, *ASSUMED)
    return grouped(
        [one for one in data.warnings if one.code not in asks or free.intersection(one.columns)]
    )


def _open_columns(data: Dataset, plan: Plan) -> list[str]:
    """Columns that are exogenous by default, where no knowledge tells all their directions."""
    modelled = [v for v in range(data.n_variables) if not data.is_exogenous(v)]
    known = identified_pairs(data, plan.settings)
    return [
        name
        for name in data.assumed
        if known is None or not known[data.column(name), modelled].all()
    ]


def undriven_columns(data: Dataset, plan: Plan) -> tuple[str, ...]:
    """Columns that look as if nothing could drive them, into which arrows may lead all the same."""
    told = [one.columns[0] for one in data.warnings if one.code in UNDRIVEN]
    return tuple(name for name in told if _may_be_driven(data.column(name), data, plan))


def _may_be_driven(node: Node, data: Dataset, plan: Plan) -> bool:
    others = frozenset(range(data.n_variables)) - {node}
    return not others <= plan.prior.forbidden_parents(node)


def _notes_on_roles(data: Dataset) -> Iterator[str]:
    """What is not modelled, and what was set."""
    told = [name for name in data.exogenous if name not in data.assumed]
    if told:
        many = len(told) > 1
        yield (
            f"{quoted(told)} {'are' if many else 'is'} exogenous: {'they' if many else 'it'} may "
            f"drive others, and nothing in the table drives {'them' if many else 'it'}"
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
