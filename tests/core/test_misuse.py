"""Whatever the core is given that it cannot take, it says so: no crash, no loop, no garbage.

Each line of a table is one misuse. It must raise the error told, with a message that names the
argument, what was expected and what was found; on every build that this processor can run.
"""

from threading import Thread

import numpy as np
import pytest

from tests.core.small import (
    BUILDS,
    CYCLE,
    EMPTY,
    GRID,
    KINDS,
    PATH,
    ROWS,
    TWO_PARENTS,
    U,
    chain,
    cover,
    dag,
    exact,
    exact_node,
    net,
    node_sets,
    plus_one_sets,
    set_scores,
    statistics,
    table_of,
    tables,
    variable,
    without_sets_of_two,
)

NAN, INF = np.nan, np.inf
UNITS = np.eye(3)


@pytest.fixture(params=BUILDS)
def core(request):
    return BUILDS[request.param]


def refused(core, error, argument, call):
    with pytest.raises(error) as caught:
        call(core)
    message = str(caught.value)
    if error is TypeError:  # nanobind's own, which shows all that would do
        assert argument in message
    else:
        assert message.startswith(argument)
        assert "expected" in message
        assert "found" in message


def check_table(*rows):
    """A test of each row: its name, the error, the argument and the call."""
    params = [pytest.param(*rest, id=name) for name, *rest in rows]
    return pytest.mark.parametrize(("error", "argument", "call"), params)


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


# Chains

BYTES = np.full((2, 3, 3), 2, dtype=np.uint8).view(bool)  # neither True nor False


@pytest.mark.parametrize("kind", KINDS)
@check_table(
    ("no betas", ValueError, "betas", {"betas": []}),
    ("beta nan", ValueError, "betas", {"betas": [1.0, NAN]}),
    ("first beta nan", ValueError, "betas", {"betas": [NAN, 1.0]}),
    ("beta zero", ValueError, "betas", {"betas": [1.0, 0.0]}),
    ("beta negative", ValueError, "betas", {"betas": [1.0, -0.5]}),
    ("beta above 1", ValueError, "betas", {"betas": [1.0, 2.0]}),
    ("beta infinite", ValueError, "betas", {"betas": [1.0, INF]}),
    ("first beta not 1", ValueError, "betas", {"betas": [0.5, 1.0]}),
    ("fewer starts", ValueError, "starts", {"starts": EMPTY[None]}),
    ("no starts", ValueError, "starts", {"starts": np.zeros((0, 3, 3), dtype=bool)}),
    ("more starts", ValueError, "starts", {"starts": np.zeros((3, 3, 3), dtype=bool)}),
    ("small starts", ValueError, "starts", {"starts": np.zeros((2, 2, 2), dtype=bool)}),
    ("large starts", ValueError, "starts", {"starts": np.zeros((2, 4, 4), dtype=bool)}),
    ("oblong starts", ValueError, "starts", {"starts": np.zeros((2, 3, 2), dtype=bool)}),
    ("one start flat", TypeError, "starts", {"starts": EMPTY}),
    ("start with a cycle", ValueError, "starts", {"starts": np.array([EMPTY, CYCLE])}),
    ("own parent", ValueError, "starts", {"starts": np.array([EMPTY, dag((1, 1))])}),
    ("start of bytes", ValueError, "starts", {"starts": BYTES}),
    ("no steps to a swap", ValueError, "swap_every", {"swap_every": 0}),
    ("negative steps to a swap", ValueError, "swap_every", {"swap_every": -1}),
    ("seed negative", TypeError, "seed", {"seed": -1}),
)
def test_chains(core, kind, error, argument, call):
    refused(core, error, argument, lambda c: chain(c, kind, **call))


