"""Which columns are learnt from by their ranks, where the transform is "auto".

A relation may hold between values as they are, or between values on another scale: y = exp(f(x) +
noise) is one. For a column v with density p(v) as a root, a fit to its normal scores T(v) gives

    log p(v | x) = log p(v) + [log p(T(v) | T(x)) - log p(T(v))],

so that both scales can be compared by what the best other column adds to the root. Values stay as
they are unless their ranks are better by MARGIN.
"""

from typing import Final

import numpy as np

from gpnet.common.messages import count, quoted
from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.runtime.context import RunContext
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.scores import Score

MARGIN: Final = 5.0  # nats: the prior odds are exp(5) for the scale of the table
MOST_PARTNERS: Final = 20  # other columns that a column is fitted to


def choose_scales(data: Dataset, score: Score, context: RunContext) -> Dataset:
    """The table as it is, or with some columns by ranks; told in the notes of the result."""
    if data.transform != "auto" or not score.compares_scales or data.n_variables < 2:
        return data
    ranks = data.by_ranks(data.names)
    partners = _partners(ranks.standardised())
    within = context.within("comparing scales")
    gains = [_gains(one, score.proposal(), partners, within) for one in (data, ranks)]
    better = [v for v in range(data.n_variables) if gains[1][v] > gains[0][v] + MARGIN]
    if not better:
        return data
    names = [data.names[v] for v in better]
    context.notes.add(
        f"{quoted(names)} {'is' if len(names) == 1 else 'are'} taken by ranks (normal scores): "
        f"{count(len(names), 'column')} of {data.n_variables} whose relations fit better so, by "
        f"more than {MARGIN:g} nats each; transform 'none' takes the values as they are"
    )
    return data.by_ranks(names)


def _partners(scores: Floats) -> list[list[int]]:
    """Of each column the others, or those with the largest rank correlations."""
    n = scores.shape[1]
    correlation = np.abs(scores.T @ scores)
    np.fill_diagonal(correlation, -1.0)
    order = np.argsort(-correlation, axis=1, kind="stable")
    return [sorted(order[v, : min(MOST_PARTNERS, n - 1)].tolist()) for v in range(n)]


def _gains(
    data: Dataset, score: Score, partners: list[list[int]], context: RunContext
) -> list[float]:
    """What the best parent adds to the log marginal likelihood of each column."""
    families: list[Family] = []
    for v, others in enumerate(partners):
        families += [(v, ()), *((v, (j,)) for j in others)]
    found = Rescorer(data, score, context).rescore(families)
    context.check_deadline("scales of columns were compared")
    return [
        max(found[v, (j,)].value for j in others) - found[v, ()].value
        for v, others in enumerate(partners)
    ]
