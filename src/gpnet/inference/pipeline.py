"""From a table to the posterior over DAGs: the whole line, in one place.

Dataset -> SearchSpace -> ScoreTable -> DagSample -> Posterior

A table with missing cells goes along it several times, completed anew each time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from gpnet.common.errors import OutOfTimeError
from gpnet.common.types import Floats
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.as_posterior import posterior_of
from gpnet.inference.bag import bagged
from gpnet.inference.choose_scales import Scales, choose_scales, compare_scales
from gpnet.inference.drawn_sets import RARE, DrawnSets, families
from gpnet.inference.first_answer import first_plan, told_as_first, with_the_rest, with_time_kept
from gpnet.inference.first_notes import first_notes, undriven_columns
from gpnet.inference.fit_relations import Fitter, relations_to_fit
from gpnet.inference.identified import identified_pairs
from gpnet.inference.importance_rounds import Prepared, Rounds, Weighted, weigh_unique_dags
from gpnet.inference.imputation import by_curves, by_lines, cells_to_draw
from gpnet.inference.left_out import MISSED, MOST_TO_SCORE, LeftOut, left_out
from gpnet.inference.model_checks import check_model, judge_model, most_probable_parents
from gpnet.inference.more_parents import larger
from gpnet.inference.orientation import with_open_directions
from gpnet.inference.pilot_answer import of_pilot, told_as_pilot
from gpnet.inference.plan import Plan
from gpnet.inference.pooling import Learnt, pooled
from gpnet.inference.record import record_of
from gpnet.inference.verdict import diagnose, of_replicates
from gpnet.posterior.learnt_tables import LearntTables
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.relations import FittedRelations
from gpnet.runtime.context import Notes, RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores import Score

LEAST_ADJACENT: Final = 0.05  # probability of an edge between two variables that may be one


def infer(given: Dataset, plan: Plan, context: RunContext, *, curves: bool = True) -> Posterior:
    """The posterior of these data, as planned; without `curves` no relations are fitted."""
    for text in first_notes(given, plan):
        context.notes.add(text)
    # One BLAS thread: workers have the cores already, and more of them wait for each other.
    with threadpool_limits(1), context.with_store() as within:
        try:
            early = replace(within, deadline=with_time_kept(within.deadline))
            return _as_told(_learnt(given, plan, early, curves=curves), given, plan)
        except OutOfTimeError as error:
            return _first_answer(given, plan, within, str(error), curves=curves)


def _learnt(given: Dataset, plan: Plan, context: RunContext, *, curves: bool) -> Learnt:
    if cells_to_draw(given).any():
        return _learn_imputed(given, plan, context, curves=curves)
    return _learn_table(_framed(given, plan, context), plan, context, curves=curves)


def _first_answer(
    given: Dataset, plan: Plan, context: RunContext, why: str, *, curves: bool
) -> Posterior:
    """Without a deadline, as it has been made small; on this machine, whoever else is busy."""
    quick = first_plan(plan, given)
    alone = replace(
        context,
        deadline=Deadline(),
        progress=lambda stage: context.progress(f"a first answer: {stage}"),
        notes=Notes(),
        cluster=None,
    )
    for text in first_notes(given, quick):
        alone.notes.add(text)
    learnt = _learnt(given, quick, alone, curves=curves)
    return told_as_first(_as_told(learnt, given, quick), quick, why)


def _as_told(learnt: Learnt, given: Dataset, plan: Plan) -> Posterior:
    """The posterior with its settings, the model's verdict, and directions left open."""
    judged = judge_model(learnt.posterior.checks, given, plan.kappa)
    posterior = replace(
        learnt.posterior,
        settings=record_of(given, learnt.tables[0].ranked, plan),
        tables=LearntTables(given, learnt.tables),
        diagnosis=replace(
            learnt.posterior.diagnosis, undriven=undriven_columns(given, plan), **judged
        ),
    )
    return with_open_directions(posterior, plan.kappa, plan.settings.seed)


@dataclass(frozen=True, eq=False)
class _Framed:
    """A table with the scales of its columns chosen, and the parent sets to consider."""

    data: Dataset
    space: SearchSpace
    scales: Scales | None  # None where there is nothing to choose


def _framed(given: Dataset, plan: Plan, context: RunContext) -> _Framed:
    scales = compare_scales(given, plan.score, context)
    data = choose_scales(given, scales, context.notes)
    choosing = context.within("choosing the search space")
    return _Framed(data, plan.space.build(data, plan.prior, choosing), scales)


