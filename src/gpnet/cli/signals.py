"""Signals: a command that is told to stop does so within two seconds, whatever it is at.

Python heeds a signal between two of its own steps, and a call of the core or of LAPACK is one step,
however long it takes. So a thread waits for signals too, and ends the process where the command
does not. What is on the disk outlives any end.
"""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from select import select
from threading import Thread, current_thread, main_thread
from time import monotonic
from typing import Final, NoReturn

INTERRUPTED: Final = 130
GRACE: Final = 1.5  # seconds for what is under way to be finished and saved
HANGUP: Final = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has none
ALL: Final = (signal.SIGINT, signal.SIGTERM, HANGUP)
END: Final = b"\0"  # the number of no signal


class Watch:
    """What becomes of signals while a command runs; there is one, as there is one process."""

    def __init__(self) -> None:
        self._last_words: Callable[[], str] = str

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Meanwhile a thread waits for signals."""
        if os.name != "posix" or current_thread() is not main_thread():
            yield  # only the main thread of a process is told of signals
            return
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        thread = Thread(target=self._wait, args=(reader,), name="gpnet-signals", daemon=True)
        thread.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            os.write(writer, END)
            thread.join()
            os.close(reader)
            os.close(writer)

    @contextmanager
    def heeding(self, numbers: Sequence[int], last_words: Callable[[], str]) -> Iterator[None]:
        """Meanwhile the first of these signals is a KeyboardInterrupt, and others do nothing more.

        `last_words` are those of a command that the thread has to end.
        """
        if current_thread() is not main_thread():
            yield
            return
        # Who was started to ignore them, in the background, still does.
        caught = {n: signal.getsignal(n) for n in numbers if signal.getsignal(n) != signal.SIG_IGN}

        def stop(number: int, frame: object) -> None:
            for one in caught:
                signal.signal(one, _nothing)
            raise KeyboardInterrupt

        words, self._last_words = self._last_words, last_words
        for one in caught:
            signal.signal(one, stop)
        try:
            yield
        finally:
            for one, handler in caught.items():
                if signal.getsignal(one) is stop:
                    signal.signal(one, handler)
                    self._last_words = words
                else:  # all is saved, and nothing is left to stop
                    signal.signal(one, signal.SIG_IGN)

    def hush(self) -> None:
        """All is said; the thread need not say it again."""
        self._last_words = str

    def _wait(self, reader: int) -> None:
        """For the first signal, then for a second one or until the grace is over."""
        end: float | None = None
        while True:
            left = None if end is None else max(end - monotonic(), 0.0)
            told = os.read(reader, 64) if select([reader], [], [], left)[0] else b""
            if END in told:
                return
            n_signals = sum(told.count(number) for number in set(ALL))
            if not told or (n_signals and end) or n_signals > 1:
                self._leave()
            end = monotonic() + GRACE if n_signals else end

    def _leave(self) -> NoReturn:
        """Past all buffers and locks, which may be those of what was interrupted."""
        shown_again = "\x1b[?25h" if os.isatty(2) else ""  # the cursor, that a bar had hidden
        with suppress(Exception):  # a terminal that has gone
            text = self._last_words()
            os.write(2, f"{shown_again}\n{text}\n".encode(errors="replace") if text else b"")
        os._exit(INTERRUPTED)


def _nothing(number: int, frame: object) -> None:
    """The thread counts the signals after the first."""


WATCH: Final = Watch()
