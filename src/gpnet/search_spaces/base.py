"""What a builder of search spaces must offer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.gp.evidence import EVIDENCES
from gpnet.scores import GpScore, Score
from gpnet.space import SearchSpace
from gpnet.store import Store
from gpnet.structure_priors import StructurePrior, UniformPrior
from gpnet.types import Dag, Parents

ALPHA: Final = 0.2  # a candidate too many costs time, one too few an edge: a lenient level
MAX_CANDIDATES: Final = 10  # of a node; with one from outside, a thousand sets for each outsider


def quick_score() -> Score:
    """The GP score by Laplace: fast, and near enough to look for candidates."""
    return GpScore(evidence=EVIDENCES["laplace"]())


@dataclass(frozen=True, eq=False)
class SpaceSettings:
    """All that a user may set of a search space; each builder takes what concerns it."""

    max_parents: int | None = None
    plus_one: bool = True
    allowed: Dag | None = None  # (n, n), [parent, child]
    alpha: float = ALPHA
    max_candidates: int = MAX_CANDIDATES
    score: Score = field(default_factory=quick_score)
    seed: int = 0
    store: Store | None = None
    workers: int = 1


class SpaceBuilder(ABC):
    """A way from the data to a search space, or to the candidates of one.

    Whatever a member finds, the space offers no parent that the prior forbids, not even from
    outside, and every parent that it requires.
    """

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """The builder with these settings."""

    def build(self, data: Dataset, prior: StructurePrior | None = None) -> SearchSpace:
        """The space for these data; all that the prior allows of it, which is all by default."""
        prior = UniformPrior() if prior is None else prior
        space = obeying(self.find(data, prior), prior)
        for node, name in enumerate(data.names):
            required = prior.required_parents(node)
            if len(required) > space.max_parents:
                raise OptionError(
                    f"max_parents: {name!r} has {len(required)} required parents, more than "
                    f"{space.max_parents}; allow so many"
                )
        return space

    @abstractmethod
    def find(self, data: Dataset, prior: StructurePrior) -> SearchSpace:
        """The space before `build` bends it to the prior; a member may look at the prior too."""


def obeying(space: SearchSpace, prior: StructurePrior) -> SearchSpace:
    """The space with all required and no forbidden parents."""
    nodes = range(space.n_variables)
    required = [prior.required_parents(node) for node in nodes]
    forbidden = [prior.forbidden_parents(node) for node in nodes]
    candidates = [(set(space.candidates[v]) | required[v]) - forbidden[v] for v in nodes]
    barred = tuple(tuple(sorted(f)) for f in forbidden) if any(forbidden) else ()
    return replace(space, candidates=_sorted(candidates), barred=barred)


def allowed_by(prior: StructurePrior, n_variables: int) -> Dag:
    """(n, n), [parent, child]: what the prior does not forbid."""
    allowed = ~np.eye(n_variables, dtype=bool)
    for node in range(n_variables):
        allowed[list(prior.forbidden_parents(node)), node] = False
    return allowed


def space_of(allowed: Dag, max_parents: int | None, *, plus_one: bool) -> SearchSpace:
    """The space whose candidates are the columns of a matrix [parent, child].

    Without max_parents, the most that any node can have.
    """
    n = len(allowed)
    candidates = _sorted(np.flatnonzero(allowed[:, node]).tolist() for node in range(n))
    if max_parents is None:
        most = max(map(len, candidates), default=0)
        max_parents = min(n - 1, most + plus_one)
    return SearchSpace(candidates, max_parents, plus_one)


def _sorted(candidates: Iterable[Iterable[int]]) -> tuple[Parents, ...]:
    return tuple(tuple(sorted(columns)) for columns in candidates)
