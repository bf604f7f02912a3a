"""From words to members."""

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.data.dataset import Dataset
from gpnet.data.load import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.inference import plan
from gpnet.inference.plan import PRIORS, SPACES, make_plan, make_score
from gpnet.inference.settings import Settings
from gpnet.samplers import SAMPLERS, ExactSampler, PartitionSampler
from gpnet.samplers.learned import GibbsSampler, MixtureSampler
from gpnet.scores import SCORES
from gpnet.search_spaces import SEARCH_SPACES, FullSpace, IterativeSpace
from gpnet.structure_priors import EdgePenalty, Knowledge


def table(n):
    return load_table(np.random.default_rng(n).normal(size=(30, n)))


@pytest.fixture(scope="module")
def data():
    return table(4)


@pytest.mark.parametrize(
    ("n", "options", "space", "sampler"),
    [
        (4, {}, FullSpace, ExactSampler),
        (15, {}, FullSpace, ExactSampler),
        (16, {}, IterativeSpace, ExactSampler),
        (16, {"max_parents": 3}, FullSpace, ExactSampler),
        (16, {"score": "bge"}, FullSpace, ExactSampler),
        (18, {}, IterativeSpace, ExactSampler),
        (19, {}, IterativeSpace, PartitionSampler),
        (30, {"score": "bge", "max_parents": 1}, IterativeSpace, PartitionSampler),
    ],
)
def test_auto_is_exact_while_that_is_affordable(n, options, space, sampler):
    planned = make_plan(Settings(**options), table(n))
    assert (type(planned.space), type(planned.sampler)) == (space, sampler)


@pytest.mark.parametrize("name", SAMPLERS)
def test_every_sampler_can_be_had_by_name(data, name):
    planned = make_plan(Settings(sampler=name, chains=2, thin=5), data)
    assert isinstance(planned.sampler, SAMPLERS[name])
    if name != "exact":
        assert (planned.sampler.n_chains, planned.sampler.thin) == (2, 5)


@pytest.mark.parametrize("name", SPACES)
def test_every_space_can_be_had_by_name(data, name):
    planned = make_plan(Settings(space=name, max_parents=2), data)
    assert isinstance(planned.space, SEARCH_SPACES[name])
    assert planned.space.max_parents == 2


def test_what_needs_a_matrix_is_not_offered_by_name():
    assert set(SEARCH_SPACES) - set(SPACES) == {"given"}
    assert PRIORS == ("uniform", "edges", "fair", "learned")


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("evidence", EVIDENCE_METHODS)
def test_every_score_can_be_had_by_name(score, evidence):
    found = make_score(Settings(score=score, evidence=evidence))
    assert isinstance(found, SCORES[score])
    if not found.closed_form:
        assert isinstance(found.evidence, EVIDENCE_METHODS[evidence])


def test_the_proposal_is_shared_by_all_seeds_and_the_score_is_not():
    first, second = (make_score(Settings(seed=seed)) for seed in (1, 2))
    assert first.fingerprint != second.fingerprint
    assert first.proposal().fingerprint == second.proposal().fingerprint != first.fingerprint


def test_laplace_is_the_same_for_all_seeds():
    score = make_score(Settings(evidence="laplace", seed=3))
    assert score.fingerprint == score.proposal().fingerprint  # nothing is scored twice


def test_priors_and_their_numbers(data):
    assert make_plan(Settings(prior="edges:2.5"), data).prior == EdgePenalty(2.5)
    for name in PRIORS:
        make_plan(Settings(prior=name + ":1" * (name == "edges")), data)


def test_a_learned_penalty_wraps_the_sampler(data):
    assert isinstance(make_plan(Settings(prior="learned"), data).sampler, MixtureSampler)
    planned = make_plan(Settings(prior="learned", sampler="partition", chains=3), data)
    assert isinstance(planned.sampler, GibbsSampler)
    assert planned.sampler.n_chains == 3


