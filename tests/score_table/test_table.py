"""The table and how it is filled: the right numbers in the right order, whatever happens."""

import io
import math
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from time import sleep
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpnet import load_table, simulate
from gpnet.common.errors import EvidenceError, OptionError
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.runtime.progress import Countdown, shown
from gpnet.runtime.store import Store
from gpnet.runtime.stored_row import Source
from gpnet.score_table.memory import BYTES_PER_SET, check_memory, memory_needed
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, log_priors, tabulate
from gpnet.scores import BgeScore, GpScore, Score
from gpnet.scores.model_cache import MODELS
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import StructurePrior, UniformPrior
from tests.contexts import context
from tests.runtime.test_store import full_disk

DATA = load_table(simulate(nodes=6, rows=30, seed=3).values)
FULL = FullSpace().build(DATA)  # 6 nodes of 32 sets
UNIFORM = UniformPrior()


@dataclass(frozen=True)
class FakeScore(Score):
    """A number for each set; writes down what it is asked, and may be slow or fail."""

    name: str = "fake"
    delay: float = field(default=0.0, repr=False)  # no part of the fingerprint
    trouble: Callable | None = field(default=None, repr=False)
    asked: list = field(default_factory=list, repr=False)

    @classmethod
    def from_settings(cls, settings):
        return cls()

    def _log_marginals(self, data, node, parent_sets, hints):
        found = []
        for parents in parent_sets:
            sleep(self.delay)
            if self.trouble:
                self.trouble(node, parents, hints)
            self.asked.append((node, parents))
            found.append(fake_evidence(node, parents))
        return found


def fake_evidence(node, parents):
    value = math.sin(node + sum((p + 1.5) ** 3 for p in parents))
    return Evidence(value, 0.1, "fake", mode=(float(node), *map(float, parents)))


def every_set(space):
    return [(v, pa) for v in range(space.n_variables) for pa in space.all_parent_sets(v)]


