"""The evidence and what a way to it must offer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from gpnet.gp.modes import Mode
from gpnet.gp.target import Target


@dataclass(frozen=True)
class Evidence:
    """A log marginal likelihood and how far it can be trusted."""

    value: float
    std_error: float  # of the value, in nats; nan where the method has no estimate of its error
    method: str
    n_evaluations: int = 0
    n_modes: int = 1
    k_hat: float = float("nan")  # Pareto shape of the importance weights
    ess: float = float("nan")  # effective number of importance weights or draws
    mode: tuple[float, ...] = ()  # the best mode, in log parameters; a start for larger sets
    other_modes: tuple[tuple[float, ...], ...] = ()  # of one parent: starts for two
    linear: float = float("nan")  # probability that the relation is a straight line, where asked
    shaped: float = float("nan")  # probability that the noise is not normal, where asked
    varying: float = float("nan")  # probability that its size varies with the parents, where asked
    cut: float = 0.0  # nats by which it may be too low, for what lies below the tables
    warnings: tuple[str, ...] = ()


class EvidenceMethod(ABC):
    """The log of the integral of a target."""

    random: ClassVar[bool] = True  # whether another seed gives another number

    def relaxed(self, factor: float) -> Self:
        """The same, where an error larger by this factor would do; as accurate if it has no say."""
        return self

    @abstractmethod
    def estimate(self, target: Target, modes: list[Mode], seed: Sequence[int]) -> Evidence:
        """`modes` are the target's, best first; `quadrature` serves where there are no parents."""
