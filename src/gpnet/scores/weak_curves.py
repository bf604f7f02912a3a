"""Curves that are small against the noise, with the hyperpriors of the GP score; a part of others.

See `gp.weak_curves`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves
from gpnet.gp.linear import LinearModel
from gpnet.gp.weak_curves import WeakCurves
from gpnet.scores.base import CurveRequest
from gpnet.scores.linear import LinearScore
from gpnet.scores.model_cache import MODELS

SETS_AT_ONCE: Final = 64  # their Gram matrices are some 50 kB each


@dataclass(frozen=True)
class WeakScore(LinearScore):
    """x = mu + sum of f_i(z_i) + noise, f_i of one lengthscale and a small variance."""

    only_lines: ClassVar[bool] = False

    lengthscale: float = 1.0

    def integrals(
        self, data: Dataset, node: Node, parent_sets: Sequence[Parents]
    ) -> tuple[Floats, Floats]:
        """Some sets after the others, as their matrices are not small."""
        found = [
            super(WeakScore, self).integrals(data, node, parent_sets[i : i + SETS_AT_ONCE])
            for i in range(0, len(parent_sets), SETS_AT_ONCE)
        ]
        values, noise = zip(*found, strict=True)
        return np.concatenate(values), np.concatenate(noise)

    def _curves(self, request: CurveRequest) -> Curves:
        """The noise integrated by quadrature."""
        return self.model(request.data).curves(request.node, request.parents, request.places)

    def model(self, data: Dataset) -> LinearModel:
        """All weak curves of one table."""

        def build() -> LinearModel:
            settings = self.variance**0.5, self.lengthscale, self.hyperpriors, data.categorical
            return WeakCurves(data.standardised(), *settings)

        return MODELS.get(data, self, build)