def same(one, two):
    for a, b in zip(one.nodes, two.nodes, strict=True):
        for name in ("masks", "log_marginals", "log_priors", "log_scores"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.fixture(scope="module")
def expected():
    return tabulate(DATA, FULL, FakeScore(), UNIFORM)


# Search spaces


@st.composite
def spaces(draw):
    n = draw(st.integers(1, 6))
    others = [[v for v in range(n) if v != node] for node in range(n)]
    candidates = tuple(
        tuple(sorted(draw(st.sets(st.sampled_from(o))) if o else ())) for o in others
    )
    return SearchSpace(candidates, draw(st.integers(0, 6)), draw(st.booleans()))


def place_in_order(space, node):
    """By size, then without and with plus-one parents, then lexicographic among candidates."""
    inside = set(space.candidates[node])

    def key(parents):
        return (
            len(parents),
            [p for p in parents if p not in inside],
            [p for p in parents if p in inside],
        )

    return key


@settings(deadline=None)
@given(spaces())
def test_masks_and_plus_one_parents_spell_the_sets(space):
    zeros = [np.zeros(space.n_sets(node=node)) for node in range(space.n_variables)]
    table = ScoreTable.assemble(["x"] * space.n_variables, space, zeros, zeros)
    for node, scores in enumerate(table.nodes):
        for parents, mask, plus_one in zip(
            space.all_parent_sets(node), scores.masks, scores.plus_one, strict=True
        ):
            inside = {c for j, c in enumerate(scores.candidates) if int(mask) >> j & 1}
            assert set(parents) == inside | ({int(plus_one)} if plus_one >= 0 else set())


@settings(deadline=None)
@given(spaces())
def test_counts_and_places_follow_the_formulas(space):
    for node in range(space.n_variables):
        sets = list(space.all_parent_sets(node))
        assert space.n_sets(node=node) == len(sets)
        assert [space.index(node, parents) for parents in sets] == list(range(len(sets)))
        assert sets == sorted(sets, key=place_in_order(space, node))
        assert set(sets) == {
            parents
            for size in range(space.max_parents + 1)
            for parents in combinations(range(space.n_variables), size)
            if node not in parents
            and len(set(parents) - set(space.candidates[node])) <= space.plus_one
        }
    assert space.n_sets() == len(every_set(space))
    for size in range(8):
        of_size = [(v, pa) for v, pa in every_set(space) if len(pa) == size]
        assert space.n_sets(size=size) == len(of_size)
        assert of_size == [
            (v, pa) for v in range(space.n_variables) for pa in space.parent_sets(v, size)
        ]


def test_counts_need_no_enumeration():
    data = load_table(np.random.default_rng(0).standard_normal((20, 60)))
    assert FullSpace().build(data).n_sets() == 60 * 2**59


@pytest.mark.parametrize(
    ("candidates", "max_parents"),
    [
        (((0,), ()), 1),
        (((1,), (2,)), 1),
        (((-1,), ()), 1),
        (((2, 1), (), ()), 1),
        (((1, 1), ()), 1),
        (([1], ()), 1),
        (((), ()), -1),
    ],
)
def test_impossible_spaces_are_refused(candidates, max_parents):
    with pytest.raises(OptionError, match=r"candidates of node|max_parents"):
        SearchSpace(candidates, max_parents)


@pytest.mark.parametrize(
    "family", [(0, (3,)), (0, (2, 1)), (0, (1, 1)), (3, (0, 1, 2)), (9, ()), (-1, ())]
)
def test_sets_outside_the_space_are_refused(family):
    with pytest.raises(OptionError, match="node"):
        SearchSpace(((1, 2), (), (), (0, 1, 2)), 2).index(*family)


# The table


class PerEdge(StructurePrior):
    def log_prob(self, node, parents):
        return -0.5 * len(parents) if 0 not in parents else -math.inf


def test_table_equals_direct_scores():
    data = load_table(DATA.values[:, :4])
    space, score, prior = FullSpace().build(data), BgeScore(), PerEdge()
    table = tabulate(data, space, score, prior)
    assert (table.n_variables, table.names, table.space) == (4, data.names, space)
    for node, scores in enumerate(table.nodes):
        others = tuple(v for v in range(4) if v != node)
        assert scores.candidates == others
        assert scores.masks.dtype == np.uint64
        assert scores.masks.tolist() == [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111]
        sets = [pa for size in range(4) for pa in combinations(others, size)]
        for i, parents in enumerate(sets):
            assert [
                p for j, p in enumerate(others) if scores.masks[i] >> np.uint64(j) & np.uint64(1)
            ] == list(parents)
            marginal = score.log_marginal(data, node, parents).value
            marginal = marginal if 0 not in parents else -math.inf  # forbidden: not computed
            assert scores.log_marginals[i] == table.log_marginal(node, parents) == marginal
            assert scores.log_priors[i] == table.log_prior(node, parents)
            assert table.log_prior(node, parents) == prior.log_prob(node, parents)
            assert scores.log_scores[i] == table.log_score(node, parents)
            assert table.log_score(node, parents) == marginal + prior.log_prob(node, parents)


@pytest.mark.parametrize("method", ["laplace", "qmc"])
def test_gaussian_processes_in_a_table(method):
    data = load_table(DATA.values[:, :4])
    score = GpScore(evidence=EVIDENCE_METHODS[method]())
    space = FullSpace(max_parents=2).build(data)
    one, two = (tabulate(data, space, score, UNIFORM, context(workers)) for workers in (1, 2))
    same(one, two)
    for node, parents in every_set(space):
        direct = score.log_marginal(data, node, parents).value
        assert one.log_score(node, parents) == pytest.approx(direct, abs=1e-4)


def test_masks_reach_the_last_bit():
    space = SearchSpace((tuple(range(1, 65)), *[()] * 64), 1)
    priors = log_priors(space, UNIFORM)
    table = ScoreTable.assemble(["x"] * 65, space, priors, priors)
    assert int(table.nodes[0].masks[-1]) == 2**63
    wide = SearchSpace((tuple(range(1, 66)), *[()] * 65), 1)
    with pytest.raises(OptionError, match="at most 64 candidates"):
        ScoreTable.assemble(["x"] * 66, wide, [], [])


def test_arrays_are_read_only(expected):
    for name in ("masks", "log_marginals", "log_priors", "log_scores"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(expected.nodes[0], name)[0] = 0


def test_some_scores_replaced(expected):
    table = expected.with_prior(PerEdge())
    better = {(1, (2, 4)): Evidence(5.0, 0.0, "x"), (1, ()): Evidence(-6.0, 0.0, "x")}
    new = table.with_log_marginals(better)
    for node, parents in every_set(FULL):
        old = expected.log_marginal(node, parents)
        value = better[node, parents].value if (node, parents) in better else old
        assert new.log_marginal(node, parents) == value
        assert new.log_score(node, parents) == value + PerEdge().log_prob(node, parents)
        assert table.log_marginal(node, parents) == old
    with pytest.raises(OptionError, match="nan"):
        table.with_log_marginals({(0, ()): Evidence(math.nan, 0.0, "x")})


def test_numbers_that_are_none_are_refused(expected):
    columns = [scores.log_marginals for scores in expected.nodes]
    with pytest.raises(OptionError, match=r"node 0.*32 numbers"):
        ScoreTable.assemble(DATA.names, FULL, [column[1:] for column in columns], columns)
    with pytest.raises(OptionError, match=r"node 0.*inf"):
        ScoreTable.assemble(DATA.names, FULL, columns, [column + math.inf for column in columns])


def test_requests_that_do_not_fit_are_refused():
    with pytest.raises(OptionError, match="3 variables for data of 6"):
        tabulate(DATA, SearchSpace(((),) * 3, 1), FakeScore(), UNIFORM)
    with pytest.raises(OptionError, match="workers"):
        context(0)


# Filling it


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_change_nothing(workers, expected):
    same(tabulate(DATA, FULL, FakeScore(), UNIFORM, context(workers)), expected)
    one = tabulate(DATA, FULL, BgeScore(), UNIFORM)
    same(tabulate(DATA, FULL, BgeScore(), UNIFORM, context(workers)), one)


def test_any_executor_will_do():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        elsewhere = RunContext(Workers(processes, 1))
        table = tabulate(DATA, FULL, BgeScore(), UNIFORM, elsewhere)
    same(table, tabulate(DATA, FULL, BgeScore(), UNIFORM))


def test_each_set_is_asked_once_by_size_with_its_hints(expected):
    def check(node, parents, hints):
        smaller = set(combinations(parents, len(parents) - 1)) if parents else set()
        for pa in smaller | ({(p,) for p in parents} if len(parents) > 1 else set()):
            assert repr(hints[pa]) == repr(fake_evidence(node, pa))  # nan is nan
        assert all(len(pa) < len(parents) for pa in hints)

    score = FakeScore(trouble=check)
    same(tabulate(DATA, FULL, score, UNIFORM, context(3)), expected)
    assert sorted(score.asked) == sorted(every_set(FULL))
    sizes = [len(parents) for _, parents in score.asked]
    assert sizes == sorted(sizes)


def test_nodes_with_unlike_candidates():
    space = SearchSpace(((), (0, 2, 3), (5,), (), (1, 3), (0, 1, 2, 3, 4)), 3)
    table = tabulate(DATA, space, FakeScore(), UNIFORM, context(2))
    for node, parents in every_set(space):
        assert table.log_score(node, parents) == fake_evidence(node, parents).value


def test_a_second_run_computes_nothing(tmp_path, expected):
    with Store(tmp_path / "s") as store:
        same(tabulate(DATA, FULL, FakeScore(), UNIFORM, context(2, store=store)), expected)
    again, other = FakeScore(), FakeScore("other settings")
    with Store(tmp_path / "s") as store:
        same(tabulate(DATA, FULL, again, UNIFORM, context(store=store)), expected)
        tabulate(DATA, FULL, other, UNIFORM, context(store=store))
        moved = replace(DATA, values=DATA.values + 1.0)
        tabulate(moved, FULL, last := FakeScore(), UNIFORM, context(store=store))
    assert again.asked == []
    assert len(other.asked) == len(last.asked) == FULL.n_sets()


def test_a_larger_space_computes_only_what_is_new(tmp_path, expected):
    score = FakeScore()
    with Store(tmp_path / "s") as store:
        tabulate(DATA, replace(FULL, max_parents=2), FakeScore(), UNIFORM, context(store=store))
        same(tabulate(DATA, FULL, score, UNIFORM, context(store=store)), expected)
    assert {len(parents) for _, parents in score.asked} == {3, 4, 5}


class Times:
    """Fail on one set, so many times."""

    def __init__(self, n_times, error):
        self.left, self.error = n_times, error

    def __call__(self, node, parents, hints):
        if (node, parents) == (4, (1, 2)) and self.left > 0:
            self.left -= 1
            raise self.error


def test_a_lost_batch_is_run_again(expected):
    score = FakeScore(trouble=Times(1, ConnectionError("a worker was lost")))
    same(tabulate(DATA, FULL, score, UNIFORM, context(2)), expected)


def kept_in(path, error, **options):
    """What the store holds after a run that ended by the error, and what the score had done."""
    with Store(path) as store:
        score = options.pop("score", None) or FakeScore()
        with pytest.raises(type(error), match=str(error)):
            tabulate(DATA, FULL, score, UNIFORM, context(2, store=store, **options))
    with Store(path) as store:
        source = Source(DATA.fingerprint, score.fingerprint)
        nodes = range(FULL.n_variables)
        stored = {
            (v, pa) for v in nodes for pa in store.get_many(source, v, FULL.all_parent_sets(v))
        }
    return stored, set(score.asked)


@pytest.mark.parametrize(
    "trouble", [Times(2, ConnectionError("lost again")), Times(1, EvidenceError("no score"))]
)
def test_an_error_leaves_the_rest_in_the_store(tmp_path, trouble):
    stored, asked = kept_in(tmp_path / "s", trouble.error, score=FakeScore(trouble=trouble))
    assert stored <= asked
    assert {(v, pa) for v, pa in every_set(FULL) if len(pa) <= 1} <= stored
    assert (4, (1, 2)) not in stored


def test_ctrl_c_leaves_all_that_was_computed_in_the_store(tmp_path):
    def press(done, total, seconds_left):
        if done > 70:
            raise KeyboardInterrupt("pressed")

    stored, asked = kept_in(tmp_path / "s", KeyboardInterrupt("pressed"), progress=press)
    assert len(asked) < FULL.n_sets()
    assert stored == asked


def test_a_score_that_is_no_number_is_told_by_name():
    class Nan(FakeScore):
        def _log_marginals(self, data, node, parent_sets, hints):
            return [Evidence(math.nan, 0.0, "x") for _ in parent_sets]

    with pytest.raises(EvidenceError, match=r"'V1' given \[\].*nan"):
        tabulate(DATA, FULL, Nan(), UNIFORM)


def test_a_full_disk_costs_no_results(tmp_path, expected):
    @dataclass(frozen=True)
    class Wordy(FakeScore):
        def _log_marginals(self, data, node, parent_sets, hints):
            plain = super()._log_marginals(data, node, parent_sets, hints)
            return [replace(evidence, warnings=("x" * 2000,)) for evidence in plain]

    with Store(tmp_path / "s") as store:
        with full_disk(), pytest.warns(RuntimeWarning, match="not stored.*disk has room"):
            table = tabulate(DATA, FULL, Wordy(), UNIFORM, context(store=store))
        same(table, expected)


KILLED = """
import sys
from tests.score_table.test_table import *
with Store(sys.argv[1]) as store:
    tabulate(DATA, FULL, FakeScore(delay=0.1), UNIFORM, context(2, store=store))
"""


def test_kill_9_and_start_again(tmp_path, expected):
    path = tmp_path / "s"
    command = [sys.executable, "-c", KILLED, str(path)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    try:
        before = wait_for_rows(path, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    with closing(sqlite3.connect(path)) as killed:
        assert killed.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = killed.execute("SELECT node, parents FROM evidence").fetchall()
    stored = {(node, tuple(map(int, parents.split()))) for node, parents in rows}
    assert before <= len(stored) < FULL.n_sets()
    score = FakeScore()
    with Store(path) as store:
        same(tabulate(DATA, FULL, score, UNIFORM, context(store=store)), expected)
    assert set(score.asked) == set(every_set(FULL)) - stored
    assert len(score.asked) == FULL.n_sets() - len(stored)


def wait_for_rows(path, process):
    """Until something beyond the first size was committed by the other process."""
    for _ in range(2000):
        sleep(0.05)
        assert process.poll() is None, "ended before it was killed"
        if path.exists():
            with closing(sqlite3.connect(path)) as other:
                if other.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    n_rows = other.execute("SELECT count(*) FROM evidence").fetchone()[0]
                    if n_rows > FULL.n_sets(size=0):
                        return n_rows
    raise AssertionError("nothing was stored in 100 s")


# Memory


def test_a_table_that_cannot_fit_is_refused_with_what_would():
    data = load_table(np.random.default_rng(0).standard_normal((20, 30)))
    space = FullSpace().build(data)
    with pytest.raises(OptionError, match=r"16,106,127,360 parent sets needs .* GB") as caught:
        tabulate(data, space, FakeScore(), UNIFORM, memory_limit=10**9)
    words = str(caught.value)
    parents = int(words.split("max_parents=")[1].split(",")[0])
    candidates = int(words.split("at most ")[1].split(" ")[0])
    for fits, k, m in [(True, parents, candidates), (False, parents + 1, candidates + 1)]:
        assert (memory_needed(replace(space, max_parents=k)) <= 10**9) == fits
        assert (memory_needed(space.with_first_candidates(m)) <= 10**9) == fits
    check_memory(replace(space, max_parents=parents), 10**9)
    with pytest.raises(OptionError, match="half of the free memory"):
        check_memory(space)  # half a terabyte for the table alone


def test_memory_counts_what_the_arrays_hold(expected):
    columns = [
        column.nbytes
        for scores in expected.nodes
        for column in (scores.masks, scores.log_marginals, scores.log_priors, scores.log_scores)
    ]
    assert sum(columns) <= memory_needed(FULL)
    assert memory_needed(replace(FULL, max_parents=0)) == 6 * BYTES_PER_SET


# Progress


def test_progress_counts_sets_to_the_end(tmp_path):
    seen = []
    with Store(tmp_path / "s") as store:
        space = replace(FULL, max_parents=1)
        tabulate(DATA, space, FakeScore(), UNIFORM, context(store=store))
        tabulate(
            DATA,
            FULL,
            FakeScore(),
            UNIFORM,
            context=context(store=store, progress=lambda *s: seen.append(s)),
        )
    done, total, left = zip(*seen, strict=True)
    assert list(done) == sorted(set(done))
    assert set(total) == {FULL.n_sets()}
    assert math.isnan(left[0])  # read from the store: nothing is known of the score's pace
    assert seen[-1] == (FULL.n_sets(), FULL.n_sets(), 0.0)


def test_time_left_weighs_sets_by_their_cost(monkeypatch):
    seen = []
    times = iter([100.0, 107.0, 108.0])
    monkeypatch.setattr("gpnet.runtime.progress.monotonic", lambda: next(times))
    countdown = Countdown([4, 0, 0, 2], lambda *state: seen.append(state))
    countdown.advance(0, 2, computed=True)  # 7 s for a cost of 2; 2 + 2 * 4^2.5 = 66 are left
    countdown.advance(3, 2, computed=False)  # these took no time
    assert seen[0] == (2, 6, pytest.approx(7 * 66 / 2))
    assert seen[1] == (4, 6, pytest.approx(8 * 2 / 2))


class Terminal(io.StringIO):
    isatty: ClassVar = lambda self: True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["lines", "bar"])
def test_progress_is_shown(stream):
    with shown("[scores]", stream=stream) as progress:
        tabulate(DATA, FULL, FakeScore(), UNIFORM, context(progress=progress))
    assert f"{FULL.n_sets()}" in stream.getvalue()
    assert "scores" in stream.getvalue()


def test_silent_unless_asked(capsys):
    tabulate(DATA, FULL, FakeScore(), UNIFORM, context(1))
    assert capsys.readouterr() == ("", "")


def test_scores_that_may_be_too_low_are_noted(monkeypatch):
    """Copies of rows, and tables that may not be made finer; else nothing is said."""
    rows = np.random.default_rng(0).standard_normal((25, 2))
    data = load_table(rows[np.random.default_rng(1).integers(0, 25, 100)])
    space = SearchSpace(((1,), (0,)), 1)
    for most, told in ((10, 1), (1200, 0)):
        monkeypatch.setattr("gpnet.gp.fast.MOST_NODES", most)
        MODELS._models.clear()
        run = RunContext()
        tabulate(data, space, GpScore().proposal(), UniformPrior(), run)
        assert len([note for note in run.notes if "2 of 4 parent sets may be" in note]) == told
