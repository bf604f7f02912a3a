"""What every sampler must do, whichever distribution it has."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet.common.errors import OptionError, OutOfTimeError
from gpnet.graphs.dag import is_acyclic
from gpnet.samplers import SAMPLERS
from gpnet.samplers.mcmc import ChainSampler
from gpnet.score_table.search_space import SearchSpace
from tests.contexts import PASSED, context
from tests.samplers.twins import enumerated, full_space, in_space, random_table

CHAINS = sorted(name for name, member in SAMPLERS.items() if issubclass(member, ChainSampler))
every_sampler = pytest.mark.parametrize("name", sorted(SAMPLERS))
every_chain = pytest.mark.parametrize("name", CHAINS)
PLUS = SearchSpace(((1, 2), (0, 3), (4,), (), (0, 1, 2)), 3, plus_one=True)
TABLE = random_table(full_space(6, 3), 8, 1)


def without_knowledge(v, parents):
    """Required 0 -> 1 and 1 -> 2, forbidden 3 -> 4."""
    return (v in (1, 2) and v - 1 not in parents) or (v == 4 and 3 in parents)


@every_sampler
@pytest.mark.parametrize("space", [full_space(5), full_space(5, 2), PLUS], ids=["all", "2", "plus"])
def test_draws_are_dags_of_the_space_with_their_density(name, space):
    table = random_table(space, 5, 2)
    chain = SAMPLERS[name]().sample(table, n_draws=203, seed=1)
    assert chain.dags.shape == (203, 5, 5)
    assert chain.log_density.shape == chain.chain.shape == (203,)
    assert all(is_acyclic(dag) and in_space(space, dag) for dag in chain.dags)
    assert sorted(set(chain.chain)) == list(range(chain.n_chains))
    # Reweighted to the table, the draws tell its edge probabilities.
    dags, log_p = enumerated(table)
    chain = SAMPLERS[name]().sample(table, n_draws=10_000, seed=1)
    log_weights = table.log_scores_of(chain.dags) - chain.log_density
    weights = np.exp(log_weights - logsumexp(log_weights))
    edges, expected = np.tensordot(weights, chain.dags, 1), np.tensordot(np.exp(log_p), dags, 1)
    # False alarms below 1e-6: six standard errors if 2 000 draws are effective.
    np.testing.assert_allclose(edges, expected, atol=6 * 0.5 / np.sqrt(2000))


@every_sampler
def test_the_same_for_a_seed_whatever_the_workers(name):
    one, three, other = (
        SAMPLERS[name]().sample(TABLE, n_draws=600, seed=seed, context=context(workers))
        for seed, workers in [(1, 1), (1, 3), (2, 1)]
    )
    np.testing.assert_array_equal(one.dags, three.dags)
    np.testing.assert_array_equal(one.log_density, three.log_density)
    assert one.diagnostics == three.diagnostics
    assert not np.array_equal(one.dags, other.dags)


@every_sampler
def test_knowledge_is_obeyed_by_every_draw(name):
    table = random_table(full_space(6), 5, 3, without_knowledge)
    chain = SAMPLERS[name]().sample(table, n_draws=2000, seed=1)
    assert chain.dags[:, 0, 1].all()
    assert chain.dags[:, 1, 2].all()
    assert not chain.dags[:, 3, 4].any()
    assert np.all(np.isfinite(chain.log_density))


@every_sampler
def test_one_node_and_two(name):
    for n in (1, 2):
        chain = SAMPLERS[name]().sample(random_table(full_space(n), 1, 1), n_draws=50)
        assert chain.dags.shape == (50, n, n)


@every_sampler
def test_a_table_without_any_dag_is_told(name):
    table = random_table(full_space(3), 1, 1, lambda v, pa: v < 2 and (1 - v) not in pa)
    with pytest.raises(OptionError, match="no DAG"):
        SAMPLERS[name]().sample(table, n_draws=10)


@every_sampler
@pytest.mark.parametrize("wrong", [{"n_draws": -1}, {"seed": -1}])
def test_impossible_requests_are_told(name, wrong):
    with pytest.raises(OptionError, match=next(iter(wrong))):
        SAMPLERS[name]().sample(TABLE, **({"n_draws": 10} | wrong))


@every_sampler
def test_progress_reaches_its_end(name):
    told = []
    SAMPLERS[name]().sample(
        TABLE, n_draws=40, context=context(progress=lambda *news: told.append(news))
    )
    assert told[-1][0] == told[-1][1]
    assert [news[0] for news in told] == sorted(news[0] for news in told)


@every_chain
def test_how_a_run_is_cut_changes_nothing(name, monkeypatch):
    whole = SAMPLERS[name]().sample(TABLE, n_draws=300)
    monkeypatch.setattr("gpnet.samplers.walks.PIECE_SECONDS", 0.0)  # pieces that only shrink
    pieces = SAMPLERS[name]().sample(TABLE, n_draws=300)
    np.testing.assert_array_equal(whole.dags, pieces.dags)


@every_chain
def test_an_interrupt_ends_a_run_between_its_pieces(name):
    def interrupt(done, total, seconds_left):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SAMPLERS[name]().sample(TABLE, n_draws=10**9, context=context(progress=interrupt))


@every_chain
def test_chains_begin_at_a_given_start(name):
    best = np.zeros((6, 6), dtype=bool)
    best[[0, 1], [1, 2]] = True
    table = random_table(full_space(6, 3), 1, 1)
    scores = [np.where(column.masks == 0, 0.0, -50.0) for column in table.nodes]
    for v, parent in ((1, 0), (2, 1)):  # far above all others, and far from where they lead
        scores[v][table.space.index(v, (parent,))] = 50.0
    table = table.assemble(table.names, table.space, scores, [np.zeros(len(s)) for s in scores])
    chain = SAMPLERS[name](thin=1, burn_in=0).sample(table, n_draws=8, start=best)
    assert np.all(chain.dags == best)


@every_chain
@pytest.mark.parametrize(
    ("start", "told"),
    [
        (np.zeros((3, 3), dtype=bool), "shape"),
        (np.zeros((6, 6)), "booleans"),
        (~np.eye(6, dtype=bool), "cycle"),
        (np.zeros((6, 6), dtype=bool), "excludes"),
        (np.triu(np.ones((6, 6), dtype=bool), 1), "expected at most 3"),
    ],
)
def test_a_start_that_cannot_be_is_refused(name, start, told):
    table = random_table(full_space(6, 3), 1, 1, without_knowledge)
    with pytest.raises(OptionError, match=told):
        SAMPLERS[name]().sample(table, n_draws=1, start=start)


@every_chain
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"n_chains": 0}, "n_chains"),
        ({"thin": 0}, "thin"),
        ({"burn_in": -1}, "burn_in"),
        ({"temperatures": (2.0, 3.0)}, "temperatures"),
        ({"temperatures": ()}, "temperatures"),
    ],
)
def test_settings_that_cannot_be_are_refused(name, settings, told):
    with pytest.raises(OptionError, match=told):
        SAMPLERS[name](**settings)


@every_chain
def test_diagnostics_tell_rates_and_whether_chains_agree(name):
    sampler = SAMPLERS[name]()
    chain = sampler.sample(TABLE, n_draws=4000)
    rates = [v for k, v in chain.diagnostics.items() if k.startswith(("accepted", "exchanged"))]
    assert len(rates) >= 3
    assert all(0 < rate < 1 for rate in rates)
    assert chain.diagnostics["max_r_hat"] < 1.02
    apart = random_table(full_space(6), 3000, 5)  # chains that stay where they begin
    stuck = SAMPLERS[name](thin=1, burn_in=0, temperatures=(1.0,)).sample(apart, n_draws=40)
    assert any("do not quite agree" in told for told in stuck.warnings)


def test_order_tells_where_its_bias_stays():
    n = 23  # every odd node a child of its two neighbours: too many nodes to count their orders
    pairs = tuple(tuple(u for u in (v - 1, v + 1) if u < n and v % 2) for v in range(n))
    wide = SearchSpace(pairs, 2)
    scores = [np.where(np.arange(wide.n_sets(node=v)) == 3, 60.0, 0.0) for v in range(n)]
    table = random_table(wide, 0, 1).assemble("x" * n, wide, scores, [0 * s for s in scores])
    chain = SAMPLERS["order"]().sample(table, n_draws=20)
    assert any("bias" in told for told in chain.warnings)
    np.testing.assert_allclose(chain.log_density, table.log_scores_of(chain.dags))


# Until when


class After:
    """A deadline that passes when it was asked so many times."""

    def __init__(self, n_times):
        self.left = n_times

    @property
    def passed(self):
        self.left -= 1
        return self.left < 0


@every_chain
def test_the_deadline_ends_the_drawing_and_is_told(name, monkeypatch):
    monkeypatch.setattr("gpnet.samplers.walks.PIECE_SECONDS", 0.0)  # pieces of few steps
    sampler = SAMPLERS[name](n_chains=2, thin=10, burn_in=100)
    whole = sampler.sample(TABLE, n_draws=4000, seed=1)
    cut = sampler.sample(TABLE, n_draws=4000, seed=1, context=context(deadline=After(300)))
    assert 0 < cut.n_draws < 4000
    assert any(f"after {cut.n_draws:,} of 4,000 draws" in text for text in cut.warnings)
    assert not any("time budget" in text for text in whole.warnings)
    for chain in range(2):  # what was drawn is what the whole run begins with
        mine = cut.dags[cut.chain == chain]
        np.testing.assert_array_equal(mine, whole.dags[whole.chain == chain][: len(mine)])


@every_chain
def test_no_draw_before_the_deadline_is_an_error_that_keeps_the_scores(name):
    with pytest.raises(OutOfTimeError, match="before every chain had drawn a DAG"):
        SAMPLERS[name]().sample(TABLE, n_draws=400, context=context(deadline=PASSED))


def test_exact_draws_end_with_the_deadline_after_the_first_part(monkeypatch):
    monkeypatch.setattr("gpnet.samplers.exact._parts", lambda n_draws, n: [n_draws // 4] * 4)
    whole = SAMPLERS["exact"]().sample(TABLE, n_draws=400, seed=3)
    cut = SAMPLERS["exact"]().sample(TABLE, n_draws=400, seed=3, context=context(deadline=PASSED))
    assert cut.n_draws == 100
    np.testing.assert_array_equal(cut.dags, whole.dags[:100])
    assert cut.warnings == ("the time budget ended after 100 of 400 draws",)
