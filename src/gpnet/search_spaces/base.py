"""What a builder of search spaces must offer."""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Dag
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.runtime.context import RunContext
from gpnet.score_table.search_space import SearchSpace
from gpnet.scores import GpScore, Score
from gpnet.structure_priors import StructurePrior, UniformPrior

ALPHA: Final = 0.2  # a candidate too many costs time, one too few an edge: a lenient level
DEFAULT_CANDIDATES: Final = (
    10  # of a node; with one from outside, a thousand sets for each of those
)


def quick_score() -> Score:
    """The GP score by Laplace: fast, and near enough to look for candidates."""
    return GpScore(evidence=EVIDENCE_METHODS["laplace"]())


@dataclass(frozen=True, eq=False)
class SpaceSettings:
    """All that a user may set of a search space; each builder takes what concerns it."""

    max_parents: int | None = None
    plus_one: bool = True
    allowed: Dag | None = None  # (n, n), [parent, child]
    alpha: float = ALPHA
    max_candidates: int = DEFAULT_CANDIDATES
    score: Score = field(default_factory=quick_score)
    seed: int = 0


class SpaceBuilder(ABC):
    """A way from the data to the candidates of a search space.

    Whatever a member finds, the space offers no parent that the prior forbids, not even from
    outside, and every parent that it requires.
    """

    max_parents: int | None  # all candidates, with plus_one one more, where it is None
    plus_one: bool
    by_name: ClassVar[bool] = True  # whether its name and numbers say all about it
    searches: ClassVar[bool] = False  # whether finding the candidates takes scores of its own

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """The builder with these settings."""

    def build(
        self,
        data: Dataset,
        prior: StructurePrior | None = None,
        context: RunContext | None = None,
    ) -> SearchSpace:
        """The space for these data; all that the prior allows of it, which is all by default.

        What has to be told about it goes to the notes of the context, or is a warning without one.
        """
        prior = UniformPrior() if prior is None else prior
        self._check(data, prior)
        within = RunContext() if context is None else context
        found = self.find(data, prior, within)
        for note in within.notes if context is None else ():
            warnings.warn(note, RuntimeWarning, stacklevel=2)
        return space_of(found, prior, self.max_parents, plus_one=self.plus_one)

    def foreseen(self, n_variables: int, prior: StructurePrior) -> SearchSpace | None:
        """The space, where so many variables say all about it; None where the data decide."""
        return None

    @abstractmethod
    def find(self, data: Dataset, prior: StructurePrior, context: RunContext) -> Dag:
        """(n, n), [parent, child]: the candidates, before `build` bends them to the prior."""

    def _check(self, data: Dataset, prior: StructurePrior) -> None:
        for node, name in enumerate(data.names):
            n_required = len(prior.required_parents(node))
            if self.max_parents is not None and n_required > self.max_parents:
                raise OptionError(
                    f"max_parents: {name!r} has {n_required} required parents, more than "
                    f"{self.max_parents}; allow so many"
                )


def space_of(
    candidates: Dag, prior: StructurePrior, max_parents: int | None, *, plus_one: bool
) -> SearchSpace:
    """The space of candidates [parent, child], with all required and no forbidden parents."""
    nodes = range(len(candidates))
    forbidden = [prior.forbidden_parents(node) for node in nodes]
    offered = tuple(
        tuple(sorted({*np.flatnonzero(column).tolist(), *prior.required_parents(v)} - forbidden[v]))
        for v, column in enumerate(candidates.T)
    )
    excluded = tuple(tuple(sorted(never)) for never in forbidden) if any(forbidden) else ()
    if max_parents is None:
        most = max(map(len, offered), default=0)
        max_parents = min(len(nodes) - 1, most + plus_one)
    return SearchSpace(offered, max_parents, plus_one, excluded)


def allowed_by(prior: StructurePrior, n_variables: int) -> Dag:
    """(n, n), [parent, child]: what the prior does not forbid."""
    allowed = ~np.eye(n_variables, dtype=bool)
    for node in range(n_variables):
        allowed[list(prior.forbidden_parents(node)), node] = False
    return allowed