@pytest.mark.parametrize("kind", KINDS)
@check_table(
    ("not all nodes", RuntimeError, "sums", lambda c: {"sums": tables(c, n_set=2)}),
    ("no nodes", RuntimeError, "sums", lambda c: {"sums": c.ParentSums(3, True)}),
    (
        "outside the support",
        ValueError,
        "starts",
        lambda c: {"sums": without_sets_of_two(c), "starts": np.array([EMPTY, TWO_PARENTS])},
    ),
)
def test_chains_on_tables(core, kind, error, argument, call):
    refused(core, error, argument, lambda c: chain(c, kind, **call(c)))


@pytest.mark.parametrize("kind", ["partition", "partition_order", "structure"])
@pytest.mark.parametrize("rate", [-0.1, 1.1, NAN, INF])
def test_rates_of_reversals(core, kind, rate):
    refused(core, ValueError, "reversal_rate", lambda c: chain(c, kind, reversal_rate=rate))


def test_an_order_that_trades_with_a_partition_is_at_its_temperature(core):
    refused(core, ValueError, "betas", lambda c: chain(c, "partition_order", betas=[1.0, 0.5]))


def fewer(node, n):
    return [u for u in range(n) if u != node][:1]


@check_table(
    ("other nodes", ValueError, "scores", lambda c: set_scores(c, n=4)),
    ("not all nodes", RuntimeError, "scores", lambda c: set_scores(c, n_set=2)),
    ("other candidates", ValueError, "scores", lambda c: set_scores(c, candidates=fewer)),
)
def test_structure_chains_on_scores(core, error, argument, call):
    refused(core, error, argument, lambda c: chain(c, "structure", scores=call(c)))


def test_structure_chains_from_a_score_of_minus_infinity(core):
    scores = core.SetScores(3, 2)
    for node in range(3):
        others = [u for u in range(3) if u != node]
        scores.set_node(node, others, [], np.array([0.0, -INF, -INF, -INF]))
    refused(core, ValueError, "starts", lambda c: chain(c, "structure", scores=scores))


@pytest.mark.parametrize("kind", KINDS)
@check_table(
    ("advance backwards", ValueError, "n_steps", lambda chain: chain.advance(-1)),
    ("advance beyond counting", ValueError, "n_steps", lambda chain: chain.advance(2**63 - 1)),
    ("run backwards", ValueError, "n_steps", lambda chain: chain.run(-1, 1)),
    ("run beyond counting", ValueError, "n_steps", lambda chain: chain.run(2**63 - 1, 1)),
    ("thin zero", ValueError, "thin", lambda chain: chain.run(10, 0)),
    ("thin negative", ValueError, "thin", lambda chain: chain.run(10, -2)),
    ("thin already over", ValueError, "thin", lambda chain: (chain.run(5, 10), chain.run(5, 4))),
)
def test_steps_of_chains(core, kind, error, argument, call):
    refused(core, error, argument, lambda c: call(chain(c, kind)))


def test_more_draws_than_memory(core):
    with pytest.raises(MemoryError):
        chain(core).run(2**62, 1)


def test_a_chain_made_by_hand(core):
    with pytest.raises(TypeError):
        core.Chain()


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_refused_left_no_trace(core, kind):
    one, other = chain(core, kind), chain(core, kind)
    for call in (lambda: one.run(-1, 1), lambda: one.run(7, 0), lambda: one.advance(-5)):
        with pytest.raises(ValueError, match="expected"):
            call()
    for found, expected in zip(one.run(500, 10), other.run(500, 10), strict=True):
        np.testing.assert_array_equal(found, expected)


# Two threads at one object


def while_busy(work, call):
    """Calls again and again while a thread works; whatever is raised ends it."""

    def insist():
        while True:
            try:
                return work()
            except RuntimeError:  # the other was first
                continue

    thread = Thread(target=insist)
    thread.start()
    try:
        while thread.is_alive():
            call()
    finally:
        thread.join()


@pytest.mark.parametrize("call", ["advance", "run", "log_target", "tried"])
def test_two_threads_at_one_chain(core, call):
    shared = chain(core)
    calls = {
        "advance": lambda: shared.advance(1),
        "run": lambda: shared.run(1, 1),
        "log_target": lambda: shared.log_target,
        "tried": lambda: shared.tried,
    }
    busy = lambda _: while_busy(lambda: shared.advance(10**6), calls[call])  # noqa: E731
    refused(core, RuntimeError, "chain", busy)


