"""Candidates that gain something on their own, and those joined by straight lines."""

from dataclasses import dataclass, field
from typing import Self

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.scores import Score
from gpnet.search_spaces.base import (
    ALPHA,
    MAX_CANDIDATES,
    SpaceBuilder,
    SpaceSettings,
    allowed_by,
    quick_score,
)
from gpnet.search_spaces.candidates import at_most, one_parent_gains, screened
from gpnet.store import Store
from gpnet.structure_priors import StructurePrior
from gpnet.types import Dag


@dataclass(frozen=True, eq=False)
class ScreenedSpace(SpaceBuilder):
    """i and j are candidates of each other where either gains more than `threshold` from the other.

    The dual PC skeleton is added: it sees what shows only given others. Of a node with more than
    `max_candidates`, those with the greatest gains stay.
    """

    score: Score = field(default_factory=quick_score)
    threshold: float = 0.0  # nats
    alpha: float | None = ALPHA  # of the dual PC algorithm; None to go without
    max_candidates: int = MAX_CANDIDATES
    max_parents: int | None = None  # all candidates unless given
    plus_one: bool = True
    store: Store | None = None
    workers: int = 1

    def __post_init__(self) -> None:
        if self.max_candidates < 1:
            raise OptionError(f"max_candidates: 1 or more, found {self.max_candidates}")

    @classmethod
    def from_settings(cls, settings: SpaceSettings) -> Self:
        """Takes all but the matrix of allowed edges."""
        return cls(
            settings.score,
            alpha=settings.alpha,
            max_candidates=settings.max_candidates,
            max_parents=settings.max_parents,
            plus_one=settings.plus_one,
            store=settings.store,
            workers=settings.workers,
        )

    def find(self, data: Dataset, prior: StructurePrior) -> Dag:
        """A score for each pair of variables."""
        gains = one_parent_gains(data, self.score, store=self.store, workers=self.workers)
        wanted = screened(data, gains, threshold=self.threshold, alpha=self.alpha)
        wanted &= allowed_by(prior, data.n_variables)
        return at_most(wanted, gains, self.max_candidates)
