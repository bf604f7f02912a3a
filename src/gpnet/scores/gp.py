"""The Gaussian process score of the paper, under any kernel and any way to the evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import exp, isfinite
from typing import ClassVar, Final, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves
from gpnet.gp.dense_curves import dense_curves
from gpnet.gp.dense_functions import dense_functions
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence, EvidenceMethod
from gpnet.gp.evidence.quadrature import integrate_noise
from gpnet.gp.fast import FastModel, FastTarget, fast_route, takes_levels
from gpnet.gp.fast_curves import fast_curves
from gpnet.gp.fast_functions import fast_functions
from gpnet.gp.fast_interaction import FastInteractionTarget, fast_interaction_route
from gpnet.gp.functions import DrawnFunctions
from gpnet.gp.hyperdraws import draw_hyperparameters
from gpnet.gp.kernels import KERNELS, Additive, Kernel
from gpnet.gp.mode_search import search, tables_at
from gpnet.gp.modes import Mode, find_modes
from gpnet.gp.noise import NOISES, Noise, NoiseGain, NoiseTables
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import Residuals, expected_log_likelihoods
from gpnet.gp.target import DenseTarget, Target
from gpnet.scores.base import CurveRequest, Fit, FunctionRequest, Score, ScoreSettings
from gpnet.scores.linear import LinearScore
from gpnet.scores.model_cache import MODELS

ROUGH: Final = 5.0  # times the error, for sets of little weight
TOO_LOW: Final = 1.0  # nats: what Laplace's approximation may have missed


@dataclass(frozen=True)
class GpScore(Score):
    """S(X, Pa) = integral of p(x | Pa, Theta) p(Theta) dTheta (paper.tex, label thescore)."""

    # 2: more modes are found, and qmc draws from t distributions with 4 degrees of freedom.
    # 3: bases in an order that rounding has no part in; differences of some 1e-5 nats.
    # 4: modes that were missed are found, and lengthscales below 0.1 where the data ask for them.
    # 5: functions of two parents through every row are looked for where rows repeat, and smooth
    #    ones of one parent with lengthscales below 0.1 where a Matern process is in doubt.
    # 6: noise of any shape, and of a size that varies.
    # 7: of two parents, more wiggly modes with less noise, and close ones with next to none.
    # 9: noise of a column that others determine has a least size.
    version: ClassVar[int] = 9

    kernel: Kernel = field(default_factory=KERNELS["additive"])
    evidence: EvidenceMethod = field(default_factory=EVIDENCE_METHODS["qmc"])
    hyperpriors: Hyperpriors = field(default_factory=Hyperpriors)
    seed: int = 0
    noise: Noise = field(default_factory=NOISES["gaussian"])

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed: 0 or more, found {self.seed}")

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes the kernel, the evidence, the hyperpriors, the seed and the noise."""
        return cls(
            kernel=settings.kernel,
            evidence=settings.evidence,
            hyperpriors=settings.hyperpriors,
            seed=settings.seed,
            noise=settings.noise or cls().noise,
        )

    @property
    def takes_levels(self) -> bool:
        """Where parents are evaluated by their bases."""
        return takes_levels(self.kernel)

    @property
    def additive(self) -> bool:
        """Not with functions of pairs of parents."""
        return type(self.kernel) is not type(KERNELS["interaction"]())

    @property
    def compares_scales(self) -> bool:
        """Only noise of any shape sees that of a column without parents."""
        return not self.noise.gaussian

    def proposal(self) -> Score:
        """By Laplace's approximation, which asks for no seed: all seeds share its numbers.

        All rows judge the noise, however many they are: some that stood for others would fit what
        is chance in them as surely as if all were so, by hundreds of nats of a million rows.
        """
        return replace(self, evidence=EVIDENCE_METHODS["laplace"](), seed=0)

    def rough(self) -> Score:
        """To 0.1 nats unless asked otherwise, in two fifths of the time."""
        return replace(self, evidence=self.evidence.relaxed(ROUGH))

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Newton starts from the modes of smaller sets."""
        known = modes_of(hints)
        return [self._evidence(data, node, parents, known) for parents in parent_sets]

    def _curves(self, request: CurveRequest) -> Curves:
        """Averaged over the posterior of the hyperparameters.

        Of a kernel with pairs of parents, what a parent does on the average over the others; what
        pairs do besides is left to the residuals.
        """
        data, node, parents = request.data, request.node, request.parents
        target, modes = self._target(data, node, parents, modes_of(request.hints))
        draws = draw_hyperparameters(target, modes, (self.seed, node, *parents))
        values = data.standardised()
        if isinstance(target, FastTarget):
            return fast_curves(target.model, node, parents, draws, request.places)
        mean, x, z = self.hyperpriors.mean, values[:, node], values[:, parents]
        return dense_curves(x, z, self.kernel, mean, draws, request.places)

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """Those of pairs of parents too, where the kernel has any."""
        data, node, parents, rng = request.data, request.node, request.parents, request.rng
        target, modes = self._target(data, node, parents, modes_of(request.hints))
        draws = draw_hyperparameters(target, modes, (self.seed, node, *parents))
        if isinstance(target, FastTarget):
            return fast_functions(
                target.model, node, parents, draws, request.domains, request.n, rng
            )
        values, mean = data.standardised(), self.hyperpriors.mean
        x, z = values[:, node], values[:, parents]
        return dense_functions(
            x, z, parents, self.kernel, mean, draws, request.domains, request.n, rng
        )

    def _fit(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Fit:
        """At the best mode of the hyperparameters."""
        known = hints.get(parents) or self.log_marginals(data, node, [parents], hints)[0]
        residuals = self._residuals(data, node, parents, hints, known)
        sizes = np.ones(data.n_rows)
        if parents and known.varying > 0.5:
            sizes = self._noise_tables(data).relative_sizes(residuals, node, parents)
        x = data.standardised()[:, node] - residuals.standardised * residuals.sd
        return Fit(x, residuals.standardised / sizes)

    def _pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """At the best mode of the hyperparameters."""
        if not parents:
            residuals, log_sigma = self._root_residuals(data, node)
            return self._with_noise_of_rows(data, node, parents, residuals, log_sigma)
        target, mode = self._best_fit(data, node, parents, hints)
        residuals = target.leave_one_out(mode)
        return self._with_noise_of_rows(data, node, parents, residuals, float(mode[-1]))

    def _best_fit(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> tuple[Target, Floats]:
        """The target and its best mode, which hints may have already."""
        known = modes_of(hints).get(parents)
        if known is None:
            target, modes = self._target(data, node, parents, modes_of(hints))
            return target, modes[0].u
        if not fast_route(self.kernel, data.standardised()):
            return self._slow_target(data, node, parents), known[0]
        model = self._model(data, self.kernel)
        return tables_at(model, parents, known[0]).target(node, parents), known[0]

    def _with_noise_of_rows(
        self, data: Dataset, node: Node, parents: Parents, residuals: Residuals, log_sigma: float
    ) -> Floats:
        normal = expected_log_likelihoods(residuals, exp(log_sigma))
        if self.noise.gaussian:
            return normal
        return normal + self._noise_tables(data).gain_of_rows(residuals, node, parents)

    def _residuals(
        self,
        data: Dataset,
        node: Node,
        parents: Parents,
        hints: Mapping[Parents, Evidence],
        known: Evidence,
    ) -> Residuals:
        """Of the most probable fit; `known` is its evidence."""
        if not parents:
            return self._root_residuals(data, node)[0]
        target, modes = self._target(data, node, parents, modes_of(hints))
        return target.leave_one_out(modes[0].u)

    def _evidence(
        self,
        data: Dataset,
        node: Node,
        parents: Parents,
        known: Mapping[Parents, Floats],
        rival: float = -np.inf,
    ) -> Evidence:
        """Its error matters the less, the more a rival of so many nats has of their sum."""
        if not parents:
            return self._root(data, node)
        target, modes = self._target(data, node, parents, known)
        residuals = partial(target.leave_one_out, modes[0].u)
        gain = self._noise_gain(data, node, parents, residuals)
        ahead = rival - modes[0].log_laplace - gain.log_ratio - TOO_LOW
        method = self.evidence.relaxed(1 + exp(min(ahead, 10.0)))
        # Seeded by what is scored, not by when: parallel equals serial.
        found = with_noise(method.estimate(target, modes, (self.seed, node, *parents)), gain)
        if len(parents) > 1 or len(modes) == 1:
            return found
        return replace(found, other_modes=tuple(tuple(mode.u.tolist()) for mode in modes[1:]))

    def _root(self, data: Dataset, node: Node) -> Evidence:
        """Without parents a node is noise alone."""
        found = integrate_noise(data.standardised()[:, node], self.hyperpriors)
        gain = self._noise_gain(data, node, (), lambda: self._root_residuals(data, node)[0])
        return with_noise(found, gain)

    def _root_residuals(self, data: Dataset, node: Node) -> tuple[Residuals, float]:
        """And the most probable log of the noise."""
        lines = LinearScore(hyperpriors=self.hyperpriors)
        log_sigma = float(lines.integrals(data, node, [()])[1][0])
        return lines.model(data).leave_one_out(node, (), log_sigma), log_sigma

    def _noise_gain(
        self,
        data: Dataset,
        node: Node,
        parents: Parents,
        residuals: Callable[[], Residuals],
    ) -> NoiseGain:
        """Of a fit whose residuals are computed where they are needed."""
        if self.noise.gaussian:
            return NoiseGain()
        return self._noise_tables(data).gain(residuals(), node, parents)

    def _noise_tables(self, data: Dataset) -> NoiseTables:

        def build() -> NoiseTables:
            return self.noise.tables(data.standardised(), data.categorical)

        return MODELS.get(data, self.noise, build)

    def _target(
        self, data: Dataset, node: Node, parents: Parents, known: Mapping[Parents, Floats]
    ) -> tuple[Target, list[Mode]]:
        if fast_route(self.kernel, data.standardised()):
            model = self._model(data, self.kernel)
            return search(model, node, parents, known)
        slow = self._slow_target(data, node, parents)
        return slow, find_modes(slow)

    def _slow_target(self, data: Dataset, node: Node, parents: Parents) -> Target:
        """Interactions at low rank where there are many rows; anything else dense."""
        values, kernel = data.standardised(), self.kernel
        if fast_interaction_route(kernel, values):
            return FastInteractionTarget(values, node, parents, self.hyperpriors)
        return DenseTarget(values[:, node], values[:, parents], kernel, self.hyperpriors)

    def _model(self, data: Dataset, kernel: Additive, slope_variance: float = 1.0) -> FastModel:
        """The variance is that of parents that are straight lines, if there are any."""
        settings = kernel, self.hyperpriors, slope_variance

        def build() -> FastModel:
            return FastModel(data.standardised(), *settings, categorical=data.categorical)

        return MODELS.get(data, settings, build)


def with_noise(evidence: Evidence, gain: NoiseGain) -> Evidence:
    """What the fit is worth under this noise."""
    value = evidence.value + gain.log_ratio
    return replace(evidence, value=value, shaped=gain.shaped, varying=gain.varying)


def modes_of(hints: Mapping[Parents, Evidence]) -> dict[Parents, Floats]:
    """(k, d) of those that have any, best first; a store may hold any numbers."""
    return {
        parents: np.array([hint.mode, *hint.other_modes])
        for parents, hint in hints.items()
        if hint.mode and all(_alike(mode, hint.mode) for mode in (hint.mode, *hint.other_modes))
    }


def _alike(mode: tuple[float, ...], best: tuple[float, ...]) -> bool:
    return len(mode) == len(best) and all(map(isfinite, mode))


@dataclass(frozen=True)
class Gp2Score(GpScore):
    """GP^2: with a function of each pair of parents besides."""

    # 9: some rows stand for all; differences of some 1e-4 nats.
    # 10: as 9 of the base.
    version: ClassVar[int] = 10

    kernel: Kernel = field(default_factory=KERNELS["interaction"])

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Has its own kernel."""
        return super().from_settings(replace(settings, kernel=cls().kernel))
