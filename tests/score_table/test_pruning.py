"""Parent sets that are left out, predicted or scored: against plain loops, and what it costs."""

from itertools import combinations

import numpy as np
import pytest

import gpnet
from gpnet.data.load import load_table
from gpnet.inference.more_parents import larger
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.context import Notes
from gpnet.runtime.progress import Continued
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.pruning import (
    CLOSE,
    CLOSE_OUTSIDE,
    MOST_AT_ONCE,
    MOST_AT_ONCE_OUTSIDE,
    Levels,
)
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import log_priors, tabulate
from gpnet.scores.smooth import SmoothScore
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import STRUCTURE_PRIORS, Knowledge, PriorSettings, UniformPrior
from tests.score_table.drawn import drawn_scored

SPACES = {
    "inside": SearchSpace(((1, 2, 3, 4, 5), (), (), (), (), ()), 5),
    "plus one": SearchSpace(((2, 4, 5), (), (), (), (), ()), 4, plus_one=True),
    "nobody": SearchSpace(((), (), (), (), (), ()), 2, plus_one=True),
}


def plainly(space, truth, quick, log_prior, margin):
    """By set: scored, drawn from or left out, from dictionaries alone."""
    value, best, fate = {}, {}, {}
    for parents in space.all_parent_sets(0):
        size = len(parents)
        smaller = list(combinations(parents, size - 1)) if size else []
        top = max((best[s] for s in smaller), default=-np.inf)
        guess = None
        inside = set(parents) <= set(space.candidates[0])
        most = MOST_AT_ONCE if inside else MOST_AT_ONCE_OUTSIDE
        if size >= 2:
            guess = quick[parents] + max(value[s] - quick[s] for s in smaller)
        if 2 <= size <= most:
            for one, other in combinations(smaller, 2):
                both = tuple(sorted(set(one) & set(other)))
                guess = max(guess, value[one] + value[other] - value[both])
        if size >= (3 if inside else 2):
            close = CLOSE if inside else CLOSE_OUTSIDE
            below = top - log_prior[parents] - guess
            if size > most or below > min(close, margin):
                fate[parents] = "left out" if below > margin else "drawn from"
        scored = parents not in fate
        if scored:
            fate[parents] = "scored"
        value[parents] = truth[parents] if scored else guess
        best[parents] = max(top, truth[parents] + log_prior[parents] if scored else -np.inf)
    return fate, value


@pytest.mark.parametrize("margin", [0.0, 3.0, 10.0])
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_choices_are_those_of_plain_loops(name, margin, seed):
    space, rng = SPACES[name], np.random.default_rng(seed)
    sets = list(space.all_parent_sets(0))
    truth, quick, log_prior = (
        dict(zip(sets, rng.normal(size=(3, len(sets)))[k] * s, strict=True))
        for k, s in enumerate((6, 5, 1))
    )
    fate, value = plainly(space, truth, quick, log_prior, margin)

    def surrogate(node, size):
        return np.array([quick[one] for one in space.parent_sets(node, size)])

    levels = Levels(space, 0, np.array([log_prior[one] for one in sets]), margin, surrogate)
    for size in space.sizes:
        here = list(space.parent_sets(0, size))
        choice = levels.choose(size)
        found = np.where(
            choice.scored, "scored", np.where(choice.drawn_from, "drawn from", "left out")
        )
        assert found.tolist() == [fate[one] for one in here]
        known = np.array([truth[one] for one in here])
        guessed = [value[one] for one in here if fate[one] != "scored"]
        np.testing.assert_allclose(choice.predictions[~choice.scored], guessed, atol=1e-12)
        levels.record(np.where(choice.scored, known, np.nan), size)


def penalised(n):
    return STRUCTURE_PRIORS["edges"].from_settings(PriorSettings(n, 3.8))


