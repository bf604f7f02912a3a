"""Whatever the core is given that it cannot take, it says so: no crash, no loop, no garbage.

Each line of a table is one misuse. It must raise the error told, with a message that names the
argument, what was expected and what was found; on every build that this processor can run. Here:
tables over parent sets, and exact sums; chains and Gaussian processes have files of their own.
"""

import numpy as np
import pytest

from tests.core.misuse import check_table, refused
from tests.core.small import (
    EMPTY,
    dag,
    exact,
    exact_node,
    node_sets,
    plus_one_sets,
    set_scores,
    tables,
)

NAN, INF = np.nan, np.inf

# Tables over parent sets, for sums and best sets alike


def of_kind(kind, n_nodes=3, from_outside=False, **changed):
    """Sets node 0 of a new table."""
    sets = plus_one_sets if from_outside else node_sets
    return lambda core: getattr(core, kind)(n_nodes, from_outside).set_node(**sets(0) | changed)


@pytest.mark.parametrize("kind", ["ParentSums", "BestSets"])
@check_table(
    ("no nodes", ValueError, "n_nodes", {"n_nodes": 0}),
    ("negative nodes", ValueError, "n_nodes", {"n_nodes": -1}),
    ("too many nodes", ValueError, "n_nodes", {"n_nodes": 2**15}),
    ("node beyond", IndexError, "node", {"node": 3}),
    ("node negative", IndexError, "node", {"node": -1}),
    ("candidate beyond", IndexError, "candidates", {"candidates": [1, 3]}),
    ("candidate negative", IndexError, "candidates", {"candidates": [1, -1]}),
    ("candidate twice", ValueError, "candidates", {"candidates": [1, 1]}),
    ("candidate itself", ValueError, "candidates", {"candidates": [0, 1]}),
    ("mask beyond", ValueError, "masks", {"masks": np.array([0, 1, 2, 4], dtype=np.uint64)}),
    ("mask of 33 bits", ValueError, "masks", {"masks": np.uint64([0, 1, 2, 2**32])}),
    ("mask of 64 bits", ValueError, "masks", {"masks": np.uint64([0, 1, 2, 2**63])}),
    ("masks signed", TypeError, "masks", {"masks": np.array([0, 1, 2, -1])}),
    ("set twice", ValueError, "masks", {"masks": np.uint64([0, 1, 2, 2])}),
    ("masks short", ValueError, "plus_one", {"masks": np.arange(3, dtype=np.uint64)}),
    ("plus_one short", ValueError, "plus_one", {"plus_one": np.full(3, -1, dtype=np.int32)}),
    ("plus_one without it", ValueError, "plus_one", {"plus_one": np.full(4, 2, dtype=np.int32)}),
    ("scores short", ValueError, "log_scores", {"log_scores": np.zeros(3)}),
    ("scores long", ValueError, "log_scores", {"log_scores": np.zeros(5)}),
    ("scores nan", ValueError, "log_scores", {"log_scores": np.array([0, 0, NAN, 0])}),
    ("scores infinite", ValueError, "log_scores", {"log_scores": np.array([0, 0, INF, 0])}),
    ("scores too large", ValueError, "log_scores", {"log_scores": np.array([0, 0, 1e12, 0])}),
    ("scores too small", ValueError, "log_scores", {"log_scores": np.array([0, 0, -1e12, 0])}),
    ("masks of two dimensions", TypeError, "masks", {"masks": np.zeros((4, 1), dtype=np.uint64)}),
)
def test_sets_of_a_node(core, kind, error, argument, call):
    refused(core, error, argument, of_kind(kind, **call))