def test_knowledge_is_wrapped_around_the_prior(data):
    first, second, third, fourth = data.names
    options = {"require": [f"{first}->{second}"], "forbid": [(third, fourth)], "tiers": [[first]]}
    prior = make_plan(Settings(**options), data).prior
    assert isinstance(prior, Knowledge)
    assert prior.required_parents(1) == {0}
    assert prior.forbidden_parents(3) == {2}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"score": "gpp"}, "score: one of 'gp', 'gp2', .*; found 'gpp'"),
        ({"sampler": "gibbs"}, "sampler: one of"),
        ({"space": "given"}, "space: one of"),
        ({"evidence": "bic"}, "evidence: one of"),
        ({"prior": "flat"}, "prior: one of"),
        ({"prior": "edges"}, "gamma: the edge penalty needs a number"),
        ({"prior": "edges:two"}, "prior: a number as in edges:2"),
        ({"prior": "edges:-3"}, "prior: a finite number from 0 on"),
        ({"prior": "edges:nan"}, "prior: a finite number from 0 on"),
        ({"score": "GP"}, "did you mean 'gp'?"),
        ({"prior": "learned:2"}, "'learned' takes no number"),
        ({"prior": "uniform:2"}, "'uniform' takes no number"),
        ({"require": ["nobody -> V1"]}, "nobody"),
        ({"require": ["V1 -- V2"]}, "require: an edge as in"),
    ],
)
def test_what_is_not_offered_is_refused_with_what_is(data, options, told):
    with pytest.raises(OptionError, match=told):
        make_plan(Settings(**options), data)


# What cannot be done is refused before any work


@pytest.mark.parametrize("sampler", sorted(set(SAMPLERS) - {"exact"}))
@pytest.mark.parametrize("n", [33, 65])
@pytest.mark.parametrize("prior", ["edges:4.6", "learned"])
def test_more_candidates_than_chains_take_are_refused_by_the_plan(sampler, n, prior):
    settings = Settings(space="full", sampler=sampler, score="bge", max_parents=1, prior=prior)
    with pytest.raises(OptionError, match=rf"chains on {n - 1} candidates .* 'iterative'"):
        make_plan(settings, table(n))


def test_candidates_that_knowledge_leaves_are_counted():
    """Of 40 variables in three tiers, those of the last may have all others as parents."""
    data = table(40)
    tiers = [list(data.names[:10]), list(data.names[10:30]), list(data.names[30:])]
    options = {"space": "full", "sampler": "partition", "score": "bge", "max_parents": 1}
    with pytest.raises(OptionError, match="chains on 39 candidates"):
        make_plan(Settings(tiers=tiers, **options), data)


def test_a_full_space_that_fits_is_planned(monkeypatch):
    monkeypatch.setattr(plan, "default_memory_limit", lambda: 10**12)
    options = {"space": "full", "sampler": "partition", "score": "bge", "max_parents": 1}
    assert make_plan(Settings(**options), table(20)).space_name == "full"


def test_a_full_space_of_many_variables_is_refused_at_once():
    with pytest.raises(OptionError, match=r"at most 64 candidates of a node, found 299"):
        make_plan(Settings(space="full", sampler="partition"), table(300))


def test_a_full_space_of_many_sets_is_refused():
    with pytest.raises(OptionError, match=r"a table of [\d,]+ parent sets needs .* what fits"):
        make_plan(Settings(space="full", sampler="partition", max_parents=12), table(30))


GB = 10**9


@pytest.mark.parametrize(
    ("n", "draws", "told"),
    [
        (600, 10_000, r"draws: 10,000 DAGs of 600 variables.* take at most 1,\d\d\d, or keep at"),
        (600, 1_000, None),
        (3_000, 1, r"and the scores of all pairs, need 1.\d+ GB.*; keep at most 2,\d\d\d columns"),
    ],
)
def test_wide_tables(monkeypatch, n, draws, told):
    """One gigabyte may be used, whatever this machine has."""
    monkeypatch.setattr(plan, "default_memory_limit", lambda: GB)
    wide = unchecked(n)
    if told is None:
        make_plan(Settings(draws=draws), wide)
        return
    with pytest.raises(OptionError, match=told):
        make_plan(Settings(draws=draws), wide)


def unchecked(n):
    """A table of n columns that nobody looks at, without the time to check them."""
    values = np.random.default_rng(0).normal(size=(12, n))
    return Dataset._of_checked(values, tuple(f"V{j}" for j in range(n)), "none", ())


@pytest.mark.parametrize(
    ("n", "rows", "plus_one"),
    [(30, 100, True), (100, 150, True), (101, 150, False), (500, 300, False), (20, 65_537, False)],
)
def test_parents_from_outside_the_candidates(n, rows, plus_one):
    """Not of wide or long tables; five hundred columns are no wall."""
    values = np.random.default_rng(0).normal(size=(rows, n))
    made = make_plan(Settings(score="bge", draws=100), load_table(values))
    assert isinstance(made.space, IterativeSpace)
    assert made.space.plus_one == plus_one
