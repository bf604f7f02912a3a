"""What is handed down from stage to stage."""

from dataclasses import FrozenInstanceError
from time import monotonic

import pytest

from gpnet import OptionError
from gpnet.common.errors import OutOfTimeError
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.store import Store
from tests.contexts import PASSED


def test_it_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        RunContext().store = None


def test_deadlines():
    assert not Deadline().passed
    assert not Deadline.after(None).passed
    assert not Deadline.after(60).passed
    assert Deadline.after(1, start=monotonic() - 2).passed
    for wrong in (0, -1, "soon"):
        with pytest.raises(OptionError, match="time_budget: more than 0 seconds"):
            Deadline.after(wrong)


def test_some_of_the_time_can_be_kept():
    now = monotonic()
    assert Deadline(now + 100).earlier(0.25, 15.0).at == pytest.approx(now + 85)
    assert Deadline(now + 40).earlier(0.25, 15.0).at == pytest.approx(now + 30, abs=1)
    assert Deadline(now - 5).earlier(0.25, 15.0).at == now - 5
    assert Deadline().earlier(0.25, 15.0) == Deadline()
    assert Deadline(now + 100).earlier(0.25, 15.0).with_kept.at == pytest.approx(now + 100)
    assert Deadline().with_kept == Deadline()


def test_the_end_of_the_time_says_how_far_it_came():
    RunContext().check_deadline("nothing")
    with pytest.raises(OutOfTimeError, match="ended after 3 of 5 were done; run again"):
        RunContext(deadline=PASSED).check_deadline("3 of 5 were done")


def test_notes_are_kept_once_and_in_order():
    context = RunContext()
    for text in ("b", "a", "b"):
        context.notes.add(text)
    assert list(context.notes) == ["b", "a"]
    assert list(RunContext().notes) == []


def test_the_parts_of_a_stage_share_its_progress():
    begun, told = [], []

    def progress(stage):
        begun.append(stage)
        return lambda *state: told.append(state)

    context = RunContext(progress=progress).within("choosing")
    for part in ("one", "two"):
        context.progress(part)(1, 2, 0.0)
    assert begun == ["choosing"]
    assert told == [(1, 2, 0.0)] * 2


def test_a_store_for_as_long_as_it_takes(tmp_path):
    with RunContext().with_store() as context:
        path = context.store.path
        assert path.exists()
    assert not path.exists()
    with Store(tmp_path / "mine") as mine, RunContext(store=mine).with_store() as context:
        assert context.store is mine
