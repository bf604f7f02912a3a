"""Diagnoses of draws: each problem and note, each with a control in which it is absent."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from gpnet.gp.evidence import Evidence
from gpnet.inference.importance_rounds import Health, Weighted
from gpnet.inference.verdict import _more, diagnose
from gpnet.samplers.dag_sample import DagSample
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, log_priors
from gpnet.structure_priors import UniformPrior

N, DRAWS = 4, 4000
GOOD = Health(0.9, 0.1, 10)


def table_of(space):
    zeros = [np.zeros(space.n_sets(node=node)) for node in range(N)]
    return ScoreTable.assemble("ABCD", space, zeros, log_priors(space, UniformPrior()))


def full_space(most=N - 1):
    return SearchSpace(tuple(tuple(v for v in range(N) if v != w) for w in range(N)), most)


def dags_with(edges, share, rng):
    """Each of the edges in a share of the draws, independently."""
    dags = np.zeros((DRAWS, N, N), dtype=bool)
    for parent, child in edges:
        dags[:, parent, child] = rng.random(DRAWS) < share
    return dags


def weighted_of(dags, space=None, *, n_chains=1, **fields):
    space = space or full_space()
    chain = DagSample(
        dags,
        np.zeros(len(dags)),
        np.repeat(np.arange(n_chains, dtype=np.int32), len(dags) // n_chains),
        independent=n_chains == 1,
    )
    target = np.random.default_rng(9).normal(size=len(dags))
    whole = Weighted(chain, table_of(space), np.zeros(len(dags)), target, {}, rounds=(GOOD,))
    return replace(whole, **fields)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def dags(rng):
    return dags_with([(0, 1), (1, 2)], 0.5, rng)


def test_good_draws_have_converged_and_nothing_is_noted(dags):
    found = diagnose(weighted_of(dags), refine=True)
    assert found.converged
    assert found.problems == found.notes == ()
    assert (
        found.verdict
        == "Converged: 4,000 independent draws, effective sample size 3,600 after weighting."
    )
    assert found.distinct_dags == 4


def test_when_all_was_seen_the_verdict_says_what_is_missing(dags):
    found = diagnose(weighted_of(dags, missing_mass=0.003), refine=True)
    assert "found 4 unique DAGs; the missing mass is about 0.3% of the posterior" in found.verdict


@pytest.mark.parametrize("health", [Health(0.3, 0.1, 1), Health(0.8, 0.9, 1)])
@pytest.mark.parametrize(
    ("refine", "remedy"), [(True, "--rounds 3 (in Python rounds=3)"), (False, "--refine (in")]
)
def test_poor_weights(dags, health, refine, remedy):
    found = diagnose(weighted_of(dags, rounds=(health,)), refine=refine)
    assert not found.converged
    assert "weights are poor" in found.verdict
    assert remedy in found.verdict


def test_hardly_any_draws(dags):
    weighted = weighted_of(dags[:50])
    assert (
        "the effective sample size of the weights is 45" in diagnose(weighted, refine=True).verdict
    )
    seen = replace(weighted, missing_mass=0.02)  # where nearly all were drawn, few do
    assert diagnose(seen, refine=True).converged


def test_too_little_time(dags):
    found = diagnose(weighted_of(dags, share_unscored=0.25), refine=True)
    assert not found.converged
    assert "25% of the weight" in found.verdict


def test_too_little_time_for_curves(dags):
    found = diagnose(weighted_of(dags), refine=True, n_unfitted=3)
    assert found.converged  # no probability depends on them
    assert any("before 3 relations" in note for note in found.notes)
    assert found.relations_unfitted == 3


def test_chains_that_agree(dags):
    found = diagnose(weighted_of(dags, n_chains=4), refine=True)
    assert found.converged
    assert found.max_r_hat < 1.01
    assert found.chains_differ_by < 0.08  # sd of a difference 0.02
    assert 3000 < found.min_effective_draws <= 4200


def test_a_chain_that_stays_elsewhere(dags):
    dags[: DRAWS // 4, 0, 1] = True
    found = diagnose(weighted_of(dags, n_chains=4), refine=True)
    assert not found.converged
    assert "chains do not agree" in found.verdict
    assert found.chains_differ_by == pytest.approx(0.5, abs=0.06)
    assert found.disputed_edges == ("'A' -> 'B'",)
    assert "only in 'A' -> 'B'; they agree on all others" in found.verdict


def test_chains_that_mix_slowly(rng):
    """Two states, one change in 200 draws: 16 000 draws of an effective sample size of some 160."""
    changes = rng.random((4, DRAWS)) < 1 / 200
    dags = np.zeros((4 * DRAWS, N, N), dtype=bool)
    dags[:, 0, 1] = (np.cumsum(changes, axis=1) % 2).astype(bool).ravel()
    found = diagnose(weighted_of(dags, n_chains=4), refine=True)
    assert 50 < found.min_effective_draws < 400
    assert not found.converged
    assert "take more draws" in found.verdict


def test_the_border_of_max_parents(rng):
    dags = dags_with([(0, 2), (1, 2)], 0.6, rng)
    found = diagnose(weighted_of(dags, full_space(2)), refine=True)
    share = (dags[:, :, 2].sum(axis=1) == 2).mean()
    assert found.share_at_max_parents == pytest.approx(share)
    assert found.nodes_at_max_parents == pytest.approx([0, 0, share, 0])
    assert found.converged  # a restriction is told, and is no failure to converge
    assert "too few" not in found.verdict
    most = diagnose(weighted_of(dags_with([(0, 2), (1, 2)], 0.9, rng), full_space(2)), refine=True)
    assert most.verdict.startswith("Converged among networks of at most 2 parents")
    assert any(
        "--max-parents 4 (in Python max_parents=4)" in note and "('C'; at most 2" in note
        for note in found.notes
    )


def test_a_border_that_many_variables_share(rng):
    """Each has less than is worth a word, and all together more."""
    dags = np.zeros((4000, 4, 4), dtype=bool)
    for child in range(4):
        some = slice(30 * child, 30 * child + 30)
        dags[some, (child + 1) % 4, child] = dags[some, (child + 2) % 4, child] = True
    dags = rng.permutation(dags)
    (note,) = diagnose(weighted_of(dags, full_space(2)), refine=True).notes
    assert note.startswith("3.0% of the posterior")
    assert "considered (at most 2 of any variable)" in note


def test_no_border_where_everybody_may_be_a_parent(rng):
    dags = dags_with([(0, 3), (1, 3), (2, 3)], 0.9, rng)
    assert diagnose(weighted_of(dags), refine=True).notes == ()


def test_parents_from_outside_the_candidates(rng):
    dags = dags_with([(0, 1)], 0.3, rng)
    space = SearchSpace(((), (2,), (), ()), 2, plus_one=True)
    found = diagnose(weighted_of(dags, space), refine=True)
    assert found.share_from_outside == pytest.approx(dags[:, 0, 1].mean())
    assert any("takes a parent from outside" in note for note in found.notes)


def test_doubtful_scores_with_their_weight(dags):
    doubtful = Evidence(-1.0, 0.2, "qmc", warnings=("standard error misses its target",))
    fine = Evidence(-1.0, 0.01, "qmc")
    log_weights = np.where(dags[:, 0, 1], 0.0, -1.0)
    found = diagnose(
        weighted_of(dags, rescored={(1, (0,)): doubtful, (1, ()): fine}, log_weights=log_weights),
        refine=True,
    )
    share = softmax(log_weights)[dags[:, 0, 1]].sum()
    assert found.share_with_doubtful_score == pytest.approx(share)
    assert any(f"{share:.1%} of the weight hold one of them" in note for note in found.notes)
    assert found.converged
    assert found.verdict.startswith("Converged on scores of which some are doubtful")
    few = {(1, (0,)): fine, (1, ()): fine, (3, (0, 1, 2)): doubtful}  # the last is never drawn
    plain = diagnose(weighted_of(dags, rescored=few), refine=True)
    assert plain.verdict.startswith("Converged: ")


def test_warnings_on_the_way_are_passed_on(dags):
    weighted = weighted_of(dags)
    weighted = replace(weighted, sample=replace(weighted.sample, warnings=("rounding: 1e-5",)))
    found = diagnose(weighted, refine=True, warnings=["search space: no room"])
    assert found.notes[:2] == ("search space: no room", "rounding: 1e-5")


def test_the_record_is_strict_json(dags):
    import json

    found = diagnose(weighted_of(dags, rounds=(Health(1.0, -np.inf, 0),)), refine=True)
    assert json.loads(json.dumps(found.record(), allow_nan=False))["k_hat"] is None


@pytest.mark.parametrize(
    ("drawn", "factor", "told"),
    [(10_000, 1.0, 40_000), (10_000, 5.0, 80_000), (10_000, 1e9, 1_000_000), (7, 1.0, 1000)],
)
def test_more_draws_are_a_number_to_type(drawn, factor, told):
    sentence = _more({"draws": drawn}, factor)
    assert sentence == f"take more draws, as in --draws {told} (in Python draws={told})"
