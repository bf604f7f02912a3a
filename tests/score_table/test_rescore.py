"""Accurate scores of the sets that were visited."""

from itertools import combinations

import pytest

import gpnet
from gpnet.common.errors import StoreError
from gpnet.data.load import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.runtime.store import Store
from gpnet.runtime.stored_row import Source
from gpnet.score_table.rescore import Rescorer
from gpnet.scores import GpScore, LinearScore
from tests.contexts import PASSED, context

FAMILIES = [(0, (1, 2)), (1, ()), (2, (0,)), (2, (0, 1)), (0, (2,))]


@pytest.fixture(scope="module")
def data():
    return load_table(gpnet.simulate(nodes=3, rows=40, edge_probability=1.0, seed=2).frame())


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "scores") as store:
        yield store


@pytest.mark.parametrize("workers", [1, 2])
def test_as_the_score_itself_says(data, store, workers):
    score = GpScore(seed=4)
    found = Rescorer(data, score, context(workers, store=store)).rescore(FAMILIES)
    assert list(found) == FAMILIES
    for (node, parents), evidence in found.items():
        expected = score.log_marginal(data, node, parents)
        assert repr(evidence) == repr(expected)  # every digit, and nan is nan


def test_families_go_together_to_a_cluster_where_there_are_enough(data):
    """Twelve for one worker with two tasks under way: two parts for each of these."""

    class Counted(Workers):
        def submit(self, task, *args):
            sizes.append(len(args[-1]))
            return super().submit(task, *args)

    sizes, score = [], LinearScore()
    families = [(v, p) for v in range(3) for p in subsets({0, 1, 2} - {v})]
    alone = Rescorer(data, score).rescore(families)
    assert Rescorer(data, score, RunContext(cluster=Counted())).rescore(families) == alone
    assert sizes == [3, 3, 3, 3]
    assert list(alone) == families


def subsets(variables):
    sets = [combinations(sorted(variables), size) for size in range(len(variables) + 1)]
    return [one for some in sets for one in some]


def test_hints_of_the_proposal_change_no_number(data, store):
    score = GpScore()
    for node in range(3):
        others = [(j,) for j in range(3) if j != node]
        scores = score.proposal().log_marginals(data, node, others, {})
        source = Source(data.fingerprint, score.proposal().fingerprint)
        store.put(source, node, dict(zip(others, scores, strict=True)))
    store.flush()
    found = Rescorer(data, score, context(store=store)).rescore(FAMILIES)
    assert [found[f].value for f in FAMILIES] == [
        score.log_marginal(data, *family).value for family in FAMILIES
    ]


class Counting(GpScore):
    """Counts what it is asked, and fails at a family of its choice."""

    fails_at = None

    def _log_marginals(self, data, node, parent_sets, hints):
        for parents in parent_sets:
            if (node, parents) == self.fails_at:
                raise KeyboardInterrupt
            self.asked.append((node, parents))
        return super()._log_marginals(data, node, parent_sets, hints)


def counting(**fields):
    score = Counting(evidence=EVIDENCE_METHODS["laplace"](), **fields)
    object.__setattr__(score, "asked", [])
    return score


def test_what_the_store_has_is_not_computed_again(data, store):
    score = counting()
    Rescorer(data, score, context(store=store)).rescore(FAMILIES[:3])
    assert score.asked == FAMILIES[:3]
    Rescorer(data, score, context(store=store)).rescore(FAMILIES)
    assert score.asked == FAMILIES


def test_an_interrupt_keeps_what_came_before_it(data, store):
    score = counting()
    object.__setattr__(score, "fails_at", FAMILIES[3])
    with pytest.raises(KeyboardInterrupt):
        Rescorer(data, score, context(store=store)).rescore(FAMILIES)
    object.__setattr__(score, "fails_at", None)
    score.asked.clear()
    Rescorer(data, score, context(store=store)).rescore(FAMILIES)
    assert set(score.asked) <= set(FAMILIES[3:])


def test_after_the_deadline_only_what_is_stored(data, store):
    score = counting()
    Rescorer(data, score, context(store=store)).rescore(FAMILIES[:2])
    found = Rescorer(data, score, context(store=store, deadline=PASSED)).rescore(FAMILIES)
    assert set(found) == set(FAMILIES[:2])


def test_progress_counts_what_is_computed(data, store):
    told = []
    progress = context(store=store, progress=lambda done, total, left: told.append((done, total)))
    Rescorer(data, counting(), progress).rescore(FAMILIES)
    assert told == [(i + 1, len(FAMILIES)) for i in range(len(FAMILIES))]


def test_a_store_that_was_closed_says_so(data, tmp_path):
    with Store(tmp_path / "closed") as store:
        pass
    with pytest.raises(StoreError, match="closed"):
        Rescorer(data, GpScore(), context(store=store)).rescore(FAMILIES)
