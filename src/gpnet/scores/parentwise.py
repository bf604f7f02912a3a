"""A mixture of linear and Gaussian process terms, parent by parent.

p(x | Pa) = sum over L of w^|L| (1 - w)^|Pa - L| p(x | lines of L, curves of the others): where
`adaptive` has lines of all parents or curves of all, here each parent has its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import hypot, log
from typing import Final, NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves, mixed
from gpnet.gp.evidence import Evidence
from gpnet.gp.fast import FastTarget
from gpnet.gp.fast_curves import fast_curves
from gpnet.gp.fast_functions import fast_functions
from gpnet.gp.functions import DrawnFunctions, joined, shares_to_counts
from gpnet.gp.hyperdraws import Hyperdraws, draw_hyperparameters
from gpnet.gp.kernels import Additive
from gpnet.gp.mode_search import search, search_beside
from gpnet.gp.modes import Mode
from gpnet.scores.adaptive import AdaptiveScore
from gpnet.scores.base import CurveRequest, FunctionRequest
from gpnet.scores.gp import GpScore, modes_of, with_noise

# Nats that a part may lie below the sum, by Laplace's approximation; further down it stays with it.
DEEPEST: Final = 9.0
LEAST_SHARE: Final = 0.01  # the share of a part that no curve shows


class Part(NamedTuple):
    """Some parents lines, some curves."""

    target: FastTarget
    modes: list[Mode]
    place: int  # in the order of `_line_sets`


@dataclass(frozen=True)
class ParentwiseScore(AdaptiveScore):
    """Of each parent a line or a curve: 2^p parts for p parents."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weak_weight:
            raise OptionError("weak weight: parentwise knows no weak curves; take adaptive")
        if self.kernel != Additive():
            raise OptionError("kernel: parentwise knows additive alone; take adaptive for others")

    @property
    def takes_levels(self) -> bool:
        """Lines beside curves know numbers alone."""
        return False

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Hints are for parts without lines."""
        curves = GpScore._log_marginals(self, data, node, parent_sets, hints)
        lines = self._line_evidence(data, node, parent_sets)
        return [
            self._sum(data, node, parents, curve, line) if parents else curve
            for parents, curve, line in zip(parent_sets, curves, lines, strict=True)
        ]

    def _curves(self, request: CurveRequest) -> Curves:
        """A mixture of the parts that matter: lines alone by evidence, others by Laplace's."""
        parents = request.parents
        found, shares = [], []
        for part, share in self._shares(request):
            shares.append(share)
            if part is None:
                found.append(self.lines._curves(request))
                continue
            draws, lines = self._draws(request, part)
            model = part.target.model
            found.append(fast_curves(model, request.node, parents, draws, request.places, lines))
        return mixed(found, shares)

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """So many of each part as it is probable given the data."""
        node, parents, rng = request.node, request.parents, request.rng
        parts, shares = zip(*self._shares(request), strict=True)
        counts = shares_to_counts(np.array(shares), request.n, rng)
        found = []
        for part, n in zip(parts, counts.tolist(), strict=True):
            if n and part is None:
                lines_alone = replace(request, n=n, seed=(*request.seed, 0))
                found.append(self.lines._sample_functions(lines_alone))
            elif n:
                draws, lines = self._draws(request, part)
                drawn = draws, request.domains, n, rng, lines
                found.append(fast_functions(part.target.model, node, parents, *drawn))
        return joined(found, rng.permutation(request.n))

    def _shares(self, request: CurveRequest | FunctionRequest) -> list[tuple[Part | None, float]]:
        """Of the parts that matter: lines alone (None) by evidence, others by Laplace's."""
        data, node, parents = request.data, request.node, request.parents
        own = self._known(request)
        model = self._model(data, Additive(), self.slope_variance)
        curved = Part(*search(model, node, parents, modes_of(request.hints)), 2 ** len(parents) - 1)
        parts = [*self._mixed_parts(data, node, parents, curved.modes[0].u), curved]
        laplace = [part.modes[0].log_laplace for part in parts]
        others = softmax(self._log_prior(len(parents))[1:] + laplace)
        found: list[tuple[Part | None, float]] = [(None, own.linear)]
        for part, share in zip(parts, ((1 - own.linear) * others).tolist(), strict=True):
            if share >= LEAST_SHARE:
                found.append((part, share))
        total = sum(share for _, share in found)
        return [(part, share / total) for part, share in found]

    def _draws(
        self, request: CurveRequest | FunctionRequest, part: Part
    ) -> tuple[Hyperdraws, dict[Node, float]]:
        """Hyperparameters of a part, and which of its parents are lines."""
        parents = request.parents
        seed = (self.seed, request.node, *parents, part.place)
        draws = draw_hyperparameters(part.target, part.modes, seed)
        return draws, dict.fromkeys(_line_sets(parents)[part.place], self.slope_variance)

    def _sum(
        self, data: Dataset, node: Node, parents: Parents, curve: Evidence, line: Evidence
    ) -> Evidence:
        """Of all parts: lines alone first, curves alone last."""
        log_prior = self._log_prior(len(parents))
        between = self._mixed_parts(data, node, parents, np.array(curve.mode))
        gains = [
            self._noise_gain(data, node, parents, partial(target.leave_one_out, modes[0].u))
            for target, modes, _ in between
        ]
        approximate = [
            part.modes[0].log_laplace + gain.log_ratio
            for part, gain in zip(between, gains, strict=True)
        ]
        laplace = [line.value, *approximate, curve.value]
        depths = logsumexp(log_prior + laplace) - log_prior - laplace
        seed = (self.seed, node, *parents)
        parts = [
            line,
            *(
                with_noise(self._estimate(part, (*seed, place), depths[place] < DEEPEST), gain)
                for place, (part, gain) in enumerate(zip(between, gains, strict=True), start=1)
            ),
            curve,
        ]
        log_parts = log_prior + [part.value for part in parts]
        value = float(logsumexp(log_parts))
        shares = np.exp(log_parts - value).tolist()
        return replace(
            curve,
            value=value,
            std_error=hypot(*(s * part.std_error for s, part in zip(shares, parts, strict=True))),
            linear=shares[0],
            shaped=_mean(shares, [part.shaped for part in parts]),
            varying=_mean(shares, [part.varying for part in parts]),
            n_evaluations=sum(part.n_evaluations for part in parts),
        )

    def _log_prior(self, n_parents: int) -> Floats:
        n_lines = np.array([len(lines) for lines in _line_sets(tuple(range(n_parents)))])
        straight, curved = log(self.linear_weight), log(1 - self.linear_weight)
        return n_lines * straight + (n_parents - n_lines) * curved

    def _mixed_parts(
        self, data: Dataset, node: Node, parents: Parents, curves_mode: Floats
    ) -> list[Part]:
        """In the order of `_line_sets`, without its ends; modes are sought from the curves'."""
        model = self._model(data, Additive(), self.slope_variance)
        parts = []
        for number, lines in enumerate(_line_sets(parents)[1:-1], start=1):
            places = [i for i, parent in enumerate(parents) if parent not in lines]
            curved = tuple(parents[i] for i in places)
            start = curves_mode[[*places, -1]]
            parts.append(Part(*search_beside(model, node, curved, lines, start), number))
        return parts

    def _estimate(self, part: Part, seed: tuple[int, ...], matters: bool) -> Evidence:
        if matters:
            return self.evidence.estimate(part.target, part.modes, seed)
        # Its error is far below that of the others.
        value = part.modes[0].log_laplace
        return Evidence(value, 0.0, "laplace", n_evaluations=part.target.n_evaluations)


def _mean(shares: Sequence[float], probabilities: Sequence[float]) -> float:
    """Not above 1 by rounding; nan where one is."""
    return float(np.minimum(np.dot(shares, probabilities), 1.0))


def _line_sets(parents: Parents) -> list[Parents]:
    """All subsets, the largest first."""
    return [lines for k in range(len(parents), -1, -1) for lines in combinations(parents, k)]
