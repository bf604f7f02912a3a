"""Whether the model fits: residuals of each variable against its parents and against all others.

Where the model is right, the residuals of a variable are independent of its parents, and of the
residuals of the others. Dependence on a parent means that the relation is of another kind than the
model knows, or points the other way. Related residuals of two variables that are not adjacent hint
at an edge that was missed, or at a common cause that is not in the table.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from gpnet.common.messages import quote, quoted
from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.data.sampled_rows import sampled_rows
from gpnet.data.ties import distinct_values
from gpnet.data.transforms import normal_scores
from gpnet.gp.evidence import Evidence
from gpnet.graphs.distinct import distinct_rows
from gpnet.inference.fit_relations import rows_shown
from gpnet.posterior.diagnosis import NO_DOUBT
from gpnet.posterior.model_checks import ModelChecks
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Countdown
from gpnet.score_table.rescore import Family
from gpnet.scores import Fit, Score
from gpnet.stats.independence import MOST_ROWS, Distances, independence_p_value

MOST_CHECKED: Final = 2**16  # rows: of more, what shows in all alone is too small to matter
MOST_PAIRS: Final = 3  # that are told in words
DISTINCT: Final = 0.95  # of the rows: where fewer values are, the column is rounded


def check_model(
    data: Dataset,
    score: Score,
    families: Mapping[Node, Parents],
    adjacent: Dag,
    known: Mapping[Family, Evidence],
    hints: Callable[[Node, Parents], Mapping[Parents, Evidence]],
    context: RunContext,
) -> ModelChecks | None:
    """Of each node with these parents; None for a score without residuals, or out of time.

    Exogenous variables are in no family, and have nan for all numbers.

    `adjacent` (n, n), symmetric, says which pairs have any probability of an edge.
    """
    n, rows = data.n_variables, sampled_rows(data.n_rows, MOST_CHECKED)
    fits = _fits(data, score, families, known, hints, context, rows)
    if fits is None:
        return None
    residuals, fitted = np.full((2, n, len(rows)), np.nan)
    for node, fit in fits.items():
        residuals[node], fitted[node] = fit.residuals, fit.fitted
    graph = np.zeros((n, n), dtype=bool)
    for node, parents in families.items():
        graph[list(parents), node] = True
    other, other_p = _against_others(residuals, adjacent | graph | graph.T)
    shown = np.searchsorted(rows, rows_shown(data.n_rows))  # which are the first of the sample
    evidence_of = [known.get((v, families[v])) if v in families else None for v in range(n)]
    return ModelChecks(
        parents=graph.T,
        **{name: _numbers(evidence_of, name) for name in ("linear", "shaped", "varying")},
        fitted=np.array([data.to_units(v, one[shown]) for v, one in enumerate(fitted)]),
        residual=residuals[:, shown],
        parent_p=_against_parents(residuals, rows, data, graph),
        other=other,
        other_p=other_p,
    )


def fit_family(
    data: Dataset, score: Score, family: Family, hints: Mapping[Parents, Evidence]
) -> Fit | None:
    """What a worker does, wherever it is."""
    return score.fit(data, *family, hints)


def _fits(
    data: Dataset,
    score: Score,
    families: Mapping[Node, Parents],
    known: Mapping[Family, Evidence],
    hints: Callable[[Node, Parents], Mapping[Parents, Evidence]],
    context: RunContext,
    rows: NDArray[np.intp],
) -> dict[Node, Fit] | None:
    """Of all nodes, in these rows; None for a score that has no fits, or out of time."""
    fits: dict[Node, Fit] = {}
    countdown = Countdown([len(families)], context.progress("checking the model"))

    def submit(family: Family) -> "Future[Fit | None]":
        more = {family[1]: known[family]} if family in known else {}
        return context.scorers.submit(fit_family, data, score, family, {**hints(*family), **more})

    def keep(family: Family, fit: Fit | None) -> None:
        if fit is not None:
            fits[family[0]] = Fit(fit.fitted[rows], fit.residuals[rows])
            countdown.advance(0, 1, computed=True)

    with threadpool_limits(1):  # as for curves: the same bits, whoever fits
        context.scorers.in_order(families.items(), submit, keep, context.deadline)
    return fits if len(fits) == len(families) and not context.deadline.passed else None


def most_probable_parents(dags: NDArray[np.bool_], weights: Floats, node: Node) -> Parents:
    """Of a node, in weighted DAGs (M, n, n)."""
    first, place = distinct_rows(dags[:, :, node])
    best = first[np.argmax(np.bincount(place, weights=weights))]
    return tuple(np.flatnonzero(dags[best, :, node]).tolist())


# Words


def judge_model(checks: ModelChecks | None, data: Dataset, kappa: float) -> dict[str, Any]:
    """For the diagnosis: whether the model fits, and how often directions are left open."""
    names = data.names
    misfitting = [names[v] for v in checks.misfitting()] if checks else []
    numbers = {
        "misfitting": misfitting,
        "rounded": [names[v] for v in rounded_columns(data)],
        "doubt_throughout": kappa,
        "doubt": _doubt(kappa),
    }
    if checks is None:
        return numbers
    return {
        **numbers,
        "model_fits": not misfitting,
        "model_verdict": " ".join(_verdict(checks, misfitting, names)),
    }


def rounded_columns(data: Dataset) -> list[Node]:
    """Modelled columns in which values repeat, as they hardly do in continuous ones.

    Of rows in which nobody set the variable: experiments set few values.
    """
    modelled = [v for v in range(data.n_variables) if not data.is_exogenous(v)]
    columns = {v: _measured(data.rows_of(v), v) for v in modelled}
    return [v for v, x in columns.items() if len(distinct_values(x)[0]) < DISTINCT * len(x)]


def _measured(data: Dataset, node: Node) -> Floats:
    """The values that are not filled in for missing ones."""
    x = data.values[:, node]
    return x if data.gaps is None else x[~data.gaps[:, node]]


def _doubt(kappa: float) -> str:
    if not kappa:
        return NO_DOUBT
    return (
        "On real tables of known order the model told directions little better than a coin. So "
        f"with probability {kappa:.3g} the direction of an edge is left open: an arrow that "
        f"neither an experiment nor knowledge tells has at most {1 - kappa / 2:.3g}."
    )


def _verdict(checks: ModelChecks, misfitting: list[str], names: Sequence[str]) -> Iterator[str]:
    if misfitting:
        has, its = ("does", "its") if len(misfitting) == 1 else ("do", "their")
        yield (
            f"{quoted(misfitting)} {has} not fit the model: {its} residuals still depend on {its} "
            "parents."
        )
    elif checks.parents.any():
        yield "The model fits: residuals do not depend on the parents."
    else:
        yield "There is nothing to check: no variable has a probable parent."
    pairs = [f"{quote(names[v])} and {quote(names[w])}" for v, w in checks.related()]
    if pairs:
        named = "; of ".join(pairs[:MOST_PAIRS])
        yield (
            f"The residuals of {named} are related, although they are not adjacent: a common cause "
            "may be missing from the table, or an edge from the graph."
        )


# Tests


def _numbers(evidence: list[Evidence | None], name: str) -> Floats:
    return np.array([getattr(one, name) if one else np.nan for one in evidence])


def _against_parents(
    residuals: Floats, checked: NDArray[np.intp], data: Dataset, graph: Dag
) -> Floats:
    """(n,): the smallest p-value over the parents, corrected for all tests of the table.

    In rows that count for the node: it has residuals there.
    """
    values = data.standardised()
    n_tests = int(graph.sum())
    found = np.full(len(graph), np.nan)
    columns: dict[tuple[Node, bytes], Distances] = {}
    for node in np.flatnonzero(graph.any(axis=0)).tolist():
        counting = np.flatnonzero(np.isfinite(residuals[node]))
        rows = counting[rows_shown(len(counting), MOST_ROWS)]
        own = Distances.of(normal_scores(residuals[node, rows]))
        p_values = []
        for parent in np.flatnonzero(graph[:, node]).tolist():
            key = parent, rows.tobytes()
            if key not in columns:
                x = values[checked[rows], parent]
                levels = parent in data.categorical
                columns[key] = Distances.of_levels(x) if levels else Distances.of(normal_scores(x))
            p_values.append(independence_p_value(own, columns[key]))
        found[node] = min(1.0, n_tests * min(p_values))
    return found


def _against_others(residuals: Floats, adjacent: Dag) -> tuple[NDArray[np.int32], Floats]:
    """Of each node the other, not adjacent, with the most correlated normal scores; p-values.

    Of n independent rows, atanh of a correlation is nearly N(0, 1 / (n - 3)).
    """
    n = len(residuals)
    there = np.isfinite(residuals)  # not where a node was set, or is exogenous
    scores = np.zeros(residuals.shape)
    for one, mine, rows in zip(residuals, scores, there, strict=True):
        if rows.any():
            mine[rows] = normal_scores(one[rows])
    common = there.astype(float)
    squares = (scores**2) @ common.T  # [v, w]: of v, over the rows of both
    correlation = scores @ scores.T / np.sqrt(np.maximum(squares * squares.T, 1e-300))
    n_rows = common @ common.T
    size = np.abs(np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12)))
    size *= np.sqrt(np.maximum(n_rows - 3, 1))
    apart = ~(adjacent | np.eye(n, dtype=bool)) & (n_rows > 3)
    n_tests = int(apart.sum()) // 2
    other = np.argmax(np.where(apart, size, -1.0), axis=1)
    p = 2 * ndtr(-size[np.arange(n), other])
    has = apart.any(axis=1)
    corrected = np.where(has, np.minimum(n_tests * p, 1.0), np.nan)
    return np.where(has, other, -1).astype(np.int32), corrected
