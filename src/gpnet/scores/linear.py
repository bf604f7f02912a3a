"""Straight lines with the hyperpriors of the GP score, in closed form but for one integral."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves
from gpnet.gp.evidence import Evidence
from gpnet.gp.functions import DrawnFunctions
from gpnet.gp.linear import LinearModel
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import expected_log_likelihoods
from gpnet.scores.base import CurveRequest, Fit, FunctionRequest, Score, ScoreSettings, by_size
from gpnet.scores.model_cache import MODELS


@dataclass(frozen=True)
class LinearScore(Score):
    """x = mu + sum of b_i z_i + noise, b_i ~ N(0, variance); mu and the noise as under the GP."""

    closed_form: ClassVar[bool] = True
    only_lines: ClassVar[bool] = True

    variance: float = 1.0  # of a slope
    hyperpriors: Hyperpriors = field(default_factory=Hyperpriors)

    def __post_init__(self) -> None:
        if not 0 < self.variance < np.inf:
            raise OptionError(f"slope variance: positive and finite, found {self.variance:g}")

    @property
    def takes_levels(self) -> bool:
        """Each level has a number of its own."""
        return True

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes the variance of slopes and the hyperpriors."""
        return cls(settings.slope_variance, settings.hyperpriors)

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Exact to 1e-6 or better, by quadrature."""
        values = self.values(data, node, parent_sets)
        return [
            Evidence(value, 0.0, "linear", n_evaluations=1, linear=1.0) for value in values.tolist()
        ]

    def values(self, data: Dataset, node: Node, parent_sets: Sequence[Parents]) -> Floats:
        """The numbers alone; sets of one size together."""
        return self.integrals(data, node, parent_sets)[0]

    def integrals(
        self, data: Dataset, node: Node, parent_sets: Sequence[Parents]
    ) -> tuple[Floats, Floats]:
        """The numbers, and the log of the noise that is most probable; (m,) each."""
        model = self.model(data)
        values, noise = np.empty((2, len(parent_sets)))
        for places, columns in by_size([model.columns_of(parents) for parents in parent_sets]):
            values[places], noise[places] = model.integrals(node, columns)
        return values, noise

    def _curves(self, request: CurveRequest) -> Curves:
        """Straight lines, the noise integrated by quadrature."""
        data, node, parents = request.data, request.node, request.parents
        model, table = self.model(data), data.standardised()[:, parents]
        if data.categorical.isdisjoint(parents):
            return model.slopes(node, parents).curves(table, request.places)
        return model.curves(node, parents, request.places)

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """Exact: slopes are normal given the noise."""
        model, drawn = self.model(request.data), (request.domains, request.n, request.rng)
        return model.functions(request.node, request.parents, *drawn)

    def _fit(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Fit:
        """At the most probable noise."""
        log_sigma = float(self.integrals(data, node, [parents])[1][0])
        found = self.model(data).leave_one_out(node, parents, log_sigma)
        fitted = data.standardised()[:, node] - found.standardised * found.sd
        return Fit(fitted, found.standardised)

    def _pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """At the most probable noise."""
        log_sigma = float(self.integrals(data, node, [parents])[1][0])
        found = self.model(data).leave_one_out(node, parents, log_sigma)
        return expected_log_likelihoods(found, float(np.exp(log_sigma)))

    def model(self, data: Dataset) -> LinearModel:
        """All lines of one table."""

        def build() -> LinearModel:
            settings = self.variance, self.hyperpriors, data.categorical
            return LinearModel(data.standardised(), *settings)

        return MODELS.get(data, self, build)
