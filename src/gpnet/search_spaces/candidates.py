"""Who is worth a look as a parent: what members of the family share. All matrices [parent, child].

Measured by `python -m benchmarks.spaces`: of the true edges of ten nodes, straight-line tests alone
leave out a fifth (linear) to two fifths (curved); what one parent gains under the GP score, a 20th.
"""

from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag, Floats
from gpnet.data.dataset import Dataset
from gpnet.graphs.dual_pc import dual_pc_skeleton
from gpnet.runtime.context import RunContext
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.scores import Score
from gpnet.search_spaces.base import ALPHA, DEFAULT_CANDIDATES, SpaceSettings, quick_score
from gpnet.structure_priors import UniformPrior

MOST_BY_CHANCE: Final = 20  # neighbours of a variable that first tests leave; they cost tests each
MAX_ORDER: Final = 3  # variables conditioned on, or left out: what goes beyond thins the space


@dataclass(frozen=True, eq=False)
class Screen:
    """i and j are worth a look where either gains more than `threshold` from the other alone.

    The dual PC skeleton is added: it sees what shows only given others.
    """

    score: Score = field(default_factory=quick_score)
    threshold: float = 0.0  # nats; inf for the dual PC algorithm alone
    alpha: float | None = ALPHA  # of the dual PC algorithm; None to go without
    max_candidates: int = DEFAULT_CANDIDATES  # of a node

    def __post_init__(self) -> None:
        if self.max_candidates < 1:
            raise OptionError(f"max_candidates: 1 or more, found {self.max_candidates}")

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes the score, alpha and max_candidates."""
        return cls(settings.score, alpha=settings.alpha, max_candidates=settings.max_candidates)

    def look(self, data: Dataset, context: RunContext) -> tuple[Dag, Floats]:
        """(n, n) both, symmetric: who is worth a look, and how much.

        Merit is 1 for an edge of the skeleton, as tests given others found no way around it, and
        a share of 1 by the order of the gains.
        """
        gains = self._gains(data, context)
        order = np.argsort(np.argsort(gains, axis=None, kind="stable"), kind="stable")
        merit = order.reshape(gains.shape) / gains.size
        wanted = np.asarray(gains > self.threshold)
        if self.alpha is not None:
            alpha = min(self.alpha, MOST_BY_CHANCE / data.n_variables)
            skeleton = linear_skeleton(data, alpha=alpha)
            wanted, merit = wanted | skeleton, merit + skeleton
        return wanted, np.asarray(merit)

    def best(self, wanted: Dag, merit: Floats) -> Dag:
        """The wanted; of a node with more than `max_candidates`, those of greatest merit."""
        ranked = np.argsort(-np.where(wanted, merit, -np.inf), axis=0, kind="stable")
        best = np.zeros_like(wanted)
        np.put_along_axis(best, ranked[: self.max_candidates], True, axis=0)
        return best & wanted

    def _gains(self, data: Dataset, context: RunContext) -> Floats:
        """(n, n), symmetric: log p(i | j) - log p(i) or the same of j given i, the greater of both.

        Whether a prior forbids one of the two does not matter: they tell of dependence, not of
        direction.
        """
        n = data.n_variables
        gains = np.full((n, n), -np.inf)
        # One parent from outside and no candidates: there is no limit on the number of variables.
        space = SearchSpace(((),) * n, 1, plus_one=True)
        table = tabulate(data, space, self.score, UniformPrior(), context)
        for node, scores in enumerate(table.nodes):
            gains[scores.plus_one[1:], node] = scores.log_marginals[1:] - scores.log_marginals[0]
        return np.asarray(np.maximum(gains, gains.T))


def linear_skeleton(data: Dataset, *, alpha: float) -> Dag:
    """(n, n), symmetric: adjacent by tests of partial correlation, the dual PC algorithm."""
    if not 0 < alpha < 1:
        raise OptionError(f"alpha: between 0 and 1, found {alpha}")
    values = data.standardised()
    correlation = values.T @ values / (data.n_rows - 1)
    return dual_pc_skeleton(correlation, data.n_rows, alpha=alpha, max_order=MAX_ORDER)
