"""What a score must offer."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Self

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.gp.evidence import EVIDENCES, Evidence, EvidenceMethod
from gpnet.gp.priors import Hyperpriors
from gpnet.types import Node, Parents


@dataclass(frozen=True)
class ScoreSettings:
    """All that a user may set of a score; each score takes what concerns it."""

    evidence: EvidenceMethod = field(default_factory=EVIDENCES["qmc"])
    hyperpriors: Hyperpriors = field(default_factory=Hyperpriors)
    seed: int = 0
    am: float = 1.0
    aw: float | None = None
    prior_mean: float = 0.0


class Score(ABC):
    """log p(node | parents), a function of the standardised data."""

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """The score with these settings."""

    def log_marginal(self, data: Dataset, node: Node, parents: Parents) -> Evidence:
        """The same number for any order of the parents."""
        family = [node, *parents]
        if len(set(family)) < len(family) or not set(family) <= set(range(data.n_variables)):
            raise OptionError(
                f"node {node} given {tuple(parents)}: expected different columns from 0 to "
                f"{data.n_variables - 1}; Dataset.column(name) finds them"
            )
        return self._log_marginal(data, node, tuple(sorted(parents)))

    @abstractmethod
    def _log_marginal(self, data: Dataset, node: Node, parents: Parents) -> Evidence:
        """Parents are sorted here."""
