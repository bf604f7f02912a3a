"""A mixture of a linear model and a Gaussian process, node by node.

p(x | Pa) = w p_linear(x | Pa) + (1 - w) p_GP(x | Pa): the paper's kernel has no linear part, so it
pays for curvature where there is none, and claims directions that straight lines do not have.

Where effects may be too small to be seen, weak curves are a third part: in a standardised table
both others expect functions as large as the standard deviation of the child, and take a small one
for none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import exp, log
from typing import Final, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves, mixed
from gpnet.gp.evidence import Evidence
from gpnet.gp.functions import DrawnFunctions, joined, shares_to_counts
from gpnet.gp.noise import NOISES, Noise
from gpnet.gp.residuals import Residuals
from gpnet.scores.base import CurveRequest, FunctionRequest, ScoreSettings
from gpnet.scores.gp import GpScore, modes_of, with_noise
from gpnet.scores.linear import LinearScore
from gpnet.scores.weak_curves import WeakScore

WEAK_VARIANCE: Final = 0.25**2  # of a weak curve, of a child whose variance is 1
WEAK_LENGTHSCALE: Final = 0.6
LEAST_SHARE: Final = 1e-3  # of weak curves that are drawn at all


@dataclass(frozen=True)
class AdaptiveScore(GpScore):
    """Of each node, a line through all its parents or a curve of each; without parents neither."""

    noise: Noise = field(default_factory=NOISES["flexible"])
    linear_weight: float = 0.6  # w, the prior probability of a line
    slope_variance: float = 1.0
    weak_weight: float = 0.0  # the prior probability of weak curves; w is that of a line if not

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.linear_weight < 1:
            raise OptionError(f"linear weight: between 0 and 1, found {self.linear_weight:g}")
        if not 0 <= self.weak_weight < 1:
            raise OptionError(f"weak weight: from 0 to below 1, found {self.weak_weight:g}")

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes what the GP score takes, the weights of its parts and the variance of slopes."""
        return replace(
            super().from_settings(settings),
            linear_weight=settings.linear_weight,
            slope_variance=settings.slope_variance,
            weak_weight=settings.weak_weight,
        )

    @cached_property
    def lines(self) -> LinearScore:
        """The score of the lines."""
        return LinearScore(self.slope_variance, self.hyperpriors)

    @cached_property
    def weak_curves(self) -> WeakScore:
        """The score of the weak curves."""
        return WeakScore(WEAK_VARIANCE, self.hyperpriors, WEAK_LENGTHSCALE)

    @cached_property
    def _curved(self) -> GpScore:
        """The score of the curves; its noise has no say in how they are drawn."""
        return GpScore(self.kernel, self.evidence, self.hyperpriors, self.seed, self.noise)

    @property
    def _closed(self) -> list[tuple[LinearScore, float]]:
        """The parts in closed form and their prior probabilities, lines first."""
        lines = self.lines, self.linear_weight * (1 - self.weak_weight)
        return [lines, (self.weak_curves, self.weak_weight)] if self.weak_weight else [lines]

    @property
    def _log_curved(self) -> float:
        """The log of the prior probability of curves that are not weak."""
        return log((1 - self.linear_weight) * (1 - self.weak_weight))

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Hints are for the curves; the other parts need none."""
        known = modes_of(hints)
        each = [self._closed_evidence(one, data, node, parent_sets) for one, _ in self._closed]
        mixed = []
        for parents, *closed in zip(parent_sets, *each, strict=True):
            rival = np.logaddexp.reduce(self._log_joint(closed)) - self._log_curved
            curve = self._evidence(data, node, parents, known, rival=float(rival))
            mixed.append(self._mixed(curve, closed) if parents else curve)
        return mixed

    def _log_joint(self, closed: Sequence[Evidence]) -> list[float]:
        """Of the parts in closed form: log prior probabilities and evidences together."""
        return [
            log(weight) + one.value for (_, weight), one in zip(self._closed, closed, strict=True)
        ]

    def _residuals(
        self,
        data: Dataset,
        node: Node,
        parents: Parents,
        hints: Mapping[Parents, Evidence],
        known: Evidence,
    ) -> Residuals:
        """Of the most probable part."""
        if not parents:
            return super()._residuals(data, node, parents, hints, known)
        *shares, curved = self._part_shares(data, node, parents, known)
        closed = [one for one, _ in self._closed]
        best, share = max(zip(closed, shares, strict=True), key=lambda part: part[1])
        if not share > curved:
            return super()._residuals(data, node, parents, hints, known)
        log_sigma = float(best.integrals(data, node, [parents])[1][0])
        return best.model(data).leave_one_out(node, parents, log_sigma)

    def _pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """Averaged over the parts, each as probable as the data make it."""
        if not parents:
            return super()._pointwise(data, node, parents, hints)
        known = hints.get(parents) or self.log_marginals(data, node, [parents], hints)[0]
        *shares, curved = self._part_shares(data, node, parents, known)
        total = np.zeros(data.n_rows)
        for (part, _), share in zip(self._closed, shares, strict=True):
            if share > LEAST_SHARE:
                log_sigma = float(part.integrals(data, node, [parents])[1][0])
                residuals = part.model(data).leave_one_out(node, parents, log_sigma)
                total += share * self._with_noise_of_rows(data, node, parents, residuals, log_sigma)
        if curved > LEAST_SHARE:
            total += curved * super()._pointwise(data, node, parents, {**hints, parents: known})
        return total

    def _line_evidence(
        self, data: Dataset, node: Node, parent_sets: Sequence[Parents]
    ) -> Iterator[Evidence]:
        """Of lines through all parents, under this score's noise."""
        return self._closed_evidence(self.lines, data, node, parent_sets)

    def _closed_evidence(
        self, score: LinearScore, data: Dataset, node: Node, parent_sets: Sequence[Parents]
    ) -> Iterator[Evidence]:
        """Of a part in closed form, under this score's noise."""
        values, noise = score.integrals(data, node, parent_sets)
        model = score.model(data)
        for parents, value, log_sigma in zip(
            parent_sets, values.tolist(), noise.tolist(), strict=True
        ):
            residuals = partial(model.leave_one_out, node, parents, log_sigma)
            gain = self._noise_gain(data, node, parents, residuals)
            yield with_noise(Evidence(value, 0.0, "linear"), gain)

    def _curves(self, request: CurveRequest) -> Curves:
        """Of each part, with its probability given the data."""
        parts, shares = zip(*self._drawn_parts(request), strict=True)
        return mixed([one._curves(request) for one in parts], shares)

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """So many of each part as it is probable given the data."""
        parts, shares = zip(*self._drawn_parts(request), strict=True)
        rng = request.rng
        counts = shares_to_counts(np.array(shares), request.n, rng)
        found = [
            one._sample_functions(replace(request, n=n, seed=(*request.seed, kind)))
            for kind, (one, n) in enumerate(zip(parts, counts.tolist(), strict=True))
            if n
        ]
        return joined(found, rng.permutation(request.n))

    def _known(self, request: CurveRequest | FunctionRequest) -> Evidence:
        parents, hints = request.parents, request.hints
        known = hints.get(parents)
        return known or self.log_marginals(request.data, request.node, [parents], hints)[0]

    def _drawn_parts(
        self, request: CurveRequest | FunctionRequest
    ) -> list[tuple[LinearScore | GpScore, float]]:
        """Lines, curves, and weak curves unless they are next to impossible; with their shares."""
        known = self._known(request)
        data, node, parents = request.data, request.node, request.parents
        line, *weak, curved = self._part_shares(data, node, parents, known)
        parts: list[tuple[LinearScore | GpScore, float]]
        parts = [(self.lines, line), (self._curved, curved)]
        return parts + [(self.weak_curves, share) for share in weak if share > LEAST_SHARE]

    def _part_shares(
        self, data: Dataset, node: Node, parents: Parents, known: Evidence
    ) -> list[float]:
        """The probability of each part given the data, curves that are not weak last."""
        if not self.weak_weight:
            return [known.linear, 1 - known.linear]
        evidence = next(self._closed_evidence(self.weak_curves, data, node, [parents]))
        weak = min(self.weak_weight * exp(evidence.value - known.value), 1 - known.linear)
        return [known.linear, weak, 1 - known.linear - weak]

    def _mixed(self, curve: Evidence, closed: Sequence[Evidence]) -> Evidence:
        """The error of the curves counts as much as they do; lines are the first of the others."""
        logs = [*self._log_joint(closed), self._log_curved + curve.value]
        value = float(np.logaddexp.reduce(logs))
        shares = [exp(one - value) for one in logs]
        each = list(zip(shares, (*closed, curve), strict=True))
        return replace(
            curve,
            value=value,
            std_error=shares[-1] * curve.std_error,
            linear=shares[0],
            # Not above 1 by rounding; nan stays what it is.
            shaped=float(np.minimum(sum(share * one.shaped for share, one in each), 1.0)),
            varying=float(np.minimum(sum(share * one.varying for share, one in each), 1.0)),
        )
