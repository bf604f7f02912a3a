"""A first answer, where the time budget ends before there is another.

Straight lines in closed form, few parents among few candidates, fewer draws: seconds, where the
whole may take hours. Some of the time is kept for it.
"""

from dataclasses import replace
from typing import Final

from gpnet.data.dataset import Dataset
from gpnet.inference.plan import EXACT_NODES, Plan, make_plan
from gpnet.inference.settings import AUTO, OFF, Settings
from gpnet.inference.verdict import chains_apart
from gpnet.posterior.posterior import Posterior
from gpnet.runtime.deadline import Deadline

SCORE: Final = "linear"
MOST_PARENTS: Final = 3
MOST_CANDIDATES: Final = 6
MOST_DRAWS: Final = 2000
KEPT: Final = 0.25  # of the time that is left
MOST_KEPT: Final = 15.0  # seconds
FOR_THE_PAGE: Final = 0.5  # of what was kept, where no first answer is needed


def with_time_kept(deadline: Deadline) -> Deadline:
    """Earlier by what a first answer may take."""
    return deadline.earlier(KEPT, MOST_KEPT)


def with_the_rest(deadline: Deadline) -> Deadline:
    """Later by what was kept, where draws are at hand; some of it is left for the report."""
    return deadline.with_kept.earlier(1.0, FOR_THE_PAGE * deadline.kept)


def first_plan(plan: Plan, data: Dataset) -> Plan:
    """The same question with less work; what was asked for by name gives way too."""
    asked, usual = plan.settings, Settings()
    required = max(len(plan.prior.required_parents(v)) for v in range(data.n_variables))
    settings = replace(
        asked,
        score=SCORE,
        kernel=usual.kernel,
        noise=AUTO,
        evidence=usual.evidence,
        space=AUTO if data.n_variables <= EXACT_NODES else "screening",
        sampler=AUTO,
        max_parents=max(min(plan.max_parents, MOST_PARENTS), required),
        max_candidates=max(min(asked.max_candidates, MOST_CANDIDATES), required),
        draws=min(asked.draws, MOST_DRAWS),
        thin=None,
        bag=OFF,
        imputations=1,
    )
    found = make_plan(settings, data)
    return replace(found, sampler=found.sampler.quick(data.n_variables), hasty=True)


def told_as_first(posterior: Posterior, plan: Plan, why: str) -> Posterior:
    """With what it is, in place of all else that is wrong with it: more time is the remedy."""
    diagnosis, settings = posterior.diagnosis, plan.settings
    what = (
        f"{why.partition(';')[0]}, and this is a first answer: straight lines, at most "
        f"{settings.max_parents} parents of a variable, {settings.draws:,} draws"
        f"{chains_apart(diagnosis)}; run again with a larger time budget, the scores are kept"
    )
    told = replace(
        diagnosis,
        converged=False,
        first_answer=True,
        problems=(what,),
        verdict=f"Not the answer yet: {what}.",
    )
    return replace(posterior, diagnosis=told)
