"""The BGe score: linear Gaussian networks in closed form.

Geiger & Heckerman (2002), with the correction of Kuipers, Moffa & Heckerman (2014).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, pi
from typing import Self

import numpy as np
from scipy.special import gammaln

from gpnet.dataset import Dataset
from gpnet.errors import OptionError
from gpnet.gp.evidence import Evidence
from gpnet.scores.base import Score, ScoreSettings
from gpnet.types import Floats, Node, Parents


@dataclass(frozen=True)
class BgeScore(Score):
    """Normal data, mean ~ N(nu, (am W)^-1), precision W ~ Wishart(aw, T^-1), T = t I.

    t = am (aw - n - 1) / (am + 1) gives each variable a prior predictive variance of 1, as fits
    standardised data.
    """

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

    def log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """In closed form, so that hints are idle."""
        return [self._closed_form(data, node, parents) for parents in parent_sets]

    def _closed_form(self, data: Dataset, node: Node, parents: Parents) -> Evidence:
        n_rows, n = data.values.shape
        aw = n + self.am + 1 if self.aw is None else self.aw
        if aw <= n + 1:
            raise OptionError(
                f"aw must exceed the number of variables plus one, {n + 1}; found {aw:g}"
            )
        t = self.am * (aw - n - 1) / (self.am + 1)
        family = [*parents, node]
        posterior = self._posterior_scale(data.standardised()[:, family], t)
        # Cholesky with the node last: its pivot squared is |R_family| / |R_parents|.
        pivots = 2 * np.log(np.diagonal(np.linalg.cholesky(posterior)))
        log_parents, log_node = pivots[:-1].sum(), pivots[-1]
        p = len(parents)
        prior_freedom = aw - n + p + 1  # of the family's marginal Wishart law
        freedom = n_rows + prior_freedom
        value = (
            0.5 * log(self.am / (n_rows + self.am))
            - 0.5 * n_rows * log(pi)
            + gammaln(freedom / 2)
            - gammaln(prior_freedom / 2)
            + (prior_freedom + p) / 2 * log(t)
            - freedom / 2 * log_node
            - log_parents / 2
        )
        return Evidence(float(value), 0.0, "bge", n_evaluations=1)

    def _posterior_scale(self, values: Floats, t: float) -> Floats:
        """R = T + S + am N / (am + N) (nu - xbar)(nu - xbar)', over the family's columns."""
        n_rows, size = values.shape
        mean = values.mean(axis=0)
        centred = values - mean
        shift = self.prior_mean - mean
        weight = self.am * n_rows / (self.am + n_rows)
        return np.asarray(t * np.eye(size) + centred.T @ centred + weight * np.outer(shift, shift))
