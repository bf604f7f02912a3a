"""How a posterior came out: a verdict in words, and the numbers behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import nan
from typing import Any, Final, Self

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.common.strict_json import finite
from gpnet.common.typed_values import (
    Check,
    each,
    flag,
    mapping,
    number,
    text,
    unless_none,
    whole,
)

NO_DOUBT: Final = "Directions are as sure as the model is right: no doubt about it was put in."


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """Whether an answer can be trusted. What is None was not asked or does not apply.

    `posterior.diagnosis.verdict` and, as in summary.json, `posterior.diagnosis["verdict"]`.

    Examples
    --------
    >>> import gpnet
    >>> table = gpnet.simulate(nodes=3, rows=50, seed=1)
    >>> diagnosis = gpnet.learn(table.frame(), score="bge", draws=500).diagnosis
    >>> diagnosis.converged, diagnosis.draws, diagnosis.problems
    (True, 500, ())
    """

    converged: bool | None = None
    verdict: str | None = None  # one sentence, ending in what to do where there is something
    problems: tuple[str, ...] | None = None  # why it has not converged, each with its remedy
    notes: tuple[str, ...] | None = None  # what is restricted or approximate, with its size
    first_answer: bool | None = None  # whether the time budget ended before there was another
    undriven: tuple[str, ...] | None = None  # ages and the like that arrows may lead into
    # The model, and doubt about directions
    model_fits: bool | None = None
    model_verdict: str | None = None  # one sentence
    misfitting: tuple[str, ...] | None = None  # variables whose residuals depend on their parents
    rounded: tuple[str, ...] | None = None  # variables whose values repeat
    doubt: str | None = None  # in a sentence or some
    doubt_throughout: float | None = None  # probability that a direction is left open
    # In files of an older gpnet alone, which had more doubt where columns are rounded or misfit
    doubt_on_misfit: float | None = None
    doubt_worth_if_rounded: float | None = None
    doubt_if_rounded: float | None = None
    replicates: int | None = None  # of the table that were averaged over; pairs are chains
    # Draws and their weights
    draws: int | None = None
    distinct_dags: int | None = None
    effective_share: float | None = None  # effective sample size of the weights / draws
    effective_size: float | None = None  # effective sample size of the weights
    k_hat: float | None = None  # Pareto shape of the largest weights
    missing_mass: float | None = None  # of DAGs never drawn, where the drawn weigh their score
    rounds: tuple[Mapping[str, Any], ...] | None = None  # share, k-hat and new sets of each
    # Chains
    independent: bool | None = None  # whether the draws are
    chains: int | None = None
    max_r_hat: float | None = None  # of an edge
    r_hat_log_target: float | None = None
    min_effective_draws: float | None = None  # effective sample size of an edge
    effective_draws_log_target: float | None = None
    chains_differ_by: float | None = None  # in the probability of an edge
    disputed_edges: tuple[str, ...] | None = None  # in which they do by more than 0.1, worst first
    # What was restricted
    max_parents: int | None = None
    share_at_max_parents: float | None = None  # of the posterior: some node has so many
    nodes_at_max_parents: tuple[float, ...] | None = None
    space_restricted: bool | None = None
    most_candidates: int | None = None
    share_from_outside: float | None = None  # of the posterior: some parent is a plus-one parent
    # Scores
    sets_in_table: int | None = None  # that were scored
    sets_left_out: int | None = None  # as smaller sets predict that they cannot matter
    left_out_change: float | None = None  # of an edge's probability, at most; an estimate
    sets_scored_again: int | None = None
    sets_with_doubtful_score: int | None = None
    share_with_doubtful_score: float | None = None
    largest_score_error: float | None = None
    share_unscored: float | None = None  # of the weight: for lack of time
    relations_unfitted: int | None = None  # for lack of time
    # Missing cells
    imputations: int | None = None  # completed tables; `chain` of a posterior is their number
    cells_imputed: int | None = None  # in each
    imputations_differ_by: float | None = None  # in the probability of an edge
    imputations_variance_share: float | None = None  # of the variance of edges: between tables
    imputations_std_error: float | None = None  # of a mean over tables: the largest of an edge
    imputations_disputed: tuple[str, ...] | None = None  # edges that differ by more than 0.5

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                checked = _CHECKS[field.type](f"diagnosis.{field.name}", value)
                object.__setattr__(self, field.name, checked)

    @classmethod
    def of(cls, record: "Mapping[str, Any] | Diagnosis") -> Self:
        """From what `record` made.

        Parameters
        ----------
        record : mapping or Diagnosis
            By name; None stands for a number that is not finite.

        Returns
        -------
        Diagnosis
            With all else unknown.

        Examples
        --------
        >>> from gpnet import Diagnosis
        >>> Diagnosis.of({"converged": True, "draws": 10}).draws
        10
        """
        if isinstance(record, cls):
            return record
        if not isinstance(record, Mapping):
            raise OptionError(f"diagnosis: expected a mapping, found {quote(record)}")
        known = {field.name: field.type for field in fields(cls)}
        for name in record:
            if name not in known:
                raise OptionError(
                    f"diagnosis: no entry {quote(name)}: {suggestion(name, [*known])}"
                )
        values: dict[str, Any] = dict(record)
        for name, value in record.items():
            if value is None and known[name] == (float | None):
                values[name] = nan
        return cls(**values)

    def record(self) -> dict[str, Any]:
        """As JSON holds it, which has no nan or infinity: null stands for them.

        Returns
        -------
        dict
            Of all that is known, by name.

        Examples
        --------
        >>> from gpnet import Diagnosis
        >>> Diagnosis(converged=True, k_hat=float("inf")).record()
        {'converged': True, 'k_hat': None}
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: finite(value) for name, value in values.items() if value is not None}

    def __getitem__(self, name: str) -> Any:
        return self.record()[name]


def _round(name: str, value: Any) -> dict[str, Any]:
    """Numbers by name, as they are; None for one that is not finite."""
    found = mapping(name, value)
    for one in found.values():
        unless_none(number)(name, one)
    return found


_CHECKS: Final[dict[Any, Check]] = {
    bool | None: flag,
    str | None: text,
    int | None: whole,
    float | None: number,
    tuple[str, ...] | None: each(text),
    tuple[float, ...] | None: each(number),
    tuple[Mapping[str, Any], ...] | None: each(_round),
}
