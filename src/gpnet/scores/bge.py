"""The BGe score: linear Gaussian networks in closed form.

Geiger & Heckerman (2002), with the correction of Kuipers, Moffa & Heckerman (2014).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, pi
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaincinv, gammaln

from gpnet.common.errors import EvidenceError, OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves, Slopes, is_centred
from gpnet.gp.evidence import Evidence
from gpnet.gp.functions import DrawnFunctions, lines
from gpnet.scores.base import CurveRequest, FunctionRequest, Score, ScoreSettings, by_size
from gpnet.scores.model_cache import MODELS

N_NOISES: Final = 32  # values of the noise, for curves


class _Regression(NamedTuple):
    """Slopes b | v ~ N(slopes, v inverse), rest / v ~ chi^2 of so many degrees of freedom."""

    inverse: Floats  # (p, p)
    slopes: Floats  # (p,)
    rest: float
    freedom: float
    centre: Floats  # (p,): means of the parents
    level: float


@dataclass(frozen=True)
class BgeScore(Score):
    """Normal data, mean ~ N(nu, (am W)^-1), precision W ~ Wishart(aw, T^-1), T = t I.

    t = am (aw - n - 1) / (am + 1) gives each variable a prior predictive variance of 1, as fits
    standardised data.
    """

    version: ClassVar[int] = 2
    closed_form: ClassVar[bool] = True
    only_lines: ClassVar[bool] = True
    am: float = 1.0
    aw: float | None = None  # n + am + 1 unless given
    prior_mean: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.am < np.inf:
            raise OptionError(f"am must be positive and finite, found {self.am:g}")
        if self.aw is not None and not np.isfinite(self.aw):
            raise OptionError(f"aw must be finite, found {self.aw:g}")
        if not np.isfinite(self.prior_mean):
            raise OptionError(f"prior mean must be finite, found {self.prior_mean:g}")

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """Takes am, aw and the prior mean."""
        return cls(am=settings.am, aw=settings.aw, prior_mean=settings.prior_mean)

    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Sets of one size together; each comes out the same in whatever company."""
        scale = self._posterior_scale(data)
        values = np.empty(len(parent_sets))
        for places, sets in by_size(parent_sets):
            families = np.column_stack([sets, np.full(len(sets), node)])
            values[places] = self._closed_form(scale, families, data.n_rows)
        return [Evidence(value, 0.0, "bge", n_evaluations=1) for value in values.tolist()]

    def _curves(self, request: CurveRequest) -> Curves:
        """Straight lines: slopes b | v ~ N(R_pp^-1 R_px, v R_pp^-1), R_x|p / v ~ chi^2.

        The noise v is taken at evenly spaced quantiles of its distribution.
        """
        own = self._regression(request.data, request.node, request.parents)
        tails = (np.arange(N_NOISES) + 0.5) / N_NOISES
        noise = own.rest / (2 * gammaincinv(own.freedom / 2, tails))
        sd = np.sqrt(np.outer(noise, own.inverse.diagonal()))
        weights = np.full(N_NOISES, 1 / N_NOISES)
        found = Slopes(weights, np.tile(own.slopes, (N_NOISES, 1)), sd, own.level)
        parents = request.data.standardised()[:, request.parents]
        return found.curves(parents, request.places)

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions:
        """Noise, then slopes, then the level given both: its variance is v / (am + N)."""
        own = self._regression(request.data, request.node, request.parents)
        n, rng = request.n, request.rng
        noise = own.rest / rng.chisquare(own.freedom, n)
        root = np.linalg.cholesky(own.inverse)
        error = np.sqrt(noise)[:, None] * (rng.standard_normal((n, len(root))) @ root.T)
        slopes = own.slopes + error
        spread = np.sqrt(noise / (self.am + request.data.n_rows))
        level = own.level - error @ own.centre + spread * rng.standard_normal(n)
        return lines(request.parents, request.domains, level, list(slopes.T))

    def _pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """Level, slopes and noise integrated exactly."""
        own, z = self._regression(data, node, parents), data.standardised()
        off = z[:, parents] - own.centre
        left = z[:, node] - own.level - z[:, parents] @ own.slopes
        known = ((off @ own.inverse) * off).sum(axis=1) + 1 / (self.am + data.n_rows)
        log_noise = log(own.rest / 2) - digamma(own.freedom / 2)
        fit = left**2 * own.freedom / own.rest + known
        return np.asarray(-0.5 * (log(2 * pi) + log_noise + fit))

    def _regression(self, data: Dataset, node: Node, parents: Parents) -> "_Regression":
        """A posteriori, of a node on its parents."""
        each, scale = list(parents), self._posterior_scale(data)
        inverse = np.asarray(np.linalg.inv(scale[np.ix_(each, each)]), dtype=np.float64)
        slopes = inverse @ scale[each, node]
        rest = scale[node, node] - scale[node, each] @ slopes
        n, n_rows = data.n_variables, data.n_rows
        freedom = n_rows + self._prior_scale(n)[0] - n + len(each) + 1
        # Of each variable, a posteriori: rows that count for the node need not have a mean of 0.
        values = data.standardised()
        shown = np.zeros(n) if is_centred(values) else values.mean(axis=0)
        centre = (self.am * self.prior_mean + n_rows * shown) / (self.am + n_rows)
        level = float(centre[node] - slopes @ centre[each])
        return _Regression(inverse, slopes, float(rest), float(freedom), centre[each], level)

    def _closed_form(self, scale: Floats, families: NDArray[np.intp], n_rows: int) -> Floats:
        """The log marginals of families (m, p + 1), the node last, given the whole R (n, n)."""
        n, p = len(scale), families.shape[1] - 1
        aw, t = self._prior_scale(n)
        # Cholesky with the node last: its pivot squared is |R_family| / |R_parents|.
        factors = self._roots(scale[families[:, :, None], families[:, None, :]])
        pivots = 2 * np.log(np.diagonal(factors, axis1=1, axis2=2))
        log_parents, log_node = pivots[:, :-1].sum(axis=1), pivots[:, -1]
        prior_freedom = aw - n + p + 1  # of the family's marginal Wishart distribution
        freedom = n_rows + prior_freedom
        constant = (
            0.5 * log(self.am / (n_rows + self.am))
            - 0.5 * n_rows * log(pi)
            + gammaln(freedom / 2)
            - gammaln(prior_freedom / 2)
            + (prior_freedom + p) / 2 * log(t)
        )
        return np.asarray(constant - freedom / 2 * log_node - log_parents / 2)

    def _roots(self, scales: Floats) -> Floats:
        try:
            return np.asarray(np.linalg.cholesky(scales), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise EvidenceError(
                f"bge: rounding leaves nothing of the data beside am = {self.am:g} and prior_mean "
                f"= {self.prior_mean:g}; give numbers nearer to 1"
            ) from None

    def _prior_scale(self, n: int) -> tuple[float, float]:
        """aw and t for n variables."""
        aw = n + self.am + 1 if self.aw is None else self.aw
        if aw <= n + 1:
            raise OptionError(
                f"aw must exceed the number of variables plus one, {n + 1}; found {aw:g}"
            )
        return aw, self.am * (aw - n - 1) / (self.am + 1)

    def posterior_scale(self, values: Floats) -> Floats:
        """R = T + S + am N / (am + N) (nu - xbar)(nu - xbar)', of standardised values (N, n)."""
        n_rows, n = values.shape
        t = self._prior_scale(n)[1]
        mean = values.mean(axis=0)
        centred = values - mean
        shift = self.prior_mean - mean
        weight = self.am * n_rows / (self.am + n_rows)
        return np.asarray(t * np.eye(n) + centred.T @ centred + weight * np.outer(shift, shift))

    def _posterior_scale(self, data: Dataset) -> Floats:
        return MODELS.get(data, self, lambda: self.posterior_scale(data.standardised()))
