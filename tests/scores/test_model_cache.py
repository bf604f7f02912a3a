"""Models are found by what they are of, not by which object that is."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from gpnet import load_table, simulate
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.score_table.table import tabulate
from gpnet.scores import SCORES, GpScore, ScoreSettings
from gpnet.scores.model_cache import MODELS, ModelCache
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import UniformPrior

TABLE = simulate(nodes=4, rows=40, edge_probability=0.7, seed=3).frame()


def copy_of(data):
    return pickle.loads(pickle.dumps(data))  # noqa: S301, as another process would get it


def n_built(cache, requests):
    built = []
    for data, settings in requests:
        cache.get(data, settings, lambda: built.append(1) or object())
    return len(built)


def test_a_copy_finds_the_model_and_other_data_or_settings_do_not():
    data, other = load_table(TABLE), load_table(TABLE * 2)
    cache = ModelCache()
    assert n_built(cache, [(data, "a"), (data, "a"), (copy_of(data), "a")]) == 1
    assert n_built(cache, [(other, "a"), (data, "b")]) == 2
    assert cache.get(copy_of(data), "a", object) is cache.get(data, "a", object)


def test_the_one_used_longest_ago_makes_room():
    data, cache = load_table(TABLE), ModelCache(size=2)
    assert n_built(cache, [(data, "a"), (data, "b"), (data, "a"), (data, "c")]) == 3
    assert len(cache) == 2
    assert n_built(cache, [(data, "a"), (data, "c")]) == 0
    assert n_built(cache, [(data, "b")]) == 1


@pytest.mark.parametrize("name", SCORES)
def test_scores_build_no_model_twice(name):
    """Also not of a copy, as tasks in another process bring one each."""
    score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
    data = load_table(TABLE)
    first = score.log_marginal(data, 0, (1, 2)).value
    n_models = len(MODELS)
    newest = next(reversed(MODELS._models), None)
    assert score.log_marginal(copy_of(data), 0, (1, 2)).value == first
    assert len(MODELS) == n_models
    assert next(reversed(MODELS._models), None) == newest


def n_bases_built(parents):
    """In a process of its own: bases built while a batch comes with a copy of the data."""
    from gpnet.gp import fast

    built, plain = [], fast.build_basis
    fast.build_basis = lambda *args: built.append(1) or plain(*args)
    try:
        GpScore(evidence=EVIDENCE_METHODS["laplace"]()).log_marginals(
            load_table(TABLE), 0, parents, {}
        )
    finally:
        fast.build_basis = plain
    return len(built)


def test_a_worker_elsewhere_builds_each_basis_once_under_the_gp_score():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        counts = [processes.submit(n_bases_built, [(1,), (2,)]).result() for _ in range(3)]
    assert counts == [2, 0, 0]


def test_a_table_by_processes_is_the_same_bit_by_bit():
    data = load_table(TABLE)
    space = FullSpace(max_parents=2).build(data)
    score = GpScore(evidence=EVIDENCE_METHODS["laplace"]())
    here = tabulate(data, space, score, UniformPrior())
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        there = tabulate(
            data, space, score, UniformPrior(), RunContext(Workers(processes, n_workers=1))
        )
    for one, other in zip(here.nodes, there.nodes, strict=True):
        np.testing.assert_array_equal(one.log_marginals, other.log_marginals)


def test_models_of_a_table_are_forgotten():
    cache = ModelCache()
    first, second = (load_table(simulate(nodes=2, rows=30, seed=seed).frame()) for seed in (1, 2))
    for data in (first, second):
        cache.get(data, "a", lambda: 1)
        cache.get(data, "b", lambda: 2)
    cache.forget(first)
    assert len(cache) == 2
    assert cache.get(second, "a", lambda: 3) == 1
    assert cache.get(first, "a", lambda: 4) == 4
