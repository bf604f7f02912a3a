"""Knowledge is obeyed by every sampler, in every kind of search space."""

import numpy as np
import pytest

from gpnet import load_table, simulate
from gpnet.samplers import SAMPLERS
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore
from gpnet.search_spaces import SEARCH_SPACES, SpaceSettings
from gpnet.structure_priors import EdgePenalty, Knowledge, UniformPrior

DATA = load_table(simulate(nodes=5, rows=50, edge_probability=0.5, seed=7).values)
SETTINGS = SpaceSettings(allowed=np.eye(5, k=1, dtype=bool), score=BgeScore())
REQUIRED, FORBIDDEN = [(3, 0), (4, 0), (1, 2)], [(0, 1), (1, 0), (4, 2)]
TIERS = [[4], [0, 2]]
KNOWN = Knowledge(EdgePenalty(0.1), DATA.names, REQUIRED, FORBIDDEN, TIERS)


def breaches(dags):
    """How many draws lack a required edge or have one that is forbidden or leads back."""
    never = [*FORBIDDEN, (0, 4), (2, 4)]
    lacks = ~np.all([dags[:, i, j] for i, j in REQUIRED], axis=0)
    return int(np.sum(lacks | np.any([dags[:, i, j] for i, j in never], axis=0)))


@pytest.mark.parametrize("space", SEARCH_SPACES)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_draw_obeys(sampler, space):
    offered = SEARCH_SPACES[space].from_settings(SETTINGS).build(DATA, KNOWN)
    table = tabulate(DATA, offered, BgeScore(), KNOWN)
    chain = SAMPLERS[sampler]().sample(table, n_draws=400, seed=1)
    assert breaches(chain.dags) == 0
    assert np.isfinite(table.log_scores_of(chain.dags)).all()


def test_draws_that_know_nothing_do_not():
    """The control: these data do not say so by themselves."""
    table = tabulate(DATA, SEARCH_SPACES["full"]().build(DATA), BgeScore(), UniformPrior())
    assert breaches(SAMPLERS["exact"]().sample(table, n_draws=400, seed=1).dags) > 300
