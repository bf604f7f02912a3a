"""From a table to the posterior over DAGs: the line of the house, in one place.

Dataset -> SearchSpace -> ScoreTable -> Chain -> Posterior
"""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from math import inf
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
from scipy.special import logsumexp, softmax

from gpnet.common.errors import Notice, OptionError, OutOfTimeError
from gpnet.common.messages import quote
from gpnet.data.dataset import Dataset, load_table
from gpnet.gp.evidence import Evidence
from gpnet.inference.diagnostics import Diagnosis, diagnose
from gpnet.inference.fit_relations import Fitter, relations_to_fit
from gpnet.inference.importance_rounds import Rounds, Weighted, by_distinct, families
from gpnet.inference.plan import Plan, make_plan
from gpnet.inference.settings import Settings
from gpnet.posterior.posterior import LocalEvidences, Posterior
from gpnet.posterior.relations import Fits
from gpnet.runtime.progress import Progress, silent
from gpnet.runtime.store import Store
from gpnet.samplers.learned import LearnedChain
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import tabulate


def learn(
    source: Any,
    *,
    transform: str = "none",
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    time_budget: float | None = None,
    progress: Callable[[str], Progress] | None = None,
    curves: bool = True,
    **options: Any,
) -> Posterior:
    """The posterior over DAGs of the variables in a table.

    `source` is all that `load_table` reads: a file, a frame, an array. The options are the fields
    of `Settings`. Same data, same settings, same numbers, whatever the workers (all cores unless
    given). `store` is a file for scores, where a run that was broken off finds them again. After
    `time_budget` seconds nothing is begun any more, and what was left out is told. `progress` is
    called with the name of each stage. Without `curves` the relations behind the edges are not
    fitted: who asks for nothing but DAGs need not wait for them.
    """
    data, settings = load_table(source, transform=transform), Settings.of(options)
    means = Means.of(workers, time_budget, progress)
    with _opened(store) as scores, _noted() as notes:
        searching = means.until_deadline("choosing the search space")
        plan = make_plan(settings, data, store=scores, workers=means.workers, progress=searching)
        space = plan.space.build(data, plan.prior)
        table = tabulate(
            data,
            space,
            plan.score.proposal(),
            plan.prior,
            workers=means.workers,
            store=scores,
            progress=means.until_deadline("scoring parent sets"),
        )
        rescorer = Rescorer(data, plan.score, scores, means.workers, means.deadline)
        weighted = _rounds(plan, settings, rescorer, means).run(table)
        if settings.refine:
            weighted = by_distinct(weighted)
        known = _all_scored(weighted, rescorer)
        fits, n_unfitted = _fits(weighted, rescorer, known, means) if curves else (None, 0)
    evidences = _local_evidences(weighted, known)
    diagnosis = diagnose(weighted, refine=settings.refine, warnings=notes, n_unfitted=n_unfitted)
    return _posterior(weighted, evidences, _record(data, plan, settings), diagnosis, fits)


learn.__signature__ = signature(learn).replace(  # type: ignore[attr-defined]
    parameters=[
        *[p for p in signature(learn).parameters.values() if p.kind != Parameter.VAR_KEYWORD],
        *[
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
            for f in fields(Settings)
        ],
    ]
)


@dataclass(frozen=True)
class Means:
    """What a run may take, none of which changes its numbers."""

    workers: int
    deadline: float  # on the clock of time.monotonic
    stage: Callable[[str], Progress]

    @classmethod
    def of(
        cls,
        workers: int | None = None,
        time_budget: float | None = None,
        progress: Callable[[str], Progress] | None = None,
    ) -> "Means":
        """As given, with all cores, no deadline and in silence where nothing was."""
        workers = (os.cpu_count() or 1) if workers is None else workers
        if not isinstance(workers, int) or workers < 1:
            raise OptionError(f"workers: a whole number from 1, found {quote(workers)}")
        if time_budget is not None and not (isinstance(time_budget, Real) and time_budget > 0):
            raise OptionError(f"time_budget: more than 0 seconds, found {quote(time_budget)}")
        deadline = monotonic() + (inf if time_budget is None else time_budget)
        return cls(workers, deadline, progress or (lambda _: silent))

    def until_deadline(self, stage: str) -> Progress:
        """A progress that ends the work when its time is over."""
        progress = self.stage(stage)

        def tell(done: int, total: int, seconds_left: float) -> None:
            progress(done, total, seconds_left)
            if done < total and monotonic() > self.deadline:
                raise OutOfTimeError(
                    f"the time budget ended after {done:,} of {total:,} parent sets were scored; "
                    "run again with the same store to go on from there"
                )

        return tell