@pytest.mark.parametrize("kind", ["ParentSums", "BestSets"])
@check_table(
    ("beyond", IndexError, "plus_one", {"plus_one": np.int32([-1, -1, 3, 3])}),
    ("negative", IndexError, "plus_one", {"plus_one": np.int32([-1, -1, -2, -2])}),
    ("wrapped to 16 bits", IndexError, "plus_one", {"plus_one": np.int32([-1, -1, 2, 2**16 + 2])}),
    ("itself", ValueError, "plus_one", {"plus_one": np.int32([-1, -1, 0, 0])}),
    ("a candidate", ValueError, "plus_one", {"plus_one": np.int32([-1, -1, 1, 1])}),
    ("set twice", ValueError, "masks", {"masks": np.uint64([0, 1, 1, 1])}),
    ("of 64 bits", TypeError, "plus_one", {"plus_one": np.array([-1, -1, 2, 2**32 + 2])}),
)
def test_plus_one_parents_of_sets(core, kind, error, argument, call):
    refused(core, error, argument, of_kind(kind, from_outside=True, **call))


def many_candidates(kind, n):
    nothing = {"masks": np.zeros(1, dtype=np.uint64), "plus_one": np.full(1, -1, dtype=np.int32)}
    return of_kind(kind, n + 1, candidates=list(range(1, n + 1)), log_scores=np.zeros(1), **nothing)


@pytest.mark.parametrize("kind", ["ParentSums", "BestSets"])
def test_more_candidates_than_bits(core, kind):
    refused(core, ValueError, "candidates", many_candidates(kind, 32))
    refused(core, ValueError, "candidates", many_candidates(kind, 64))


@pytest.mark.parametrize("kind", ["ParentSums", "BestSets"])
def test_a_node_is_set_once(core, kind):
    """Chains stand on the tables of a node."""
    found = tables(core, kind)
    refused(core, RuntimeError, "set_node", lambda _: found.set_node(**node_sets(1)))


@check_table(
    ("search before all nodes", RuntimeError, "search", lambda c: tables(c, "BestSets", n_set=2)),
    ("search of nothing", RuntimeError, "search", lambda c: c.BestSets(3, True)),
)
def test_search_before_its_nodes(core, error, argument, call):
    refused(core, error, argument, lambda c: call(c).search(10, 1))


def test_search_backwards(core):
    best = tables(core, "BestSets")
    refused(core, ValueError, "n_iterations", lambda _: best.search(-1, 1))


@check_table(
    ("backwards", ValueError, "n_iterations", (np.zeros((3, 3), dtype=bool), -1)),
    ("too small", ValueError, "start", (np.zeros((2, 2), dtype=bool), 1)),
    ("a cycle", ValueError, "start", (np.roll(np.eye(3, dtype=bool), 1, axis=1), 1)),
)
def test_improving_what_is_no_dag(core, error, argument, call):
    best = tables(core, "BestSets")
    refused(core, error, argument, lambda _: best.improve(*call, 1))


def test_improving_before_all_nodes(core):
    start = np.zeros((3, 3), dtype=bool)
    best = tables(core, "BestSets", n_set=2)
    refused(core, RuntimeError, "improve", lambda _: best.improve(start, 1, 1))


def sum_of(function, node=2, at=(0.0, 1.0, 2.0), level=2.0, previous=1.0, n_set=None):
    return lambda c: getattr(tables(c, n_set=n_set), function)(node, at, level, previous)


@pytest.mark.parametrize("function", ["quick", "log_sum", "one_by_one"])
@check_table(
    ("node beyond", IndexError, "node", {"node": 3}),
    ("node negative", IndexError, "node", {"node": -1}),
    ("node not set", RuntimeError, "node", {"n_set": 2}),
    ("places short", ValueError, "at", {"at": [0.0, 1.0]}),
    ("places long", ValueError, "at", {"at": [0.0, 1.0, 2.0, 3.0]}),
    ("places nan", ValueError, "at", {"at": [0.0, NAN, 2.0]}),
    ("level nan", ValueError, "level", {"level": NAN}),
    ("previous nan", ValueError, "previous", {"previous": NAN}),
    ("previous behind", ValueError, "previous", {"previous": 3.0}),
    ("node before itself", ValueError, "at", {"at": [0.0, 1.0, 1.5]}),
    ("somebody between", ValueError, "at", {"at": [0.0, 1.5, 2.0]}),
)
def test_sums_at_places(core, function, error, argument, call):
    refused(core, error, argument, sum_of(function, **call))


