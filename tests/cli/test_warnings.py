"""What learn tells of a table: once, before the work, and not at all where it was ruled out."""

import json

import numpy as np
import pandas as pd
import pytest

QUICK = ("--score", "bge", "--draws", 300, "--workers", 1)
OF_AGE = "column 'age' looks like an age"
OF_SEX = "column 'sex' looks like a sex and is taken as exogenous: that nothing in the table drives"
CANNOT_BE = "To judge by the name, nothing in the table can drive 'age'"


@pytest.fixture
def clinic(tmp_path):
    """A table of an age, a sex, and a pressure that follows both."""
    rng = np.random.default_rng(0)
    age, sex = rng.uniform(20, 80, size=200).round(), rng.integers(0, 2, size=200)
    pressure = 100 + 0.5 * age + 4 * sex + rng.normal(size=200)
    frame = pd.DataFrame({"age": age, "sex": sex, "pressure": pressure})
    frame.to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path / "clinic.csv"


def learnt(ask, clinic, *more):
    """Exit code, stdout, stderr, and what the folder holds."""
    run = clinic.parent / "run"
    code, out, err = ask("learn", clinic, *QUICK, "--out", run, *more)
    assert code == 0, err
    return out, err, run


def test_warnings_are_told_once_before_the_work(clinic, ask):
    out, err, run = learnt(ask, clinic)
    assert (out + err).count(OF_AGE) == 1
    assert OF_AGE in err.partition("parent sets to score")[0]
    assert (run / "log.txt").read_text().count(OF_AGE) == 1
    notes = json.loads((run / "summary.json").read_text())["diagnosis"]["notes"]
    assert sum(OF_AGE in note for note in notes) == 1
    assert (out + err).count(OF_SEX) == 1
    assert "say so (exogenous= or --exogenous 'sex')" in err
    _, shown, _ = ask("show", run)
    assert shown.count(f"Note: {OF_AGE}") == 1
    again, told, _ = learnt(ask, clinic)
    assert (again + told).count(OF_AGE) == 1


def test_an_arrow_into_an_age_is_not_shown_without_saying_so(clinic, ask):
    out, _, run = learnt(ask, clinic)
    assert out.startswith(CANNOT_BE)
    assert "'pressure' -> 'age' (0." in out.partition("edge ")[0]
    _, features, _ = ask("show", run, "pressure -> age")
    assert features.startswith(CANNOT_BE)
    assert CANNOT_BE in (run / "report.html").read_text()


@pytest.mark.parametrize("option", ["--roots", "--exogenous"])
def test_what_was_said_is_not_asked_again(clinic, ask, option):
    out, err, run = learnt(ask, clinic, option, "age")
    assert OF_AGE not in out + err + (run / "log.txt").read_text()
    assert CANNOT_BE not in out + (run / "report.html").read_text()
    assert json.loads((run / "summary.json").read_text())["diagnosis"]["undriven"] == []


def test_check_says_so_in_the_command_to_type_next(clinic, ask):
    _, out, _ = ask("check", clinic)
    assert f"Next: gpnet learn {clinic} --exogenous sex --roots age --out run" in out