def test_two_threads_at_exact_sums(core):
    shared = exact(core, 15)
    busy = lambda _: while_busy(lambda: shared.forward(3**15), lambda: shared.forward(0))  # noqa: E731
    refused(core, RuntimeError, "ExactDags", busy)


# Orders


def order_of(given, order):
    return lambda c: c.log_probability_of_order(given, order)


@check_table(
    ("dag oblong", ValueError, "dag", order_of(EMPTY[:2], [0, 1, 2])),
    ("dag with a cycle", ValueError, "dag", order_of(CYCLE, [0, 1, 2])),
    ("dag of bytes", ValueError, "dag", order_of(BYTES[0], [0, 1, 2])),
    ("order short", ValueError, "order", order_of(PATH, [0, 1])),
    ("order long", ValueError, "order", order_of(PATH, [0, 1, 2, 2])),
    ("order empty", ValueError, "order", order_of(PATH, [])),
    ("no permutation", ValueError, "order", order_of(PATH, [0, 1, 1])),
    ("order beyond", IndexError, "order", order_of(PATH, [0, 1, 3])),
    ("order negative", IndexError, "order", order_of(PATH, [0, 1, -1])),
    ("child first", ValueError, "order", order_of(PATH, [1, 0, 2])),
    (
        "extensions of a cycle",
        ValueError,
        "dags",
        lambda c: c.log_linear_extensions(np.array([PATH, CYCLE]), 20),
    ),
    (
        "extensions of two nodes that are each other's parents",
        ValueError,
        "dags",
        lambda c: c.log_linear_extensions(dag((0, 1), (1, 0))[None], 20),
    ),
    (
        "extensions of oblong dags",
        ValueError,
        "dags",
        lambda c: c.log_linear_extensions(np.zeros((2, 3, 2), dtype=bool), 20),
    ),
    ("extensions of bytes", ValueError, "dags", lambda c: c.log_linear_extensions(BYTES, 20)),
    ("max_nodes", ValueError, "max_nodes", lambda c: c.log_linear_extensions(PATH[None], -1)),
    ("max_nodes 31", ValueError, "max_nodes", lambda c: c.log_linear_extensions(PATH[None], 31)),
    ("max_nodes 64", ValueError, "max_nodes", lambda c: c.log_linear_extensions(PATH[None], 64)),
)
def test_orders(core, error, argument, call):
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


# Gaussian processes


def of_table(**changed):
    return lambda c: table_of(c, **changed)


@check_table(
    ("order 3", ValueError, "order", lambda c: c.squared_exponential_gram(np.zeros(3), 1.0, 3)),
    ("order -1", ValueError, "order", lambda c: c.squared_exponential_gram(np.zeros(3), 1.0, -1)),
    ("matrix", TypeError, "z", lambda c: c.squared_exponential_gram(np.zeros((3, 2)), 1.0, 0)),
    ("no rows", ValueError, "n_rows", of_table(n_rows=0)),
    ("negative rows", ValueError, "n_rows", of_table(n_rows=-1)),
    ("shortest nan", ValueError, "log_shortest", of_table(log_shortest=NAN)),
    ("width zero", ValueError, "band_width", of_table(band_width=0.0)),
    ("width nan", ValueError, "band_width", of_table(band_width=NAN)),
    ("mean negative", ValueError, "mean_sd", of_table(mean_sd=-1.0)),
    ("line negative", ValueError, "line", of_table(line=-1.0)),
    ("slope nan", ValueError, "slope_variance", of_table(slope_variance=NAN)),
    ("no priors", ValueError, "priors", of_table(priors=[])),
    ("priors short", ValueError, "priors", of_table(amplitude=True)),
    ("priors long", ValueError, "priors", of_table(priors=[(2.0, 2.0)] * 2)),
    ("shape zero", ValueError, "priors", of_table(priors=[(0.0, 2.0)])),
    ("scale nan", ValueError, "priors", of_table(priors=[(2.0, NAN)])),
    ("noise negative", ValueError, "noise", of_table(noise=(1.0, -1.0))),
    ("no targets", ValueError, "target_sums", of_table(target_sums=np.zeros(0))),
    ("squares short", ValueError, "target_squares", of_table(target_squares=np.ones(2))),
)
def test_tables_of_gaussian_processes(core, error, argument, call):
    refused(core, error, argument, call)


