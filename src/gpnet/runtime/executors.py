"""Who does the work: threads of this process, any executor of `concurrent.futures`, or a cluster.

No number depends on it: tasks are cut and seeded by what is computed, not by who computes it.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final, ParamSpec, Self, TypeVar

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.runtime.deadline import Deadline

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")

IN_FLIGHT: Final = 2  # tasks for each worker: none waits for us, and an interrupt is quick


class _Inline(Executor):
    """Does a task when it is submitted; an interrupt goes straight to the caller."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


INLINE: Final = _Inline()  # one for all: it has no state


class Workers:
    """An executor that takes so many tasks at once; without any, tasks are done when submitted."""

    def __init__(self, pool: Executor = INLINE, n_workers: int = 1) -> None:
        self._pool, self._n_workers = pool, n_workers

    @property
    def n_workers(self) -> int:
        """Tasks that run at once."""
        return self._n_workers

    @classmethod
    def threads(cls, n_workers: int | None = None) -> Self:
        """Threads of this process, one for each core that it may use unless given."""
        n_workers = available_cores() if n_workers is None else n_workers
        if not isinstance(n_workers, int) or n_workers < 1:
            raise OptionError(f"workers: a whole number from 1, found {quote(n_workers)}")
        return cls(ThreadPoolExecutor(n_workers), n_workers)

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Begin a task as soon as a worker is free."""
        return self._pool.submit(task, *args, **kwargs)

    def first_done(self, futures: Collection["Future[T]"], deadline: Deadline) -> "set[Future[T]]":
        """Those that are done, at least one.

        None where the deadline has passed and nobody is left who could do them.
        """
        return wait(futures, return_when=FIRST_COMPLETED).done

    def map(self, task: Callable[[Item], T], items: Iterable[Item]) -> list[T]:
        """The results in order; where one fails or is interrupted, those not begun never begin."""
        futures = [self.submit(task, item) for item in items]
        try:
            return [future.result() for future in futures]
        finally:
            _give_up(futures)

    def in_order(
        self,
        items: Iterable[Item],
        submit: Callable[[Item], "Future[T]"],
        keep: Callable[[Item, T], None],
        deadline: Deadline,
    ) -> None:
        """Keep the result of each item in order, while the next are under way.

        Nothing is begun after the deadline. Whatever ends it early, what came out of it is kept.
        """
        todo, running = deque(items), deque[tuple[Item, Future[T]]]()
        try:
            while True:
                while todo and len(running) < IN_FLIGHT * self.n_workers and not deadline.passed:
                    running.append((todo[0], submit(todo.popleft())))
                if not running:
                    return
                item, future = running[0]
                if not self.first_done([future], deadline):
                    _give_up([future for _, future in running])
                    return
                keep(item, future.result())
                running.popleft()
        except BaseException:
            _give_up([future for _, future in running])
            for item, future in running:
                with suppress(Exception):  # another error is already on its way
                    if not future.cancelled():
                        keep(item, future.result())
            raise

    def close(self) -> None:
        """End the workers, once what they do is done."""
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _give_up(futures: Iterable["Future[Any]"]) -> None:
    """Cancel what has not begun, and wait for what cannot be stopped."""
    wait([future for future in futures if not future.cancel()])


def available_cores() -> int:
    """Those that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