def test_start_before_all_nodes(core):
    refused(core, RuntimeError, "random_start", lambda c: tables(c, n_set=2).random_start(1))


# Scores by set


def scores_of(node=0, candidates=(1, 2), plus_one_parents=(), n_sets=4, n_nodes=3, max_parents=2):
    return lambda c: c.SetScores(n_nodes, max_parents).set_node(
        node, candidates, plus_one_parents, np.zeros(n_sets)
    )


@check_table(
    ("no nodes", ValueError, "n_nodes", scores_of(n_nodes=0)),
    ("negative nodes", ValueError, "n_nodes", scores_of(n_nodes=-3)),
    ("too many nodes", ValueError, "n_nodes", scores_of(n_nodes=10**6)),
    ("negative parents", ValueError, "max_parents", scores_of(max_parents=-1)),
    ("too many parents", ValueError, "max_parents", scores_of(max_parents=2**31 - 1)),
    ("node beyond", IndexError, "node", scores_of(node=3)),
    ("node negative", IndexError, "node", scores_of(node=-1)),
    ("candidate beyond", IndexError, "candidates", scores_of(candidates=(1, 7))),
    ("candidate negative", IndexError, "candidates", scores_of(candidates=(-1, 1))),
    ("candidate twice", ValueError, "candidates", scores_of(candidates=(1, 1))),
    ("candidate itself", ValueError, "candidates", scores_of(candidates=(0, 1))),
    ("outside beyond", IndexError, "plus_one", scores_of(candidates=(1,), plus_one_parents=(3,))),
    ("outside twice", ValueError, "plus_one", scores_of(candidates=(1,), plus_one_parents=(2, 2))),
    ("outside itself", ValueError, "plus_one", scores_of(candidates=(1,), plus_one_parents=(0,))),
    ("outside inside", ValueError, "plus_one", scores_of(plus_one_parents=(2,))),
    ("scores short", ValueError, "log_scores", scores_of(n_sets=3)),
    ("scores long", ValueError, "log_scores", scores_of(n_sets=5)),
    ("none", ValueError, "log_scores", scores_of(n_sets=0)),
    (
        "scores nan",
        ValueError,
        "log_scores",
        lambda c: c.SetScores(3, 2).set_node(0, [1, 2], [], np.full(4, NAN)),
    ),
    (
        "a node twice",
        RuntimeError,
        "set_node",
        lambda c: set_scores(c).set_node(0, [1, 2], [], np.zeros(4)),
    ),
    ("score beyond", IndexError, "node", lambda c: set_scores(c).log_score(3, EMPTY)),
    ("score negative", IndexError, "node", lambda c: set_scores(c).log_score(-1, EMPTY)),
    ("score not set", RuntimeError, "node", lambda c: set_scores(c, n_set=2).log_score(2, EMPTY)),
    ("dag small", ValueError, "dag", lambda c: set_scores(c).log_score(0, EMPTY[:2, :2].copy())),
    ("dag large", ValueError, "dag", lambda c: set_scores(c).log_score(0, dag(n=4))),
    ("dag oblong", ValueError, "dag", lambda c: set_scores(c).log_score(0, EMPTY[:2])),
)
def test_scores_by_set(core, error, argument, call):
    refused(core, error, argument, call)


# Exact sums


def added(n_before=0, n=3, **changed):
    """One node more, after so many as they should be."""
    return lambda c: exact(c, n, n_added=n_before).add_node(**exact_node(n_before, n) | changed)


