"""Chains and orders that cannot be, and two threads at one object: all refused."""

from threading import Thread

import numpy as np
import pytest

from tests.core.misuse import check_table, refused
from tests.core.small import (
    CYCLE,
    EMPTY,
    KINDS,
    PATH,
    RATES,
    TWO_PARENTS,
    chain,
    dag,
    exact,
    set_scores,
    tables,
    without_sets_of_two,
)

NAN, INF = np.nan, np.inf

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
def test_rates_of_moves_over_dags(core, kind, rate):
    name = RATES[kind]
    refused(core, ValueError, name, lambda c: chain(c, kind, **{name: rate}))


def order_sums(core, n_sets=8):
    found = core.OrderSums(tables(core))
    found.advance(n_sets)
    return found


def wide(core, n=31):
    """Sums of so many nodes that have no candidates."""
    found = core.ParentSums(n, False)
    for node in range(n):
        found.set_node(node, [], np.zeros(1, np.uint64), np.array([-1], np.int32), np.zeros(1))
    return found


@check_table(
    ("not all nodes", RuntimeError, "sums", lambda c: c.OrderSums(tables(c, n_set=2))),
    ("too many nodes", ValueError, "sums", lambda c: c.OrderSums(wide(c))),
    ("negative sets", ValueError, "n_sets", lambda c: order_sums(c, -1)),
    ("total too early", RuntimeError, "log_total", lambda c: order_sums(c, 3).log_total),
    ("chain too early", RuntimeError, "orders", lambda c: drawn_orders(c, order_sums(c, 3))),
    ("one start", ValueError, "starts", lambda c: drawn_orders(c, starts=EMPTY[None])),
    ("no steps", ValueError, "swap_every", lambda c: drawn_orders(c, swap_every=0)),
    ("rate nan", ValueError, "walk_rate", lambda c: drawn_orders(c, walk_rate=NAN)),
)
def test_drawn_orders(core, error, argument, call):
    refused(core, error, argument, call)


def drawn_orders(core, orders=None, **changed):
    given = {"starts": np.array([EMPTY, PATH]), "swap_every": 3, "seed": 1, "walk_rate": 0.1}
    return core.partition_drawn_order_chain(orders or order_sums(core), **(given | changed))


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
