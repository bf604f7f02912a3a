"""Lines of progress, where there is no terminal."""

from io import StringIO

from gpnet.runtime import progress
from gpnet.runtime.progress import Stages


def lines(stages, *, every, monkeypatch):
    """What is told of these stages, each done at once, with a clock that goes on by a second."""
    clock, stream = iter(range(10_000)), StringIO()
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(progress, "LINE_EVERY", every)
    with Stages(stream=stream) as told:
        for stage in stages:
            one = told(stage)
            one(1, 2, 1.0)
            one(2, 2, 0.0)
    return stream.getvalue().splitlines()


def test_a_stage_tells_its_end(monkeypatch):
    found = lines(["scoring", "drawing"], every=1e9, monkeypatch=monkeypatch)
    assert found == ["scoring 2 of 2", "drawing 2 of 2"]


def test_a_stage_that_comes_again_and_again_is_told_now_and_then_and_numbered(monkeypatch):
    found = lines(["pilot", "scoring"] * 30, every=50, monkeypatch=monkeypatch)
    assert found[:2] == ["pilot 2 of 2", "scoring 2 of 2"]
    assert 2 < len(found) < 15
    assert all(", pass " in line for line in found[2:])
    assert len(lines(["pilot"] * 30, every=1e9, monkeypatch=monkeypatch)) == 1
