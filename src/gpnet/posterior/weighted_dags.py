"""Weighted DAGs: what a posterior holds, checked however it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import count
from gpnet.common.types import Floats
from gpnet.common.validation import (
    LARGEST,
    check_finite,
    check_local_scores,
    check_shape,
    check_weights,
    checked_names,
    freeze,
)
from gpnet.graphs.distinct import distinct
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.learnt_tables import LearntTables, TablesFile
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.recorded_settings import checked_settings
from gpnet.posterior.relations import FittedRelations
from gpnet.stats.estimates import beta_sd
from gpnet.stats.importance_weights import effective_sample_size
from gpnet.stats.weighted_draws import WeightedDraws

PER_DRAW: Final = {
    "log_weights": np.float64,
    "log_target": np.float64,
    "chain": np.int32,
    "gammas": np.float64,
}


@dataclass(frozen=True, eq=False, repr=False)
class WeightedDags:
    """Weighted draws of DAGs and what goes with them; all arrays are read-only."""

    names: tuple[str, ...]
    dags: NDArray[np.bool_]  # (M, n, n), dag[parent, child]
    log_weights: Floats  # (M,), normalised: the weights sum to 1
    log_target: Floats  # (M,): log marginals + log prior of each DAG
    chain: NDArray[np.int32]  # (M,): from which of the chains
    independent: bool  # whether the draws are
    local_scores: LocalScores
    gammas: Floats | None = None  # (M,): the edge penalty of each draw, where it is learned
    missing_mass: float | None = None  # of DAGs never drawn, where the drawn weigh their score
    settings: Mapping[str, Any] = field(default_factory=dict)  # enough to repeat the run
    diagnosis: Diagnosis = field(default_factory=Diagnosis)  # numbers and a verdict
    fits: FittedRelations | None = (
        None  # the relations behind the probable edges, where they were fitted
    )
    checks: ModelChecks | None = None  # whether the model fits, where it was looked at
    # (M0,): the log weights of the first M0 draws if the model holds. The others are these draws
    # again with other directions, see `inference.orientation`
    plain_log_weights: Floats | None = None
    # (n, n), symmetric: pairs whose direction experiments or knowledge tell; None for none
    identified: NDArray[np.bool_] | None = None
    # What it was learnt from, where that is at hand; never in the posterior's own file
    tables: LearntTables | TablesFile | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        object.__setattr__(self, "settings", checked_settings(self.settings))
        object.__setattr__(self, "diagnosis", Diagnosis.of(self.diagnosis))
        if not isinstance(self.independent, bool):
            raise OptionError(f"independent: expected True or False, found {self.independent!r}")
        per_draw = {name: t for name, t in PER_DRAW.items() if getattr(self, name) is not None}
        freeze(self, {"dags": np.bool_, **per_draw})
        m, n = self.log_weights.size, self.n_variables
        check_shape("dags", self.dags, (m, n, n))
        for name in per_draw:
            check_shape(name, getattr(self, name), (m,))
            check_finite(name, getattr(self, name), largest=LARGEST)
        if (self.chain < 0).any():
            raise OptionError(f"chain: expected numbers from 0, found {self.chain.min()}")
        check_weights(self.log_weights)
        if self.missing_mass is not None and not 0 < self.missing_mass <= 1:
            raise OptionError(f"missing_mass: a probability above 0, found {self.missing_mass}")
        check_shape(
            "local_scores.parents", self.local_scores.parents, (len(self.local_scores.node), n)
        )
        check_local_scores(self.names, self.dags, self._draws.sets)
        at_most = self.diagnosis.nodes_at_max_parents
        if at_most is not None:
            check_shape("diagnosis.nodes_at_max_parents", np.asarray(at_most), (n,))
        if self.checks is not None:
            check_shape("checks.parents", self.checks.parents, (n, n))
        if self.plain_log_weights is not None:
            self._check_plain_weights()
        if self.fits is not None:
            check_shape("fits.parents", self.fits.parents, (len(self.fits.node), n))
        if self.identified is not None:
            freeze(self, {"identified": np.bool_})
            check_shape("identified", self.identified, (n, n))
            if not np.array_equal(self.identified, self.identified.T):
                raise OptionError("identified: expected a symmetric matrix")

    def _check_plain_weights(self) -> None:
        freeze(self, {"plain_log_weights": np.float64})
        assert self.plain_log_weights is not None  # noqa: S101, for the types
        check_shape("plain_log_weights", self.plain_log_weights, (self.plain_log_weights.size,))
        check_finite("plain_log_weights", self.plain_log_weights, largest=LARGEST)
        check_weights(self.plain_log_weights)
        if self.plain_log_weights.size > self.n_draws:
            raise OptionError(f"plain_log_weights: expected at most {self.n_draws}, one a draw")

    def __repr__(self) -> str:
        of, drawn = count(self.n_variables, "variable"), count(self.n_draws, "draw")
        return f"<{type(self).__name__} of {of}: {drawn}, ess {self.ess:.4g}>"

    @property
    def n_draws(self) -> int:
        """M, of all chains together."""
        return len(self.dags)

    @property
    def n_variables(self) -> int:
        """The number of nodes."""
        return len(self.names)

    @property
    def weights(self) -> Floats:
        """(M,), summing to 1."""
        return self._draws.weights

    @property
    def ess(self) -> float:
        """The effective sample size of the weights; autocorrelation does not enter."""
        return effective_sample_size(self.log_weights)

    # Worked out once

    @cached_property
    def _draws(self) -> WeightedDraws:
        whole = WeightedDraws(
            self.log_weights,
            self.log_target,
            self.chain,
            self.independent,
            self.local_scores.places(self.dags),
            self.local_scores.std_error,
            self.missing_mass,
            differing=(self.diagnosis.imputations or self.diagnosis.replicates or 1) > 1,
            errors_known=self.local_scores.errors_known,
        )
        if self.plain_log_weights is None:
            return whole
        m = len(self.plain_log_weights)
        first = replace(
            whole,
            log_weights=self.plain_log_weights,
            log_target=whole.log_target[:m],
            chain=whole.chain[:m],
            sets=whole.sets[:, :m],
        )
        return replace(whole, drawn=first)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        return distinct(self.dags)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:
        return self._probabilities(self.dags)

    def _probabilities(self, graphs: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """(n, n) each: probabilities and standard errors of what graphs (M, n, n) say."""
        n = self.n_variables
        p, n_effective = self._draws.probabilities(graphs.reshape(self.n_draws, -1))
        std_error = beta_sd(p, n_effective).reshape(n, n)
        np.fill_diagonal(std_error, 0)
        return p.reshape(n, n), std_error

    @cached_property
    def _labels(self) -> pd.Index:
        return pd.Index(self.names, dtype=object)

    def _frame(self, values: NDArray[Any]) -> pd.DataFrame:
        parent, child = self._labels.rename("parent"), self._labels.rename("child")
        return pd.DataFrame(values.copy(), index=parent, columns=child)
