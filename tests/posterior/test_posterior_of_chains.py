"""Error bars of edges from chains over DAGs, reweighted to a distribution that is known exactly.

z of the edges of 100 runs: even if all twelve edges of a run went together, the rms of a calibrated
z would be within 0.07 of 1; as they do not, [0.8, 1.25] is a false alarm in less than one of 10^4.
"""

import numpy as np
import pytest

from gpnet.samplers import OrderSampler, PartitionSampler, StructureSampler
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable
from tests.posteriors import codes_of, enumerated, local_scores, posterior_of

N = 4
OFF_DIAGONAL = ~np.eye(N, dtype=bool)
SCORES = local_scores(N)
ROUGH = SCORES + np.random.default_rng(1).normal(scale=0.3, size=SCORES.shape)  # drawn from


@pytest.fixture(scope="module")
def table():
    others = tuple(tuple(j for j in range(N) if j != i) for i in range(N))
    space = SearchSpace(others, max_parents=3)
    columns = [
        np.array([ROUGH[v, sum(1 << j for j in parents)] for parents in space.all_parent_sets(v)])
        for v in range(N)
    ]
    return ScoreTable.assemble("ABCD", space, columns, [np.zeros(len(c)) for c in columns])


def errors(table, sampler, *, independent=False):
    """(100, 12): z of each edge in each run."""
    truth, z = enumerated(N).edge_probabilities().to_numpy(), []
    for seed in range(100):
        chain = sampler.sample(table, n_draws=3001, seed=seed)
        log_target = SCORES[np.arange(N)[:, None], codes_of(chain.dags)].sum(axis=0)
        found = posterior_of(
            chain.dags,
            scores=SCORES,
            log_weights=log_target - chain.log_density,
            chain=chain.chain,
            independent=independent,
        )
        off = (found.edge_probabilities() - truth).to_numpy()[OFF_DIAGONAL]
        z.append(off / found.edge_errors().to_numpy()[OFF_DIAGONAL])
    return np.array(z)


@pytest.mark.parametrize("family", [StructureSampler, OrderSampler, PartitionSampler])
def test_errors_of_reweighted_chains(table, family):
    z = errors(table, family(thin=2, burn_in=200))
    assert 0.8 < np.sqrt(np.mean(z**2)) < 1.25


def test_chains_taken_for_independent_are_seen_to_be_wrong(table):
    """The negative control."""
    z = errors(table, StructureSampler(thin=2, burn_in=200), independent=True)
    assert np.sqrt(np.mean(z**2)) > 1.5
