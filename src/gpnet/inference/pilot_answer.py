"""Pilot draws as the answer, where the time budget ends before there are others.

They follow the model that was asked for, as far as it was scored; a first answer by straight lines
is for tables that nothing was drawn from.
"""

from dataclasses import replace

from gpnet.common.messages import count
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import Health, Prepared, Weighted, weigh
from gpnet.inference.verdict import chains_apart, with_problem
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.samplers.dag_sample import DagSample
from gpnet.stats.importance_weights import effective_sample_size, pareto_k


def of_pilot(prepared: Prepared, pilot: DagSample, *, rescored: bool) -> Weighted:
    """These draws, weighted by the scores that there was time for.

    Unless parent sets are `rescored`, the table has the scores that are meant.
    """
    log_weights, log_target = weigh(pilot, prepared.table)
    share = effective_sample_size(log_weights) / pilot.n_draws
    weighted = Weighted(
        replace(pilot, warnings=(*pilot.warnings, _what(pilot))),
        prepared.table,
        log_weights,
        log_target,
        dict(prepared.scoring.known),
        (Health(share, pareto_k(log_weights), 0),),
    )
    unscored = [family for family in families(pilot) if family not in weighted.rescored]
    return replace(weighted, share_unscored=weighted.share_with(unscored) if rescored else 0.0)


def told_as_pilot(diagnosis: Diagnosis, weighted: Weighted) -> Diagnosis:
    """With what these draws are, in place of all that follows from it; others stay as they are."""
    what = _what(weighted.sample)
    if what not in weighted.sample.warnings:
        return diagnosis
    notes = tuple(note for note in diagnosis.notes or () if note != what)
    remedy = "run again with a larger time budget, the scores are kept"
    problem = f"{what}{chains_apart(diagnosis)}; {remedy}"
    return with_problem(replace(diagnosis, notes=notes), problem, others=False)


def _what(pilot: DagSample) -> str:
    drawn = count(pilot.n_draws, "pilot draw")
    return (
        f"the time budget ended before chains had drawn: these are {drawn} by scores as far as "
        "they were computed, which show where the posterior lies, and not how sure one can be"
    )
