"""How far a long computation is and how long it will take.

A progress is any function of (done, total, seconds left); nobody asks for one by default.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Final, Self, TextIO, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress

Progress: TypeAlias = Callable[[int, int, float], None]  # seconds are nan while unknown
LINE_EVERY: Final = 5.0  # seconds
DRAWN_EVERY: Final = 0.1  # seconds


def _unless_gone() -> suppress:
    """A terminal or reader that has gone is no reason to stop."""
    return suppress(OSError)


def silent(done: int, total: int, seconds_left: float) -> None:
    """Say nothing."""


@contextmanager
def shown(label: str, *, stream: TextIO | None = None) -> Iterator[Progress]:
    """A bar on a terminal, else a line every few seconds; on stderr unless a stream is given."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield _Lines(label, stream)
        return
    name = TextColumn("{task.description}", markup=False)
    left = TextColumn("{task.fields[left]}")
    columns = (name, BarColumn(), MofNCompleteColumn(), left)
    # No thread of rich's own: it is never waited for, and one that outlives the interpreter keeps
    # all that the console leads to, up to the core, whose leaks would be told at the exit.
    bar = RichProgress(*columns, console=Console(file=stream), auto_refresh=False)
    with _unless_gone():
        bar.start()
    try:
        yield _Bar(bar, label)
    finally:
        with _unless_gone():
            bar.stop()


class _Bar:
    def __init__(self, bar: RichProgress, label: str) -> None:
        self._bar, self._next = bar, 0.0
        self._task = TaskID(0)  # the only one
        with _unless_gone():
            bar.add_task(label, total=None, left="")

    def __call__(self, done: int, total: int, seconds_left: float) -> None:
        self._bar.update(self._task, completed=done, total=total, left=_left(seconds_left))
        if monotonic() >= self._next or done == total:
            self._next = monotonic() + DRAWN_EVERY
            with _unless_gone():
                self._bar.refresh()


class Continued:
    """One progress for passes whose number nobody knows: each begins where the last one ended."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._before, self._total = progress, 0, 0

    def next_pass(self, stage: str) -> Progress:
        """Of one more pass, whatever its stage is called."""
        self._before, self._total = self._before + self._total, 0
        return self._tell

    def _tell(self, done: int, total: int, seconds_left: float) -> None:
        self._total = total
        self._progress(self._before + done, self._before + total, seconds_left)


class Stages:
    """The progress of one stage after the other: the next begins where the last one ends.

    A listener is told the name of each.
    """

    def __init__(
        self, listener: Callable[[str], None] | None = None, *, stream: TextIO | None = None
    ) -> None:
        self._listener, self._stream = listener, stream
        self._current = ExitStack()
        self._lines: dict[str, _Lines] = {}  # of stages that were there before

    def __call__(self, label: str) -> Progress:
        """A new stage."""
        self._current.close()
        if self._listener:
            self._listener(label)
        stream = sys.stderr if self._stream is None else self._stream
        if not stream.isatty():
            return self._lines.setdefault(label, _Lines(label, stream)).again()
        return self._current.enter_context(shown(label, stream=stream))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._current.close()


class _Lines:
    """A line every few seconds, and one at the end; of a stage that comes again and again, fewer.

    Dozens of pilot draws, each done in a second, are not worth a line each.
    """

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label, self._stream = label, stream
        self._next = monotonic() + LINE_EVERY
        self._n_passes = 0

    def again(self) -> Self:
        """One more pass."""
        self._n_passes += 1
        return self

    def __call__(self, done: int, total: int, seconds_left: float) -> None:
        at_its_end = done == total and self._n_passes <= 1
        if monotonic() >= self._next or at_its_end:
            self._next = monotonic() + LINE_EVERY
            number = f", pass {self._n_passes}" if self._n_passes > 1 else ""
            text = f"{self._label}{number} {done} of {total} {_left(seconds_left)}"
            with _unless_gone():
                self._stream.write(text.rstrip() + "\n")
                self._stream.flush()


def _left(seconds: float) -> str:
    """Nothing where it is not known, or done."""
    return "" if math.isnan(seconds) or seconds == 0 else f"about {in_words(seconds)} left"


def in_words(seconds: float) -> str:
    """30 s, 5 min, 3 h."""
    for unit, length in [("h", 3600), ("min", 60)]:
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


class Countdown:
    """Parent sets done and to do; a set of k parents costs about (k + 1)^2.5."""

    def __init__(self, n_by_size: Sequence[int], progress: Progress) -> None:
        self._progress = progress
        self.done, self.total = 0, sum(n_by_size)
        self._left = list(n_by_size)
        self._current, self._share_kept = 0, 1.0  # a size, and what is expected of larger ones
        self._cost_computed, self._start = 0.0, monotonic()

    def leave_out(self, size: int, n_sets: int) -> None:
        """So many sets of the size that is next need not be done; of larger ones likely as many."""
        self._current, self._share_kept = size, 1 - n_sets / max(self._left[size], 1)
        self.total -= n_sets
        self._left[size] -= n_sets

    def advance(self, size: int, n_sets: int, *, computed: bool) -> None:
        """So many sets of this size more are at hand; those read from a store took no time."""
        self.done += n_sets
        self._left[size] -= n_sets
        self._cost_computed += n_sets * self._cost(size) if computed else 0.0
        self._progress(self.done, self.total, self._seconds_left())

    def _seconds_left(self) -> float:
        if self.done == self.total:
            return 0.0
        if not self._cost_computed:
            return math.nan
        cost_left = sum(
            n * self._cost(size) * (self._share_kept if size > self._current else 1)
            for size, n in enumerate(self._left)
        )
        return cost_left * (monotonic() - self._start) / self._cost_computed

    @staticmethod
    def _cost(size: int) -> float:
        return float((size + 1) ** 2.5)