def _learn_table(
    framed: _Framed, plan: Plan, context: RunContext, *, curves: bool, shown: bool = True
) -> Learnt:
    """The posterior of one table without gaps, if the model holds.

    Relations are fitted and checked only where they will be shown.
    """
    data = framed.data
    rescorer = Rescorer(data, plan.score, context)
    quick = Rescorer(data, plan.score.proposal(), context)
    weighted, missed = _drawn_of_all_that_matters(framed, plan, rescorer, quick, may_grow=shown)
    of_table = weighted
    if plan.n_replicates:
        weighted = bagged(
            weighted,
            rescorer,
            plan.sampler,
            framed.scales,
            n_replicates=plan.n_replicates,
            n_draws=plan.settings.draws,
            seed=plan.settings.seed,
        )
    known = _all_scored(weighted, rescorer)
    late = replace(rescorer, context=_with_all_its_time(context))
    checks = _checks(weighted, late, known) if shown else None
    fits, n_unfitted = _fits(weighted, late, known) if curves and shown else (None, 0)
    context.note_damage()
    diagnosis = diagnose(
        of_table,
        refine=plan.settings.refine,
        left_out=missed,
        warnings=tuple(context.notes),
        n_unfitted=n_unfitted,
    )
    diagnosis = told_as_pilot(diagnosis, of_table)
    if plan.n_replicates:
        diagnosis = of_replicates(diagnosis, weighted, plan.n_replicates)
    posterior = replace(
        posterior_of(weighted, known, diagnosis),
        fits=fits,
        checks=checks,
        identified=identified_pairs(data, plan.settings),
    )
    return Learnt(posterior, weighted.table, (data,))


def _with_all_its_time(context: RunContext) -> RunContext:
    """For what comes after the draws: no first answer will be needed any more."""
    return replace(context, deadline=with_the_rest(context.deadline))


def _drawn_of_all_that_matters(
    framed: _Framed, plan: Plan, rescorer: Rescorer, quick: Rescorer, *, may_grow: bool
) -> tuple[Weighted, LeftOut]:
    """Weighted draws, and what sets without a score could change; all have one where that is much.

    Unless they are too many, which the verdict then tells. Predictions fail where several parents
    do together what none of them does alone.
    """

    def drawn(framed: _Framed, plan: Plan) -> tuple[Weighted, LeftOut]:
        found = _drawn(framed, plan, rescorer, may_grow=may_grow)
        found = weigh_unique_dags(found) if plan.settings.refine else found
        return found, left_out(found, quick, plan.settings.seed)

    weighted, missed = drawn(framed, plan)
    few = missed.n_sets <= MOST_TO_SCORE
    if missed.largest_change <= MISSED or not few or rescorer.context.deadline.passed:
        return weighted, missed
    rescorer.context.notes.add(
        "parent sets that smaller ones predicted not to matter could have changed the probability "
        "of an edge: all were scored"
    )
    return drawn(replace(framed, space=weighted.table.space), replace(plan, prune=None))


def _drawn(framed: _Framed, plan: Plan, rescorer: Rescorer, *, may_grow: bool) -> Weighted:
    """Weighted draws from the space, or from a larger one where they lean on its border.

    Pilot draws may lean on it, or only those whose sets have accurate scores.
    """
    space, context = framed.space, rescorer.context
    score, prior, seed = plan.score.proposal(), plan.prior, plan.settings.seed

    def wider(sample: DagSample, weights: Floats | None = None) -> SearchSpace | None:
        if not may_grow or context.deadline.passed:
            return None
        weights = np.full(sample.n_draws, 1 / sample.n_draws) if weights is None else weights
        return larger(space, sample.dags, weights, plan, context.notes)

    scoring, drawn = DrawnSets(rescorer), dict[Family, Evidence]()  # of smaller spaces too
    pilot: DagSample | None = None
    known: ScoreTable | None = None
    last: Prepared | None = None  # whose pilot draws are the answer, if the time ends
    finished: Weighted | None = None  # in a smaller space: a better answer than pilot draws
    while True:
        try:
            table = tabulate(framed.data, space, score, prior, context, prune=plan.prune)
            rounds = _rounds(plan, rescorer, context, table)
            known = table.with_log_marginals(drawn | scoring.known)
            settled = rounds.settle(known, seed, pilot)
            drawn, pilot = drawn | settled.scored, settled.pilot
            last = Prepared(settled.table, pilot, scoring)
            grown = wider(pilot)
            if grown is None:
                last = rounds.prepare(settled.table, pilot, scoring)
                grown = wider(last.pilot or pilot)
            if grown is None:
                finished = weighted = rounds.run(last)
                grown = wider(weighted.sample, softmax(weighted.log_weights))
                if grown is None:
                    return weighted
        except OutOfTimeError:
            if finished is not None:
                return finished
            if last is None and known is not None:  # all is scored: quick draws are soon made
                at_last = replace(rounds, context=_with_all_its_time(context))
                last = Prepared(known, at_last.pilot(known, seed), scoring)
            if last is None or last.pilot is None:
                raise
            return of_pilot(last, last.pilot, rescored=rounds.rescorer is not None)
        space = grown


