"""Until when work may be begun."""

from dataclasses import dataclass
from math import inf
from numbers import Real
from time import monotonic
from typing import Self

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote


@dataclass(frozen=True)
class Deadline:
    """A moment on the clock of `time.monotonic`; never, unless given.

    Some seconds after it may be kept back for what has to be done in any case.
    """

    at: float = inf
    kept: float = 0.0

    @classmethod
    def after(cls, seconds: float | None, *, start: float | None = None) -> Self:
        """So many seconds after `start`, which is now unless given; never where it is None."""
        if seconds is None:
            return cls()
        if not (isinstance(seconds, Real) and seconds > 0):
            raise OptionError(f"time_budget: more than 0 seconds, found {quote(seconds)}")
        return cls((monotonic() if start is None else start) + seconds)

    def earlier(self, share: float, most: float) -> "Deadline":
        """By this share of the time that is left, and at most so many seconds."""
        left = max(self.at - monotonic(), 0.0)
        kept = min(share * left, most)
        return Deadline(self.at - kept, kept) if self.at < inf else self

    @property
    def with_kept(self) -> "Deadline":
        """With the time that was kept back, once nothing else needs it."""
        return Deadline(self.at + self.kept)

    @property
    def passed(self) -> bool:
        """Whether nothing more may be begun."""
        return monotonic() > self.at
