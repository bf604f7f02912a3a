"""Pairs of variables whose direction is told by other than the model."""

import numpy as np

from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.graphs.equivalence import identified_by
from gpnet.graphs.reachability import ancestors
from gpnet.inference.plan import with_knowledge
from gpnet.inference.settings import Settings
from gpnet.search_spaces.base import allowed_by
from gpnet.structure_priors import UniformPrior


def identified_pairs(data: Dataset, settings: Settings) -> Dag | None:
    """(n, n), symmetric: pairs whose direction experiments or knowledge tell; None for none.

    An experiment tells it of a variable that was set and one that was not; knowledge, where it
    rules out one of two directions, as required edges do that lead from one to the other. What is
    exogenous because nobody said otherwise is no knowledge.
    """
    n = data.n_variables
    said = [name for name in data.exogenous if name not in data.assumed]
    known = with_knowledge(UniformPrior(), settings, data, said)
    allowed = allowed_by(known, n)
    required = np.zeros((n, n), dtype=bool)
    for child in range(n):
        required[list(known.required_parents(child)), child] = True
    leads = ancestors(required[None])[0]
    one_way = (allowed != allowed.T) | leads | leads.T
    if data.interventions is not None:
        one_way = one_way | identified_by(data.interventions)
    return one_way if one_way.any() else None
