"""Tasks in order, whoever does them; what ends them early loses nothing that came out."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest

from gpnet import OptionError
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import IN_FLIGHT, Workers, available_cores

NEVER = Deadline()
every_kind = pytest.mark.parametrize(
    "workers", [Workers(), Workers.threads(1), Workers.threads(3)], ids=["inline", "one", "three"]
)


def collect(workers, items, task, deadline=NEVER):
    kept = []
    try:
        workers.in_order(
            items, lambda item: workers.submit(task, item), lambda *one: kept.append(one), deadline
        )
    except BaseException as error:
        return kept, error
    return kept, None


@every_kind
def test_results_come_in_order_however_long_each_takes(workers):
    items = list(range(20))
    kept, error = collect(workers, items, lambda i: sleep(0.002 * (i % 3)) or i**2)
    assert error is None
    assert kept == [(i, i**2) for i in items]
    assert workers.map(lambda i: -i, items) == [-i for i in items]


@every_kind
def test_the_same_item_may_come_twice(workers):
    assert collect(workers, ["a", "a"], str.upper)[0] == [("a", "A"), ("a", "A")]


@every_kind
def test_nothing_is_begun_after_the_deadline(workers):
    assert collect(workers, range(9), abs, Deadline(float("-inf"))) == ([], None)


def test_a_deadline_on_the_way_keeps_what_was_begun():
    asked = []

    class Soon:
        passed = property(lambda self: len(asked) >= 3)

    kept, _ = collect(Workers(), range(9), asked.append, Soon())
    assert [item for item, _ in kept] == asked == [0, 1, 2]


@every_kind
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_error_keeps_what_came_before_and_begins_no_more(workers, kind):
    asked = []

    def task(i):
        asked.append(i)
        if i == 4:
            raise kind("four")
        return i

    kept, error = collect(workers, range(1000), task)
    assert isinstance(error, kind)
    done = [item for item, _ in kept]
    assert done[:4] == [0, 1, 2, 3]
    assert set(done) <= set(asked) - {4}
    assert len(asked) <= 5 + IN_FLIGHT * workers.n_workers


def test_an_error_waits_for_what_runs_and_keeps_it():
    go_on = Event()

    def task(i):
        if i == 0:
            go_on.wait(10)
            raise ValueError
        go_on.set()
        sleep(0.05)
        return i

    kept, error = collect(Workers.threads(2), [0, 1], task)
    assert isinstance(error, ValueError)
    assert kept == [(1, 1)]


def test_submitted_at_most_a_few_ahead():
    """So that an interrupt is quick and nothing waits for us."""
    submitted, kept = [], []
    pool = Workers.threads(2)

    def submit(i):
        submitted.append(i)
        assert len(submitted) - len(kept) <= IN_FLIGHT * 2
        return pool.submit(abs, i)

    pool.in_order(range(50), submit, lambda *one: kept.append(one), NEVER)
    assert len(kept) == 50


def test_any_executor_will_do():
    with ThreadPoolExecutor(2) as pool:
        assert Workers(pool, 2).map(abs, [-1, -2]) == [1, 2]


@pytest.mark.parametrize("workers", [0, -1, 1.5, "two"])
def test_how_many_workers_is_checked(workers):
    with pytest.raises(OptionError, match="workers: a whole number from 1"):
        Workers.threads(workers)


def test_as_many_threads_as_cores_that_may_be_used():
    with Workers.threads() as workers:
        assert workers.n_workers == available_cores() <= os.cpu_count()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call here")
def test_cores_that_may_not_be_used_do_not_count():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
