"""The Gaussian process score of the paper, under any kernel and any way to the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.gp.evidence import EVIDENCES, Evidence, EvidenceMethod
from gpnet.gp.evidence.quadrature import integrate_noise
from gpnet.gp.kernels import KERNELS, Kernel
from gpnet.gp.likelihood import DenseTarget
from gpnet.gp.priors import Hyperpriors
from gpnet.scores.base import Score, ScoreSettings
from gpnet.types import Node, Parents


@dataclass(frozen=True)
class GpScore(Score):
    """S(X, Pa) = integral of p(x | Pa, Theta) p(Theta) dTheta (paper.tex, label thescore)."""

    kernel: Kernel = field(default_factory=KERNELS["additive"])
    evidence: EvidenceMethod = field(default_factory=EVIDENCES["qmc"])
    hyperpriors: Hyperpriors = field(default_factory=Hyperpriors)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed: 0 or more, found {self.seed}")

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes the evidence, the hyperpriors and the seed."""
        return cls(evidence=settings.evidence, hyperpriors=settings.hyperpriors, seed=settings.seed)

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        return [self._evidence(data, node, parents) for parents in parent_sets]

    def _evidence(self, data: Dataset, node: Node, parents: Parents) -> Evidence:
        values = data.standardised()
        x = values[:, node]
        if not parents:
            return integrate_noise(x, self.hyperpriors)
        target = DenseTarget(x, values[:, parents], self.kernel, self.hyperpriors)
        # Seeded by what is scored, not by when: parallel equals serial.
        rng = np.random.default_rng([self.seed, node, *parents])
        return self.evidence.estimate(target, rng)


@dataclass(frozen=True)
class Gp2Score(GpScore):
    """GP^2: with a function of each pair of parents besides."""

    kernel: Kernel = field(default_factory=KERNELS["interaction"])