@contextmanager
def _opened(path: str | os.PathLike[str] | None) -> Iterator[Store]:
    """The user's store, or one for as long as it takes."""
    if path is not None:
        with Store(path) as store:
            yield store
        return
    with TemporaryDirectory(prefix="gpnet-") as folder, Store(Path(folder) / "scores") as store:
        yield store


@contextmanager
def _noted() -> Iterator[list[str]]:
    """Notices on the way become notes of the result.

    Other warnings do not, as a run that finds its scores in the store would not meet them again.
    """
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Notice)
        yield notes
    told = [one for one in caught if issubclass(one.category, Notice)]
    notes += dict.fromkeys(str(one.message) for one in told)
    for one in caught:
        if one not in told:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _rounds(plan: Plan, settings: Settings, rescorer: Rescorer, means: Means) -> Rounds:
    accurate = plan.score.fingerprint == plan.score.proposal().fingerprint
    n_rounds = settings.rounds if settings.refine else 1
    seeds = np.random.SeedSequence(settings.seed).generate_state(n_rounds, np.uint64)
    return Rounds(
        plan.sampler,
        None if accurate else rescorer,
        settings.draws,
        seeds.tolist(),
        means.workers,
        means.stage,
    )


def _posterior(
    weighted: Weighted,
    evidences: LocalEvidences,
    record: dict[str, Any],
    diagnosis: Diagnosis,
    fits: Fits | None,
) -> Posterior:
    chain = weighted.chain
    return Posterior(
        names=weighted.table.names,
        dags=chain.dags,
        log_weights=weighted.log_weights - logsumexp(weighted.log_weights),
        log_target=weighted.log_target,
        chain=chain.chain,
        independent=chain.independent,
        evidences=evidences,
        gammas=chain.gammas if isinstance(chain, LearnedChain) else None,
        unseen=weighted.unseen,
        settings=record,
        diagnosis=diagnosis.record(),
        fits=fits,
    )


def _all_scored(weighted: Weighted, rescorer: Rescorer) -> dict[Family, Evidence]:
    """The parent sets of the draws, but those that there was no time for."""
    visited = families(weighted.chain)
    return weighted.evidences | rescorer.rescore(
        [family for family in visited if family not in weighted.evidences]
    )


def _fits(
    weighted: Weighted, rescorer: Rescorer, known: Mapping[Family, Evidence], means: Means
) -> tuple[Fits, int]:
    """The relations behind the probable edges, and how many there was no time for."""
    asked = relations_to_fit(weighted.chain.dags, softmax(weighted.log_weights))
    fitter = Fitter(
        rescorer.data, rescorer.score, rescorer.hints, known, means.workers, means.deadline
    )
    fits = fitter.fit(asked, progress=means.stage("fitting curves"))
    return fits, len(asked) - len(fits.node)


def _local_evidences(weighted: Weighted, known: Mapping[Family, Evidence]) -> LocalEvidences:
    """Of all parent sets of the draws; of one that there was no time for, the table's number."""
    visited = list(families(weighted.chain))
    parents = np.zeros((len(visited), weighted.table.n_variables), dtype=bool)
    log_marginal, std_error, linear = np.full((3, len(visited)), np.nan)
    for i, (node, these) in enumerate(visited):
        parents[i, list(these)] = True
        log_marginal[i] = weighted.table.log_marginal(node, these)
        if (node, these) in known:
            evidence = known[node, these]
            std_error[i], linear[i] = evidence.std_error, evidence.linear
    nodes = np.array([node for node, _ in visited], dtype=np.int32)
    return LocalEvidences(nodes, parents, log_marginal, std_error, linear)


def _record(data: Dataset, plan: Plan, settings: Settings) -> dict[str, Any]:
    """Enough to repeat the run, and to see what "auto" stood for."""
    return {
        "options": settings.record(),
        "data": {
            "fingerprint": data.fingerprint,
            "rows": data.n_rows,
            "variables": data.n_variables,
            "transform": data.transform,
        },
        "chosen": {"space": plan.space_name, "sampler": plan.sampler_name},
    }
