"""From weighted draws to the posterior that is kept: with the scores of all their parent sets."""

from collections.abc import Mapping

import numpy as np

from gpnet.gp.evidence import Evidence
from gpnet.inference.drawn_sets import families
from gpnet.inference.importance_rounds import Weighted
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.posterior import Posterior
from gpnet.samplers.learned import LearnedDagSample
from gpnet.score_table.rescore import Family
from gpnet.stats.importance_weights import normalised


def posterior_of(
    weighted: Weighted, known: Mapping[Family, Evidence], diagnosis: Diagnosis
) -> Posterior:
    """Of these draws; `known` are the parent sets that were scored accurately."""
    sample = weighted.sample
    return Posterior(
        names=weighted.table.names,
        dags=sample.dags,
        log_weights=normalised(weighted.log_weights),
        log_target=weighted.log_target,
        chain=sample.chain,
        independent=sample.independent,
        local_scores=_local_scores(weighted, known),
        gammas=sample.gammas if isinstance(sample, LearnedDagSample) else None,
        missing_mass=weighted.missing_mass,
        diagnosis=diagnosis,
    )


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