def first_band(size=None, root=None, log_left=None):
    """The bands of variable 0, the first of them with a part changed."""
    given = variable(0)["bands"]
    own = given[0]
    changed = (
        own[0] if size is None else size,
        own[1] if root is None else root,
        own[2] if log_left is None else log_left,
    )
    return [changed, *given[1:]]


def grown():
    """A second band larger than the first."""
    bands = variable(0)["bands"]
    return [bands[-1], bands[0]]


SIZE = variable(0)["bands"][0][0]
WIDTH = variable(0)["rows"].shape[1]
HEIGHT = len(variable(0)["coordinates"])


@check_table(
    ("index beyond", IndexError, "index", {"index": 3}),
    ("index negative", IndexError, "index", {"index": -1}),
    ("rows short", ValueError, "rows", {"rows": np.zeros((ROWS - 1, WIDTH))}),
    ("rows long", ValueError, "rows", {"rows": np.zeros((ROWS + 1, WIDTH))}),
    ("panel short", ValueError, "panel", {"panel": np.zeros(ROWS - 1, dtype=np.int32)}),
    ("panel beyond", ValueError, "panel", {"panel": np.full(ROWS, HEIGHT, dtype=np.int32)}),
    ("panel negative", ValueError, "panel", {"panel": np.full(ROWS, -1, dtype=np.int32)}),
    ("panel of 64 bits", TypeError, "panel", {"panel": np.full(ROWS, 2**32)}),
    ("coordinates short", ValueError, "panel", {"coordinates": np.zeros((1, SIZE))}),
    ("coordinates narrow", ValueError, "bands", {"coordinates": np.zeros((HEIGHT, SIZE - 1))}),
    ("no bands", ValueError, "bands", {"bands": []}),
    ("band of nothing", ValueError, "bands", {"bands": first_band(size=0)}),
    ("band negative", ValueError, "bands", {"bands": first_band(size=-1)}),
    ("band too large", ValueError, "bands", {"bands": first_band(size=10**6)}),
    ("band grows", ValueError, "bands", {"bands": grown()}),
    ("root short", ValueError, "bands", {"bands": first_band(root=np.zeros((3, 14)))}),
    ("root narrow", ValueError, "bands", {"bands": first_band(root=np.zeros((3, 2)))}),
    ("left long", ValueError, "bands", {"bands": first_band(log_left=np.zeros((10**4, 14)))}),
    ("left narrow", ValueError, "bands", {"bands": first_band(log_left=np.zeros((1, 1)))}),
    ("line short", ValueError, "line", {"line": np.zeros(SIZE - 1)}),
    ("ones short", ValueError, "ones", {"ones": np.zeros(SIZE - 1)}),
    ("targets short", ValueError, "targets", {"targets": np.zeros((SIZE - 1, 3))}),
    ("targets narrow", ValueError, "targets", {"targets": np.zeros((SIZE, 2))}),
)
def test_variables(core, error, argument, call):
    refused(core, error, argument, lambda c: table_of(c).set_variable(**variable(0) | call))


def test_a_variable_is_set_once(core):
    found = statistics(core)
    refused(core, RuntimeError, "set_variable", lambda _: found.set_variable(**variable(1)))


