"""One posterior of several completed tables: a mixture in equal parts.

Its draws are those of all tables, numbered in `chain` by their table. Log marginal likelihoods of
one parent set differ from table to table; the mean of them is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.messages import count
from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.between_tables import WORST_ERROR, BetweenTables, between_tables
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.local_scores import PROBABILITIES, LocalScores
from gpnet.posterior.posterior import Posterior
from gpnet.score_table.rescore import Family
from gpnet.score_table.table import ScoreTable

FEW_TABLES: Final = 2  # below which nothing is known of how much they differ


@dataclass(frozen=True, eq=False)
class Learnt:
    """The posterior of a table, without doubt, and the score table behind it."""

    posterior: Posterior
    table: ScoreTable
    tables: tuple[Dataset, ...]  # completed, with the scales that were learnt from


def pooled(found: Sequence[Learnt], *, n_drawn: int, n_cells: int, asked: int) -> Learnt:
    """Of completed tables in one search space; `n_drawn` of `n_cells` cells were missing.

    Relations, checks and the numbers of the diagnosis are those of the first.
    """
    first, m = found[0].posterior, len(found)
    scores = _merged_scores([one.posterior.local_scores for one in found])
    table = _mean_table([one.table for one in found], scores)
    parts = [_part(one, table, number, m) for number, one in enumerate(found)]
    diagnosis = diagnosis_of(found, n_drawn=n_drawn, n_cells=n_cells, asked=asked)
    posterior = replace(
        first,
        dags=np.concatenate([part.dags for part in parts]),
        log_weights=np.concatenate([part.log_weights for part in parts]),
        log_target=np.concatenate([part.log_target for part in parts]),
        chain=np.concatenate([part.chain for part in parts]),
        gammas=None
        if first.gammas is None
        else np.concatenate([np.asarray(part.gammas) for part in parts]),
        independent=False,
        missing_mass=None,
        local_scores=scores,
        diagnosis=diagnosis,
    )
    tables = tuple(data for one in found for data in one.tables)
    return Learnt(posterior, table, tables)


@dataclass(frozen=True, eq=False)
class _Part:
    """What one table brings to the draws."""

    dags: NDArray[np.bool_]
    log_weights: Floats
    log_target: Floats
    chain: NDArray[np.int32]
    gammas: Floats | None


def _part(learnt: Learnt, mean: ScoreTable, number: int, n_tables: int) -> _Part:
    one = learnt.posterior
    # What a prior adds for the DAG as a whole is in no table.
    of_whole = one.log_target - learnt.table.log_scores_of(one.dags)
    return _Part(
        one.dags,
        one.log_weights - np.log(n_tables),
        mean.log_scores_of(one.dags) + of_whole,
        np.full(one.n_draws, number, dtype=np.int32),
        one.gammas,
    )


# Scores


def _mean_table(tables: Sequence[ScoreTable], visited: LocalScores) -> ScoreTable:
    """The mean of the log marginals; of what was visited, of those that visited it."""
    first = tables[0]
    means = [
        np.mean([table.nodes[v].log_marginals for table in tables], axis=0)
        for v in range(first.n_variables)
    ]
    priors = [scores.log_priors for scores in first.nodes]
    known = [
        np.all([table.nodes[v].computed for table in tables], axis=0)
        for v in range(first.n_variables)
    ]
    predictions = [np.where(k, np.nan, mean) for k, mean in zip(known, means, strict=True)]
    table = ScoreTable.assemble(first.names, first.space, means, priors, predictions)
    met = zip(_families(visited), visited.log_marginal.tolist(), strict=True)
    return table.with_log_marginals({one: Evidence(value, 0.0, "mean") for one, value in met})


def _families(scores: LocalScores) -> Iterator[Family]:
    for node, parents in zip(scores.node.tolist(), scores.parents, strict=True):
        yield node, tuple(np.flatnonzero(parents).tolist())


def _merged_scores(parts: Sequence[LocalScores]) -> LocalScores:
    """Each parent set once: means, and the standard error of a mean."""
    node = np.concatenate([part.node for part in parts])
    parents = np.concatenate([part.parents for part in parts])
    keys = np.column_stack([node, parents])
    unique, place, n = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    place = place.reshape(-1)

    def together(name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in parts])

    squares = np.bincount(place, weights=np.nan_to_num(together("std_error")) ** 2)
    n_known = np.bincount(place, weights=np.isfinite(together("std_error")))
    with np.errstate(divide="ignore", invalid="ignore"):
        std_error = np.where(n_known > 0, np.sqrt(squares) / n_known, np.nan)
    return LocalScores(
        unique[:, 0].astype(np.int32),
        unique[:, 1:].astype(bool),
        np.bincount(place, weights=together("log_marginal")) / n,
        std_error,
        *(_means(place, together(name)) for name in PROBABILITIES),
    )


def _means(place: NDArray[np.intp], values: Floats) -> Floats:
    """By place, of what is known; nan where nothing is."""
    known = np.isfinite(values)
    n = np.bincount(place, weights=known)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.bincount(place, weights=np.where(known, values, 0.0)) / n
    return np.clip(means, 0.0, 1.0)  # beyond them only by rounding


# Words


def diagnosis_of(found: Sequence[Learnt], *, n_drawn: int, n_cells: int, asked: int) -> Diagnosis:
    """That of the first table, with what the others and their mean add to it."""
    first, m = found[0].posterior.diagnosis, len(found)
    apart = between_tables([one.posterior for one in found])
    others = (*_problems_of_others(found), *_too_few_tables(apart, asked))
    problems = (*(first.problems or ()), *others)
    return replace(
        first,
        converged=not problems,
        problems=problems,
        verdict=_verdict(first, others, apart),
        notes=(*(first.notes or ()), _note(n_drawn, n_cells, asked, apart)),
        imputations=m,
        cells_imputed=n_drawn,
        imputations_differ_by=apart.differ_by,
        imputations_variance_share=apart.share,
        imputations_std_error=apart.std_error,
        imputations_disputed=apart.disputed,
    )


def _verdict(first: Diagnosis, others: Sequence[str], apart: BetweenTables) -> str:
    """That of the first table, unless others or their mean have something against it."""
    of_first = f" (the first of {count(apart.n_tables, 'completed table')})."
    verdict = (first.verdict or "").removesuffix(".")
    if not others:
        head, colon, rest = verdict.partition(":")
        if first.converged and apart.disputed:
            head += f", as a mean over completed tables that differ by up to {apart.differ_by:.2f}"
        return f"{head}{colon}{rest}{of_first}"
    if first.problems:
        return f"{verdict}{of_first} Besides, {'; besides, '.join(others)}."
    return f"Not converged: {'; besides, '.join(others)}."


def _too_few_tables(apart: BetweenTables, asked: int) -> Iterator[str]:
    """Other completed tables would give another mean; from one, nobody knows which."""
    if apart.n_tables < FEW_TABLES <= asked:
        yield (
            f"the time budget ended after one completed table of {asked}, so that nobody knows how "
            "much the gaps matter; run again with a larger time budget, the scores are kept"
        )
    if apart.std_error > WORST_ERROR:
        yield (
            f"the completed tables disagree, and the mean over {apart.n_tables} of them has a "
            f"standard error of up to {apart.std_error:.2f} in the probability of an edge, more "
            f"than {WORST_ERROR:g}; take more of them, as in --imputations {apart.more_tables} (in "
            f"Python imputations={apart.more_tables}), or fill gaps"
        )


def _problems_of_others(found: Sequence[Learnt]) -> Iterator[str]:
    """Tables differ by right, but each has to have converged."""
    others = [
        (number, problem)
        for number, one in enumerate(found[1:], start=2)
        for problem in (one.posterior.diagnosis.problems or ())[:1]
    ]
    if others:
        number, problem = others[0]
        yield f"{count(len(others), 'further table')}, the first number {number}: {problem}"


def _note(n_drawn: int, n_cells: int, asked: int, apart: BetweenTables) -> str:
    m = apart.n_tables
    missing = f"{n_drawn:,} of {count(n_cells, 'cell')} were missing and are drawn"
    told = (
        f"{missing} anew in each of {m} completed tables; probabilities of edges differ by up to "
        f"{apart.differ_by:.2f} between these, where {apart.share:.0%} of the variance of edges "
        "lies"
    )
    if m < FEW_TABLES:
        told = (
            f"{missing} in one completed table: how much this matters is not known, and not in the "
            "error bars"
        )
    if m < asked:
        told += f"; there was no time for the other {asked - m} of {asked} (imputations)"
    return told