def _learn_imputed(given: Dataset, plan: Plan, context: RunContext, *, curves: bool) -> Learnt:
    """The same for a table with gaps: completed several times, and the posteriors pooled.

    Scales and search space are those of the first, so that all have the same parent sets.
    """
    asked, found = plan.settings.imputations, list[Learnt]()
    frame: _Framed | None = None
    for number in range(asked):
        one = _numbered(context, number, asked)
        try:
            data = by_lines(given, plan, one, number)
            frame = frame or _framed(data._with(gaps=None), plan, one)
            data = by_curves(data.by_ranks(frame.data.ranked), frame.space, plan, one, number)
            framed = replace(frame, data=data._with(gaps=None))
            learnt = _learn_table(framed, plan, one, curves=curves, shown=not found)
            frame = replace(frame, space=learnt.table.space)
        except OutOfTimeError:
            if not found:
                raise
            break
        if found and learnt.posterior.diagnosis.share_unscored:  # the time ended in the midst
            break
        found.append(learnt)
        if context.deadline.passed:
            break
    n_drawn = int(cells_to_draw(given).sum())
    return pooled(found, n_drawn=n_drawn, n_cells=given.values.size, asked=asked)


def _numbered(context: RunContext, number: int, asked: int) -> RunContext:
    """Whose stages tell which completed table they are for; notes are those of the first."""
    notes = Notes() if number else context.notes
    named = f"imputation {number + 1} of {asked}: "
    return replace(context, progress=lambda stage: context.progress(named + stage), notes=notes)


def _rounds(plan: Plan, rescorer: Rescorer, context: RunContext, table: ScoreTable) -> Rounds:
    settings = plan.settings
    accurate = _is_accurate(plan.score) and not table.predicted
    n_rounds = settings.rounds if settings.refine else 1
    seeds = np.random.SeedSequence(settings.seed).generate_state(n_rounds, np.uint64)
    return Rounds(
        plan.sampler,
        None if accurate else rescorer,
        settings.draws,
        seeds.tolist(),
        context,
    )


def _all_scored(weighted: Weighted, rescorer: Rescorer) -> dict[Family, Evidence]:
    """The parent sets of the draws, but those that there was no time for.

    Nor rare ones of replicates, unless the scores of the table are those that are meant.
    """
    enough = 0 if _is_accurate(rescorer.score) else RARE * weighted.sample.n_draws
    drawn = [family for family, n in families(weighted.sample).items() if n >= enough]
    missing = [family for family in drawn if family not in weighted.rescored]
    found = rescorer.rescore([], roughly=missing) if missing else {}
    return weighted.rescored | found


def _is_accurate(score: Score) -> bool:
    """Whether tables are filled with the scores that are meant."""
    return score.fingerprint == score.proposal().fingerprint


def _fits(
    weighted: Weighted, rescorer: Rescorer, known: Mapping[Family, Evidence]
) -> tuple[FittedRelations, int]:
    """The relations behind the probable edges, and how many there was no time for."""
    asked = relations_to_fit(weighted.sample.dags, softmax(weighted.log_weights))
    data, score, context = rescorer.data, rescorer.score, rescorer.context
    fits = Fitter(data, score, rescorer.hints, known, context).fit(asked)
    return fits, len(asked) - len(fits.node)


def _checks(
    weighted: Weighted, rescorer: Rescorer, known: Mapping[Family, Evidence]
) -> ModelChecks | None:
    """Of each variable with its most probable parents."""
    dags, weights = weighted.sample.dags, softmax(weighted.log_weights)
    modelled = [v for v in range(dags.shape[1]) if not rescorer.data.is_exogenous(v)]
    likely = {node: most_probable_parents(dags, weights, node) for node in modelled}
    adjacent = np.tensordot(weights, dags | dags.swapaxes(1, 2), 1) > LEAST_ADJACENT
    data, score, context = rescorer.data, rescorer.score, rescorer.context
    return check_model(data, score, likely, adjacent, known, rescorer.hints, context)