@pytest.mark.parametrize("nonlinearity", [0.0, 1.0])
def test_probabilities_hardly_change(nonlinearity):
    made = gpnet.simulate(nodes=7, rows=100, nonlinearity=nonlinearity, seed=4)
    data, prior = load_table(made.frame()), penalised(7)
    score = make_plan(Settings(), data).score.proposal()
    space = FullSpace(max_parents=4).build(data, prior)
    whole = tabulate(data, space, score, prior)
    pruned = tabulate(data, space, score, prior, prune=10.0)
    assert pruned.n_computed < 0.8 * whole.n_computed == 0.8 * space.n_sets()
    for one, other in zip(pruned.nodes, whole.nodes, strict=True):
        some = one.computed
        # Climbs begin where those of smaller sets ended, of which fewer are known.
        np.testing.assert_allclose(one.log_marginals[some], other.log_marginals[some], atol=1e-4)
        assert np.isfinite(one.predictions[~some]).all()
        assert np.isneginf(one.log_marginals[one.left_out]).all()
    before = ExactSampler().marginals(whole).edges

    def change(margin):
        found = tabulate(data, space, score, prior, prune=margin)
        return np.abs(before - ExactSampler().marginals(drawn_scored(found, data, score)).edges)

    assert change(10.0).max() < 0.003
    # The control: a margin that is too small does change them.
    assert change(0.0).max() > max(0.001, 5 * change(10.0).max())


def test_required_parents_leave_nothing_to_compare_with():
    """All smaller sets may be forbidden; what is allowed is scored all the same."""
    made = gpnet.simulate(nodes=5, rows=60, seed=1)
    data = load_table(made.frame())
    names = data.names
    required = [(names[0], names[4]), (names[1], names[4]), (names[2], names[4])]
    prior = Knowledge(UniformPrior(), names, required=required)
    table = tabulate(data, FullSpace().build(data, prior), SmoothScore(), prior, prune=0.0)
    assert np.isfinite(table.log_score(4, (0, 1, 2)))


def test_what_is_predicted_is_scored_once_it_is_drawn():
    """With parents from outside the candidates: no drawn set keeps a prediction."""
    made = gpnet.simulate(nodes=20, rows=60, edge_probability=0.1, seed=2)
    posterior = gpnet.learn(made.frame(), draws=200, chains=2, curves=False)
    diagnosis = posterior.diagnosis
    assert diagnosis.sets_left_out > 0
    assert 0 < diagnosis.left_out_change < 0.02
    scores = posterior.local_scores
    for places in scores.places(posterior.without_doubt().dags):
        assert (places >= 0).all()
        assert np.isfinite(scores.std_error[places]).all()


def test_more_parents_where_four_do_not_do():
    """A node with six parents: found without being asked for, and not where the user said four."""
    rng = np.random.default_rng(0)
    parents = rng.normal(size=(300, 6))
    table = np.column_stack([parents, parents.sum(axis=1) + 0.3 * rng.normal(size=300)])
    found = gpnet.learn(table, draws=300, curves=False, score="linear")
    assert found.diagnosis.max_parents == 6
    assert found.without_doubt().edge_probabilities().to_numpy()[:6, 6].min() > 0.99
    asked = gpnet.learn(table, draws=300, curves=False, score="linear", max_parents=4)
    assert asked.diagnosis.max_parents == 4
    assert "too few" in asked.diagnosis.verdict


def test_more_parents_that_do_not_fit_are_told(monkeypatch):
    data = load_table(np.random.default_rng(0).normal(size=(30, 6)))
    plan, notes = make_plan(Settings(), data), Notes()
    space = FullSpace(max_parents=4).build(data)
    full = np.zeros((8, 6, 6), dtype=bool)
    full[:, :4, 5] = True
    wider = larger(space, full, np.full(8, 1 / 8), plan, notes)
    assert wider.caps == (4, 4, 4, 4, 4, 5)
    assert larger(space, np.zeros_like(full), np.full(8, 1 / 8), plan, notes) is None
    assert list(notes) == []

    def refuse(*_):
        raise gpnet.OptionError("needs 9 GB")

    monkeypatch.setattr("gpnet.inference.more_parents.check_space", refuse)
    assert larger(space, full, np.full(8, 1 / 8), plan, notes) is None
    assert list(notes) == ["5 parents of a variable were not tried: needs 9 GB"]


@pytest.mark.parametrize("prune", [-1, "on", float("nan")])
def test_a_margin_that_is_none(prune):
    with pytest.raises(gpnet.GpnetError, match="prune"):
        gpnet.learn(np.random.default_rng(0).normal(size=(30, 3)), prune=prune)


