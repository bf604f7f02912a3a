"""A mixture of a linear model and a Gaussian process, node by node.

p(x | Pa) = w p_linear(x | Pa) + (1 - w) p_GP(x | Pa): the paper's kernel has no linear part, so it
pays for curvature where there is none, and claims directions that straight lines do not have.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import exp, log
from typing import Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves, mixed
from gpnet.gp.evidence import Evidence
from gpnet.gp.functions import DrawnFunctions, joined, shares_to_counts
from gpnet.gp.noise import NOISES, Noise
from gpnet.gp.residuals import Residuals
from gpnet.scores.base import CurveRequest, FunctionRequest, ScoreSettings
from gpnet.scores.gp import GpScore, modes_of, with_noise
from gpnet.scores.linear import LinearScore


@dataclass(frozen=True)
class AdaptiveScore(GpScore):
    """Of each node, a line through all its parents or a curve of each; without parents neither."""

    noise: Noise = field(default_factory=NOISES["flexible"])
    linear_weight: float = 0.6  # w, the prior probability of a line
    slope_variance: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.linear_weight < 1:
            raise OptionError(f"linear weight: between 0 and 1, found {self.linear_weight:g}")

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes what the GP score takes, the weight of a line and the variance of its slopes."""
        return replace(
            super().from_settings(settings),
            linear_weight=settings.linear_weight,
            slope_variance=settings.slope_variance,
        )

    @cached_property
    def lines(self) -> LinearScore:
        """The score of the lines."""
        return LinearScore(self.slope_variance, self.hyperpriors)

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Hints are for the curves; lines need none."""
        known, odds = modes_of(hints), log(self.linear_weight / (1 - self.linear_weight))
        mixed = []
        for parents, line in zip(
            parent_sets, self._line_evidence(data, node, parent_sets), strict=True
        ):
            curve = self._evidence(data, node, parents, known, rival=odds + line.value)
            mixed.append(self._mixed(curve, line) if parents else curve)
        return mixed

    def _residuals(
        self,
        data: Dataset,
        node: Node,
        parents: Parents,
        hints: Mapping[Parents, Evidence],
        known: Evidence,
    ) -> Residuals:
        """Of lines or curves, whichever are more probable."""
        if not parents or not known.linear > 0.5:
            return super()._residuals(data, node, parents, hints, known)
        log_sigma = float(self.lines.integrals(data, node, [parents])[1][0])
        return self.lines.model(data).leave_one_out(node, parents, log_sigma)

    def _line_evidence(
        self, data: Dataset, node: Node, parent_sets: Sequence[Parents]
    ) -> Iterator[Evidence]:
        """Of lines through all parents, under this score's noise."""
        values, noise = self.lines.integrals(data, node, parent_sets)
        model = self.lines.model(data)
        for parents, value, log_sigma in zip(
            parent_sets, values.tolist(), noise.tolist(), strict=True
        ):
            residuals = partial(model.leave_one_out, node, parents, log_sigma)
            gain = self._noise_gain(data, node, parents, residuals)
            yield with_noise(Evidence(value, 0.0, "linear"), gain)

    def _curves(self, request: CurveRequest) -> Curves:
        """Lines or curves, with the probability of lines given the data."""
        linear = self._known(request).linear
        lines, curved = self.lines._curves(request), super()._curves(request)
        return mixed([lines, curved], [linear, 1 - linear])

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """Lines or curves, so many of each as they are probable given the data."""
        linear, rng = self._known(request).linear, request.rng
        counts = shares_to_counts(np.array([linear, 1 - linear]), request.n, rng)
        draw = (self.lines._sample_functions, super()._sample_functions)
        found = [
            one(replace(request, n=n, seed=(*request.seed, kind)))
            for kind, (one, n) in enumerate(zip(draw, counts.tolist(), strict=True))
            if n
        ]
        return joined(found, rng.permutation(request.n))

    def _known(self, request: CurveRequest | FunctionRequest) -> Evidence:
        parents, hints = request.parents, request.hints
        known = hints.get(parents)
        return known or self.log_marginals(request.data, request.node, [parents], hints)[0]

    def _mixed(self, curve: Evidence, line: Evidence) -> Evidence:
        """The error of the curves counts as much as they do."""
        log_line = log(self.linear_weight) + line.value
        log_curve = log(1 - self.linear_weight) + curve.value
        value = float(np.logaddexp(log_line, log_curve))
        share, linear = exp(log_curve - value), exp(log_line - value)
        return replace(
            curve,
            value=value,
            std_error=share * curve.std_error,
            linear=linear,
            # Not above 1 by rounding; nan stays what it is.
            shaped=float(np.minimum(linear * line.shaped + share * curve.shaped, 1.0)),
            varying=float(np.minimum(linear * line.varying + share * curve.varying, 1.0)),
        )