@check_table(
    ("no nodes", ValueError, "n_nodes", lambda c: c.ExactDags(0)),
    ("negative nodes", ValueError, "n_nodes", lambda c: c.ExactDags(-1)),
    ("21 nodes", ValueError, "n_nodes", lambda c: c.ExactDags(21)),
    ("32 nodes", ValueError, "n_nodes", lambda c: c.ExactDags(32)),
    ("a million nodes", ValueError, "n_nodes", lambda c: c.ExactDags(10**6)),
    ("universe beyond", ValueError, "universe", added(universe=0b1110)),
    ("universe far beyond", ValueError, "universe", added(universe=2**32 - 2)),
    ("universe with itself", ValueError, "universe", added(universe=0b111)),
    ("set beyond universe", ValueError, "sets", added(universe=0b10)),
    ("set beyond nodes", ValueError, "sets", added(sets=np.uint32([0, 2, 4, 2**31]))),
    ("set far beyond", TypeError, "sets", added(sets=np.array([0, 2, 4, 2**32 + 6]))),
    ("set twice", ValueError, "sets", added(sets=np.uint32([0, 2, 4, 4]))),
    ("weights short", ValueError, "log_weights", added(log_weights=np.zeros(3))),
    ("weights long", ValueError, "log_weights", added(log_weights=np.zeros(5))),
    ("weights nan", ValueError, "log_weights", added(log_weights=np.full(4, NAN))),
    ("weights infinite", ValueError, "log_weights", added(log_weights=np.full(4, INF))),
    ("weights too large", ValueError, "log_weights", added(log_weights=np.full(4, 1e10))),
    ("weights too small", ValueError, "log_weights", added(log_weights=np.full(4, -1e10))),
    ("a node too many", RuntimeError, "add_node", lambda c: exact(c).add_node(**exact_node(0))),
    ("forward of nothing", RuntimeError, "forward", lambda c: c.ExactDags(3).forward(27)),
    ("forward too early", RuntimeError, "forward", lambda c: exact(c, n_added=2).forward(27)),
    ("forward backwards", ValueError, "n_steps", lambda c: exact(c).forward(-1)),
    ("forward too far", ValueError, "n_steps", lambda c: exact(c).forward(2**63 - 1)),
    ("backward too early", RuntimeError, "backward", lambda c: exact(c).backward(27)),
    ("backward backwards", ValueError, "n_steps", lambda c: exact(c, forward=True).backward(-1)),
    ("prepare too early", RuntimeError, "prepare_draws", lambda c: exact(c).prepare_draws()),
    (
        "prepare halfway",
        RuntimeError,
        "prepare_draws",
        lambda c: (half := exact(c), half.forward(1), half.prepare_draws()),
    ),
    (
        "prepare without sets",
        RuntimeError,
        "prepare_draws",
        lambda c: exact(c, forward=True, keep_sets=False).prepare_draws(),
    ),
    (
        "prepare without any DAG",
        RuntimeError,
        "prepare_draws",
        lambda c: exact(c, forward=True, log_weights=np.full(4, -INF)).prepare_draws(),
    ),
    (
        "backward without any DAG",
        RuntimeError,
        "backward",
        lambda c: exact(c, forward=True, log_weights=np.full(4, -INF)).backward(27),
    ),
    ("draw of nothing", RuntimeError, "draw", lambda c: c.ExactDags(3).draw(1, 0, 5)),
    ("draw before forward", RuntimeError, "draw", lambda c: exact(c).draw(1, 0, 5)),
    ("draw too early", RuntimeError, "draw", lambda c: exact(c, forward=True).draw(1, 0, 5)),
    ("first negative", ValueError, "first", lambda c: exact(c, prepared=True).draw(1, -1, 5)),
    ("first too far", ValueError, "first", lambda c: exact(c, prepared=True).draw(1, 2**63 - 1, 5)),
    ("draws negative", ValueError, "n_draws", lambda c: exact(c, prepared=True).draw(1, 0, -5)),
    ("normaliser", RuntimeError, "log_normaliser", lambda c: exact(c).log_normaliser),
    ("forward error", RuntimeError, "forward_error", lambda c: exact(c).forward_error),
    ("edges", RuntimeError, "edges", lambda c: exact(c, forward=True).edges),
    ("descendants", RuntimeError, "descendants", lambda c: exact(c, forward=True).descendants),
    ("mass error", RuntimeError, "mass_error", lambda c: exact(c, forward=True).mass_error),
    (
        "backward normaliser",
        RuntimeError,
        "log_backward_normaliser",
        lambda c: exact(c, forward=True).log_backward_normaliser,
    ),
)
def test_exact_sums(core, error, argument, call):
    refused(core, error, argument, call)