def test_caps_of_nodes_leave_no_place_for_larger_sets():
    everyone = SearchSpace(((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)), 3)
    capped = SearchSpace(everyone.candidates, 3, caps=(1, 3, 0, 3))
    assert [capped.cap(node) for node in range(4)] == [1, 3, 0, 3]
    for node in range(4):
        sets = list(capped.all_parent_sets(node))
        cap = capped.cap(node)
        assert sets == [one for one in everyone.all_parent_sets(node) if len(one) <= cap]
        assert [capped.index(node, one) for one in sets] == list(range(capped.n_sets(node=node)))
        assert len(log_priors(capped, UniformPrior())[node]) == len(sets)
        if cap < 3:
            with pytest.raises(gpnet.GpnetError, match="at most"):
                capped.index(node, everyone.candidates[node][: cap + 1])
    with pytest.raises(gpnet.GpnetError, match="caps"):
        SearchSpace(everyone.candidates, 2, caps=(1, 3, 0, 2))


def test_predictions_are_moved_by_node_and_size():
    made = gpnet.simulate(nodes=8, rows=60, seed=3)
    data, prior = load_table(made.frame()), penalised(8)
    space = SearchSpace(((1, 2), *((0,),) * 7), 2, plus_one=True)
    score = make_plan(Settings(), data).score.proposal()
    table = tabulate(data, space, score, prior, prune=10.0)
    assert table.predicted
    guessed = (table.nodes[0].log_marginals > -np.inf) & ~table.nodes[0].computed
    moved = table.with_predictions_moved({(0, 2): 1.5})
    expected = table.nodes[0].log_marginals + np.where(guessed, 1.5, 0.0)
    np.testing.assert_array_equal(moved.nodes[0].log_marginals, expected)
    assert guessed.any()
    for one, other in zip(moved.nodes[1:], table.nodes[1:], strict=True):
        np.testing.assert_array_equal(one.log_marginals, other.log_marginals)


def test_repeated_passes_go_on_where_the_last_one_ended():
    told = []
    passes = Continued(lambda *news: told.append(news))
    for total in (3, 2):
        tell = passes.next_pass("drawing DAGs")
        for done in range(1, total + 1):
            tell(done, total, 0.0)
    assert [news[:2] for news in told] == [(1, 3), (2, 3), (3, 3), (4, 5), (5, 5)]


def test_noise_that_varies_with_two_parents_together_is_seen():
    """Each by itself tells little of it, nor do curves: a surrogate of normal noise sees nothing.

    As on scikit-learn's wine table, where sets of three were predicted 14 nats too low.
    """
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, 200))
    y = 0.8 * c + np.exp(0.7 * (a + b)) * rng.normal(size=200)
    data = load_table(np.column_stack([a, b, c, y]), transform="none")
    prior = penalised(4)
    score = make_plan(Settings(), data).score.proposal()
    space = FullSpace(max_parents=3).build(data, prior)
    whole = tabulate(data, space, score, prior)
    pruned = tabulate(data, space, score, prior, prune=10.0)
    quick = np.array([SmoothScore().log_marginal(data, 3, pa).value for pa in ((), (0, 1))])
    assert whole.log_marginal(3, (0, 1)) - whole.log_marginal(3, ()) > np.diff(quick)[0] + 10
    for parents in ((0, 1), (0, 1, 2)):
        assert pruned.is_computed(3, parents)
    exact = ExactSampler()
    change = exact.marginals(whole).edges - exact.marginals(pruned).edges
    assert np.abs(change).max() < 0.003


def test_parents_that_help_only_together_are_not_left_out():
    """Under gp2, of which no smaller set tells."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 100))
    table = np.column_stack([a, b, a * b + 0.3 * rng.normal(size=100)])
    data = load_table(table)
    assert make_plan(Settings(score="gp2", prune=10.0), data).prune is None
    assert make_plan(Settings(prune=10.0), data).prune == 10.0
    found = gpnet.learn(table, score="gp2", max_parents=2, draws=200, curves=False)
    assert found.probability("V1 -> V3 and V2 -> V3") > 0.9