CALLS = {  # of node 2 given 0 and 1, or as it is told
    "evaluate": lambda s, node=2, parents=(0, 1), u=U: s.evaluate(node, parents, u, 2),
    "values": lambda s, node=2, parents=(0, 1), u=U: s.values(node, parents, u[None]),
    "find_modes": lambda s, node=2, parents=(0, 1), u=U: s.find_modes(node, parents, u[None]),
    "climb": lambda s, node=2, parents=(0, 1), u=U: s.climb(node, parents, u, -1),
    "profile": lambda s, node=2, parents=(0, 1), u=U: s.profile(node, parents, u, 0, np.zeros(2)),
}
LENGTHS = {"values": "points", "find_modes": "seeds", "climb": "start"}  # else u


@pytest.mark.parametrize("name", CALLS)
@check_table(
    ("node beyond", IndexError, "node", {"node": 3}),
    ("node negative", IndexError, "node", {"node": -1}),
    ("parent beyond", IndexError, "parents", {"parents": (0, 3)}),
    ("parent negative", IndexError, "parents", {"parents": (-1, 0)}),
    ("parent twice", ValueError, "parents", {"parents": (0, 0)}),
    ("own parent", ValueError, "parents", {"parents": (0, 2)}),
    ("too few parameters", ValueError, "u", {"u": U[:2]}),
    ("too many parameters", ValueError, "u", {"u": np.append(U, 0.0)}),
    ("no parameters", ValueError, "u", {"u": U[:0]}),
    ("lengthscale nan", ValueError, "u", {"u": np.array([NAN, 0.0, 0.0])}),
    ("noise nan", ValueError, "u", {"u": np.array([0.0, 0.0, NAN])}),
)
def test_problems(core, name, error, argument, call):
    argument = LENGTHS.get(name, "u") if argument == "u" else argument
    refused(core, error, argument, lambda c: CALLS[name](statistics(c), **call))


@pytest.mark.parametrize("name", CALLS)
def test_problems_on_variables_never_set(core, name):
    refused(core, RuntimeError, "parents", lambda c: CALLS[name](statistics(c, without=(1,))))


@pytest.mark.parametrize("lines", [(3,), (-1,), (0,), (2,), (1, 1)])
def test_lines(core, lines):
    """Beyond, negative, a parent already, the node itself, twice."""
    error = IndexError if set(lines) & {3, -1} else ValueError
    one = np.array([0.1, -0.5])
    found = statistics(core)
    refused(core, error, "parents, lines", lambda _: found.evaluate(2, (0,), one, 0, lines))
    refused(core, error, "parents, lines", lambda _: found.values(2, (0,), one[None], lines))
    refused(core, error, "parents, lines", lambda _: found.find_modes(2, (0,), one[None], lines))


@check_table(
    ("line never set", RuntimeError, "parents, lines", lambda s: s.evaluate(2, [], U[2:], 0, [1])),
    ("order 3", ValueError, "order", lambda s: s.evaluate(2, [0], U[1:], 3)),
    ("order -1", ValueError, "order", lambda s: s.evaluate(2, [0], U[1:], -1)),
    ("no seeds", ValueError, "seeds", lambda s: s.find_modes(1, [0, 2], np.empty((0, 3)))),
    ("seeds flat", TypeError, "seeds", lambda s: s.find_modes(1, [0, 2], U)),
    ("fixed beyond", ValueError, "fixed", lambda s: s.climb(2, [0], U[1:], 2)),
    ("fixed negative", ValueError, "fixed", lambda s: s.climb(2, [0], U[1:], -2)),
    ("all fixed", ValueError, "fixed", lambda s: s.climb(2, [], U[2:], 0)),
    ("parent beyond", IndexError, "parent", lambda s: s.profile(2, [0], U[1:], 1, U)),
    ("parent negative", IndexError, "parent", lambda s: s.profile(2, [0], U[1:], -1, U)),
    ("no parent", IndexError, "parent", lambda s: s.profile(2, [], U[2:], 0, U)),
    ("place nan", ValueError, "places", lambda s: s.profile(2, [0], U[1:], 0, np.array([NAN]))),
    ("variable beyond", IndexError, "variable", lambda s: s.factor(3, U[:1], 1e-6)),
    ("variable negative", IndexError, "variable", lambda s: s.factor(-1, U[:1], 1e-6)),
    ("variable never set", RuntimeError, "variable", lambda s: s.factor(1, U[:1], 1e-6)),
    ("no parameters", ValueError, "u", lambda s: s.factor(0, U[:0], 1e-6)),
    ("two parameters", ValueError, "u", lambda s: s.factor(0, U[:2], 1e-6)),
    ("parameter nan", ValueError, "u", lambda s: s.factor(0, np.array([NAN]), 1e-6)),
    ("tolerance negative", ValueError, "tolerance", lambda s: s.factor(0, U[:1], -1.0)),
    ("tolerance nan", ValueError, "tolerance", lambda s: s.factor(0, U[:1], NAN)),
)
def test_calls_on_statistics(core, error, argument, call):
    refused(core, error, argument, lambda c: call(statistics(c, without=(1,))))


