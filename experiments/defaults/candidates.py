"""The posterior under a candidate; those made of the same curves share them through a store.

The same steps as `gpnet.learn`, so that a dozen candidates cost little more than one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from experiments.reference import Known
from gpnet.common.types import Floats
from gpnet.gp.evidence import Evidence
from gpnet.inference.importance_rounds import Rounds, weigh_unique_dags
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.posterior import metrics
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.runtime.store import Store
from gpnet.score_table.rescore import Family, Rescorer
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores import LinearScore

ROUNDS = 3


@dataclass(frozen=True)
class Lines:
    """Straight lines that are mixed with curves, as the score `adaptive` does."""

    known: Known
    weight: float

    def values(self, node: int, sets: Sequence[tuple[int, ...]]) -> Floats:
        return LinearScore().values(self.known.data, node, sets)

    def mix(self, curves: Floats, lines: Floats) -> Floats:
        return np.logaddexp(log(self.weight) + lines, log(1 - self.weight) + curves)

    def mix_table(self, table: ScoreTable) -> ScoreTable:
        """Empty sets stay as they are."""
        mixed = []
        for node, scores in enumerate(table.nodes):
            sets = list(table.space.all_parent_sets(node))
            column = self.mix(scores.log_marginals, self.values(node, sets))
            empty = [not parents for parents in sets]
            mixed.append(np.where(empty, scores.log_marginals, column))
        priors = [scores.log_priors for scores in table.nodes]
        return ScoreTable.assemble(table.names, table.space, mixed, priors)


@dataclass(frozen=True)
class MixingRescorer(Rescorer):
    """Curves from the store or computed, and lines mixed in."""

    lines: Lines | None = None

    def rescore(
        self,
        families: Sequence[Family],
        *,
        roughly: Sequence[Family] = (),
        stage: str = "scoring what was drawn",
    ) -> dict[Family, Evidence]:
        found = super().rescore(families, roughly=roughly, stage=stage)
        return {family: self._mixed(family, evidence) for family, evidence in found.items()}

    def _mixed(self, family: Family, curve: Evidence) -> Evidence:
        node, parents = family
        if not self.lines or not parents:
            return curve
        line = self.lines.values(node, [parents])
        return replace(curve, value=float(self.lines.mix(np.array([curve.value]), line)[0]))


def posterior(
    known: Known, options: dict[str, Any], store: Path, workers: int, n_draws: int
) -> tuple[Any, Floats]:
    """Different DAGs (m, n, n) and their weights."""
    lines = None
    if options["score"] == "adaptive":
        lines = Lines(known, options["linear_weight"])
        options = options | {"score": "gp"}
    plan = make_plan(Settings.of(options), known.data)
    with Store(store) as scores, Workers.threads(workers) as executor:
        context = RunContext(executor, store=scores)
        space = plan.space.build(known.data, plan.prior)
        table = tabulate(known.data, space, plan.score.proposal(), plan.prior, context)
        rescorer = MixingRescorer(known.data, plan.score, context, lines=lines)
        accurate = options["evidence"] == "laplace"
        rounds = Rounds(
            plan.sampler, None if accurate else rescorer, n_draws, range(ROUNDS), context
        )
        weighted = weigh_unique_dags(rounds.run(lines.mix_table(table) if lines else table))
    weights = np.exp(weighted.log_weights - weighted.log_weights.max())
    return metrics.merged(weighted.sample.dags, weights / weights.sum())
