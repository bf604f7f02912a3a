"""What a run may use but no number depends on, handed down from stage to stage."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from gpnet.common.errors import OutOfTimeError
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers
from gpnet.runtime.progress import Progress, silent
from gpnet.runtime.store import Store, temporary_store


class Notes:
    """What has to be told with the result, each once."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, text: str, about: str | None = None) -> None:
        """One more, unless it is there; of those about one thing the last is told."""
        self._texts[about or text] = text

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts.values())


def no_progress(stage: str) -> Progress:
    """Of no stage."""
    return silent


@dataclass(frozen=True, eq=False)
class RunContext:
    """Workers, deadline, progress, store and notes of a run.

    As it is: no threads, no deadline, in silence, without a store or a cluster.
    """

    executor: Workers = field(default_factory=Workers)
    deadline: Deadline = field(default_factory=Deadline)
    progress: Callable[[str], Progress] = no_progress  # of a stage, by its name
    store: Store | None = None
    notes: Notes = field(default_factory=Notes)
    cluster: Workers | None = None  # for tasks that can travel, if there is one

    @property
    def n_workers(self) -> int:
        """Tasks that run at once in this process."""
        return self.executor.n_workers

    @property
    def scorers(self) -> Workers:
        """Who scores and fits: these tasks need nothing but what can be sent to another machine."""
        return self.cluster or self.executor

    def within(self, stage: str) -> Self:
        """The context of all that happens in one stage, whose progress is that of its parts."""
        progress = self.progress(stage)
        return replace(self, progress=lambda _: progress)

    def check_deadline(self, done: str) -> None:
        """End the work where its time is over; `done` says how far it came."""
        if self.deadline.passed:
            raise OutOfTimeError(
                f"the time budget ended after {done}; run again with the same store to go on "
                "from there"
            )

    def note_damage(self) -> None:
        """What of the store could not be believed is told with the result."""
        for text in self.store.damage if self.store else ():
            self.notes.add(text)

    @contextmanager
    def with_store(self) -> Iterator[Self]:
        """With its own store, or one for as long as it takes."""
        if self.store is not None:
            yield self
            return
        with temporary_store() as store:
            yield replace(self, store=store)
