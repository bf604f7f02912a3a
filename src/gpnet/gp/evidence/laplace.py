"""Laplace's approximation at the best mode, in log parameters with their Jacobian."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gpnet.gp.evidence.base import Evidence, EvidenceMethod
from gpnet.gp.modes import Mode
from gpnet.gp.target import Target


@dataclass(frozen=True)
class Laplace(EvidenceMethod):
    """log S = f(mode) + d/2 log 2 pi - log|-H| / 2; some 0.1 to 0.2 nats a parent too low."""

    random: ClassVar[bool] = False

    def estimate(self, target: Target, modes: list[Mode], seed: Sequence[int]) -> Evidence:
        """Takes no random numbers, so the seed is idle."""
        return Evidence(
            value=modes[0].log_laplace,
            std_error=float("nan"),
            method="laplace",
            n_evaluations=target.n_evaluations,
            n_modes=len(modes),
            mode=tuple(modes[0].u),
            cut=modes[0].cut,
            warnings=modes[0].warnings,
        )