def mode(u=U, value=-20.0, hessian=-UNITS):
    return {"modes": [(u, value, hessian)]}


@check_table(
    ("node beyond", IndexError, "node", {"node": 3}),
    ("parent beyond", IndexError, "parents", {"parents": [0, 5]}),
    ("parent twice", ValueError, "parents", {"parents": [1, 1]}),
    ("own parent", ValueError, "parents", {"parents": [0, 2]}),
    ("line beyond", IndexError, "parents, lines", {"lines": [7]}),
    ("no modes", ValueError, "modes", {"modes": []}),
    ("mode short", ValueError, "modes", mode(u=U[:2])),
    ("mode long", ValueError, "modes", mode(u=np.zeros(9))),
    ("mode nan", ValueError, "modes", mode(u=np.full(3, NAN))),
    ("value nan", ValueError, "modes", mode(value=NAN)),
    ("value minus infinity", ValueError, "modes", mode(value=-INF)),
    ("hessian small", ValueError, "modes", mode(hessian=-UNITS[:2, :2])),
    ("hessian large", ValueError, "modes", mode(hessian=-np.eye(4))),
    ("hessian oblong", ValueError, "modes", mode(hessian=-UNITS[:2])),
    ("hessian nan", ValueError, "modes", mode(hessian=NAN * UNITS)),
    ("no grids", ValueError, "grids", {"grids": []}),
    ("grids short", ValueError, "grids", {"grids": [GRID]}),
    ("grids long", ValueError, "grids", {"grids": [GRID] * 3}),
    ("grid nan", ValueError, "grids", {"grids": [GRID, [NAN]]}),
)
def test_covers(core, error, argument, call):
    refused(core, error, argument, lambda c: cover(c, **call))


def test_a_cover_on_variables_never_set(core):
    refused(
        core,
        RuntimeError,
        "parents",
        lambda c: cover(c, statistics=statistics(c, without=(0,))),
    )


@check_table(
    ("net narrow", ValueError, "net", (net(columns=3), net(), 30)),
    ("net wide", ValueError, "net", (net(columns=5), net(), 30)),
    ("shifts narrow", ValueError, "shifts", (net(), net(columns=3), 30)),
    ("shifts wide", ValueError, "shifts", (net(), net(columns=5), 30)),
    ("net flat", TypeError, "net", (net()[0], net(), 30)),
    ("net of fractions", TypeError, "net", (net() / 2, net(), 30)),
    ("net negative", ValueError, "net", (-1 - net(), net(), 30)),
    ("net beyond its bits", ValueError, "net", (net(), net(), 20)),
    ("shifts beyond the bits", ValueError, "shifts", (net(n_bits=20), net(), 20)),
    ("no bits", ValueError, "n_bits", (net(), net(), 0)),
    ("bits negative", ValueError, "n_bits", (net(), net(), -1)),
    ("too many bits", ValueError, "n_bits", (net(), net(), 63)),
)
def test_weights_of_covers(core, error, argument, call):
    refused(core, error, argument, lambda c: cover(c).log_weights(*call))
