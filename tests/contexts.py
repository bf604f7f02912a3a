"""Contexts for tests: threads, a store, and one progress for all stages."""

from gpnet.runtime.context import RunContext, no_progress
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers

PASSED = Deadline(float("-inf"))


def context(workers=1, *, store=None, progress=None, deadline=None):
    told = no_progress if progress is None else lambda stage: progress
    return RunContext(Workers.threads(workers), deadline or Deadline(), told, store)


def recorded():
    """A context, and the list of all that its progress is told."""
    told = []
    return context(progress=lambda *state: told.append(state)), told
