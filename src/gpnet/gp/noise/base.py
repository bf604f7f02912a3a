"""What a noise must offer."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.residuals import Residuals


@dataclass(frozen=True)
class NoiseGain:
    """How one fit fares under another noise than the Gaussian one."""

    log_ratio: float = 0.0  # log of p(x) under this noise over p(x) under Gaussian noise
    shaped: float = float("nan")  # probability that the noise is not normal; nan where not asked
    varying: float = float("nan")  # probability that its size varies with the parents


class NoiseTables(ABC):
    """What a noise needs to know of the rows of one table."""

    @abstractmethod
    def gain(self, residuals: Residuals, node: Node, parents: Parents) -> NoiseGain:
        """Of a fit that leaves these residuals."""

    def gain_of_rows(self, residuals: Residuals, node: Node, parents: Parents) -> Floats:
        """(N,): what each row adds to the log ratio of `gain`, on the average over the noises."""
        return np.zeros(len(residuals.sd))

    def relative_sizes(self, residuals: Residuals, node: Node, parents: Parents) -> Floats:
        """(N,): how large the noise of each row is, against its average; 1 for all here."""
        return np.ones(len(residuals.sd))


class Noise(ABC):
    """A distribution of the noise; equal ones have the same `repr`."""

    # Nothing to gain: residuals need not be computed.
    gaussian: ClassVar[bool] = False

    @abstractmethod
    def tables(self, values: Floats, categorical: frozenset[Node] = frozenset()) -> NoiseTables:
        """Of a standardised table (N, n), some columns of which hold levels."""
