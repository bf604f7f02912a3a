"""Who is worth a look as a parent: what members of the family share. All matrices [parent, child].

Measured in `benchmarks/spaces.py`: of the true edges of curved networks, straight-line tests alone
leave out a third to a half; what one parent gains under the GP score leaves out a tenth or less.
"""

from typing import Final

import numpy as np

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.graphs.dual_pc import dual_pc_skeleton
from gpnet.scores import Score
from gpnet.space import SearchSpace
from gpnet.store import Store
from gpnet.structure_priors import UniformPrior
from gpnet.table import tabulate
from gpnet.types import Dag, Floats

MAX_ORDER: Final = 3  # variables conditioned on, or left out: what goes beyond thins the space


def linear_skeleton(data: Dataset, *, alpha: float) -> Dag:
    """(n, n), symmetric: joined by straight lines, after the dual PC algorithm."""
    if not 0 < alpha < 1:
        raise OptionError(f"alpha: between 0 and 1, found {alpha}")
    values = data.standardised()
    correlation = values.T @ values / (data.n_rows - 1)
    return dual_pc_skeleton(correlation, data.n_rows, alpha=alpha, max_order=MAX_ORDER)


def one_parent_gains(
    data: Dataset, score: Score, *, store: Store | None = None, workers: int = 1
) -> Floats:
    """(n, n), symmetric: log p(i | j) - log p(i) or the same of j given i, whichever is more.

    Whether a prior forbids one of the two does not matter: they tell of dependence, not direction.
    """
    n = data.n_variables
    gains = np.full((n, n), -np.inf)
    # One parent from outside and no candidates: there is no limit on the number of variables.
    space = SearchSpace(((),) * n, 1, plus_one=True)
    table = tabulate(data, space, score, UniformPrior(), store=store, workers=workers)
    for node, scores in enumerate(table.nodes):
        gains[scores.outsiders[1:], node] = scores.log_marginals[1:] - scores.log_marginals[0]
    return np.asarray(np.maximum(gains, gains.T))


def screened(data: Dataset, gains: Floats, *, threshold: float, alpha: float | None) -> Dag:
    """(n, n), symmetric: who gains more than the threshold, and who is joined by straight lines."""
    wanted = gains > threshold
    return wanted if alpha is None else wanted | linear_skeleton(data, alpha=alpha)


def at_most(wanted: Dag, merit: Floats, most: int) -> Dag:
    """The wanted candidates, and of a node with more than `most` those of greatest merit."""
    ranked = np.argsort(-np.where(wanted, merit, -np.inf), axis=0, kind="stable")
    best = np.zeros_like(wanted)
    np.put_along_axis(best, ranked[:most], True, axis=0)
    return best & wanted
