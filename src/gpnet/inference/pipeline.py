"""From a table to the posterior over DAGs: the whole line, in one place.

Dataset -> SearchSpace -> ScoreTable -> DagSample -> Posterior
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from scipy.special import logsumexp, softmax

from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.choose_scales import choose_scales
from gpnet.inference.doubt import rounded_columns, with_doubt
from gpnet.inference.fit_relations import Fitter, relations_to_fit
from gpnet.inference.importance_rounds import Rounds, Weighted, families, weigh_unique_dags
from gpnet.inference.model_checks import check_model, judge_model, most_probable_parents
from gpnet.inference.plan import Plan
from gpnet.inference.verdict import diagnose
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.relations import FittedRelations
from gpnet.runtime.context import RunContext
from gpnet.samplers.learned import LearnedDagSample
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import tabulate

LEAST_ADJACENT: Final = 0.05  # probability of an edge between two variables that may be one


def infer(given: Dataset, plan: Plan, context: RunContext, *, curves: bool = True) -> Posterior:
    """The posterior of these data, as planned; without `curves` no relations are fitted."""
    refine = plan.settings.refine
    with context.with_store() as within:
        data = choose_scales(given, plan.score, within)
        choosing = within.within("choosing the search space")
        space = plan.space.build(data, plan.prior, choosing)
        table = tabulate(data, space, plan.score.proposal(), plan.prior, within)
        rescorer = Rescorer(data, plan.score, within)
        weighted = _rounds(plan, rescorer, within).run(table)
        if refine:
            weighted = weigh_unique_dags(weighted)
        known = _all_scored(weighted, rescorer)
        fits, n_unfitted = _fits(weighted, rescorer, known) if curves else (None, 0)
        checks = _checks(weighted, rescorer, known)
        within.note_damage()
    notes = tuple(context.notes)
    diagnosis = diagnose(weighted, refine=refine, warnings=notes, n_unfitted=n_unfitted)
    rounded = rounded_columns(given.values)
    diagnosis = replace(diagnosis, **judge_model(checks, data.names, plan.doubt, rounded))
    posterior = _posterior(weighted, _local_scores(weighted, known), diagnosis)
    posterior = replace(posterior, settings=_record(given, data, plan), fits=fits, checks=checks)
    return with_doubt(posterior, weighted.table, plan.doubt, plan.settings.seed, rounded)


def _rounds(plan: Plan, rescorer: Rescorer, context: RunContext) -> Rounds:
    settings = plan.settings
    accurate = plan.score.fingerprint == plan.score.proposal().fingerprint
    n_rounds = settings.rounds if settings.refine else 1
    seeds = np.random.SeedSequence(settings.seed).generate_state(n_rounds, np.uint64)
    return Rounds(
        plan.sampler,
        None if accurate else rescorer,
        settings.draws,
        seeds.tolist(),
        context,
    )


def _posterior(weighted: Weighted, local_scores: LocalScores, diagnosis: Diagnosis) -> Posterior:
    sample = weighted.sample
    return Posterior(
        names=weighted.table.names,
        dags=sample.dags,
        log_weights=weighted.log_weights - logsumexp(weighted.log_weights),
        log_target=weighted.log_target,
        chain=sample.chain,
        independent=sample.independent,
        local_scores=local_scores,
        gammas=sample.gammas if isinstance(sample, LearnedDagSample) else None,
        missing_mass=weighted.missing_mass,
        diagnosis=diagnosis,
    )


def _all_scored(weighted: Weighted, rescorer: Rescorer) -> dict[Family, Evidence]:
    """The parent sets of the draws, but those that there was no time for."""
    visited = families(weighted.sample)
    missing = [family for family in visited if family not in weighted.rescored]
    return weighted.rescored | (rescorer.rescore(missing) if missing else {})


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
    likely = {node: most_probable_parents(dags, weights, node) for node in range(dags.shape[1])}
    adjacent = np.tensordot(weights, dags | dags.swapaxes(1, 2), 1) > LEAST_ADJACENT
    data, score, context = rescorer.data, rescorer.score, rescorer.context
    return check_model(data, score, likely, adjacent, known, rescorer.hints, context)


def _local_scores(weighted: Weighted, known: Mapping[Family, Evidence]) -> LocalScores:
    """Of all parent sets of the draws; of one that there was no time for, the table's number."""
    visited = list(families(weighted.sample))
    parents = np.zeros((len(visited), weighted.table.n_variables), dtype=bool)
    log_marginal, std_error, linear, shaped, varying = np.full((5, len(visited)), np.nan)
    for i, (node, these) in enumerate(visited):
        parents[i, list(these)] = True
        log_marginal[i] = weighted.table.log_marginal(node, these)
        if (node, these) in known:
            evidence = known[node, these]
            std_error[i], linear[i] = evidence.std_error, evidence.linear
            shaped[i], varying[i] = evidence.shaped, evidence.varying
    nodes = np.array([node for node, _ in visited], dtype=np.int32)
    return LocalScores(nodes, parents, log_marginal, std_error, linear, shaped, varying)


def _record(given: Dataset, data: Dataset, plan: Plan) -> dict[str, Any]:
    """Enough to repeat the run, and to see what "auto" stood for."""
    return {
        "options": plan.settings.record(),
        "data": {
            "fingerprint": given.fingerprint,
            "rows": data.n_rows,
            "variables": data.n_variables,
            "transform": data.transform,
            "ranked": list(data.ranked),
        },
        "chosen": {"space": plan.space_name, "sampler": plan.sampler_name},
    }
