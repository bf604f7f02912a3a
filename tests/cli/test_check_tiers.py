"""The order in time that `gpnet check` proposes: in a command that runs, and never by itself."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from gpnet import load

QUICK = ("--score", "bge", "--draws", 200, "--bag", "off", "--workers", 1)
SUGGESTS = "Names suggest an order in time"
ROWS = 80


@pytest.fixture
def table(tmp_path):
    """Writes one: columns of chance, and those given; a number stands for that many values."""

    def written(*names, **columns):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.standard_normal((ROWS, len(names))), columns=list(names))
        for name, values in columns.items():
            frame[name] = rng.integers(0, values, ROWS) if isinstance(values, int) else values
        frame.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    return written


def checked(ask, path, *more):
    """What is printed, the words of the command to paste, and the record."""
    _, told, _ = ask("check", path, *more)
    _, record, _ = ask("check", path, *more, "--json")
    (command,) = [line for line in told.splitlines() if line.startswith("Next: gpnet ")]
    return told, shlex.split(command.removeprefix("Next: gpnet ")), json.loads(record)


def learnt(ask, words):
    """The posterior of a command that was pasted, but for its folder."""
    assert words[-2:] == ["--out", "run"]
    code, _, err = ask(*words[:-2], *QUICK, "--out", words[1] + ".run")
    assert code in (0, 3), err
    return load(words[1] + ".run")


def value(words, option):
    return words[words.index(option) + 1]


def test_a_trial_gets_a_command_that_runs(table, ask):
    age = np.random.default_rng(1).uniform(20, 70, ROWS).round()
    cd420 = np.random.default_rng(2).standard_normal(ROWS)
    path = table("cd40", "cd80", "cd820", cd420=cd420, cens=(cd420 > 0).astype(int), gender=2,
                 arm=3, age=age, id=range(ROWS))  # fmt: skip
    told, words, record = checked(ask, path)
    assert f"{SUGGESTS}: 'cd40' and 'cd80'; then 'cd820' and 'cd420'; then 'cens'. The" in told
    assert "This is a guess, and is not applied by itself" in told
    assert words[2:-2] == ["--drop", "id", "--exogenous", "gender", "--roots", "age",
                           "--model-discrete", "cens",
                           "--tiers", "cd40,cd80 < cd820,cd420 < cens"]  # fmt: skip
    assert record["tiers"] == [["cd40", "cd80"], ["cd820", "cd420"], ["cens"]]
    assert record["model_discrete"] == ["cens"]
    posterior = learnt(ask, words)
    arrows = posterior.edge_probabilities()
    assert arrows.loc["cens"].sum() == arrows["age"].sum() == arrows.loc["cd420", "cd40"] == 0
    assert arrows.loc["cd420", "cens"] > 0.9


def test_an_outcome_alone_comes_after_all_others(table, ask):
    told, words, record = checked(ask, table("bmi", "crp", DEATH_EVENT=2))
    assert f"{SUGGESTS}: all others; then 'DEATH_EVENT'." in told
    assert record["tiers"] == [["*"], ["DEATH_EVENT"]]
    assert value(words, "--tiers") == "* < DEATH_EVENT"
    learnt(ask, words)


def test_odd_names_gaps_and_what_is_left_out(table, ask):
    names = ['bp, "x" <week0', 'bp, "x" <week12', "crp_week0", "crp_week12"]
    values = np.random.default_rng(2).standard_normal(ROWS)
    values[3] = np.nan
    path = table(*names, crp_week4=np.ones(ROWS), noise=values)
    _, words, record = checked(ask, path)
    assert value(words, "--drop") == "crp_week4"
    assert record["tiers"] == [[names[0], "crp_week0"], [names[1], "crp_week12"]]
    learnt(ask, words)
    _, words, record = checked(ask, path, "--drop", "crp_week0,crp_week4")
    assert record["tiers"] == [[names[0]], [names[1]]]
    assert ask(*words[:-2], "--dry-run")[0] == 0


@pytest.mark.parametrize(
    ("more", "tiers"),
    [
        (["--exogenous", "death"], []),
        (["--condition", "death"], []),
        (["--model-discrete", "death"], [["*"], ["death"]]),
        (["--keep", "bmi,crp"], []),
        (["--keep", "bmi,death"], [["*"], ["death"]]),
        (["--transform", "log:bmi,crp"], [["*"], ["death"]]),
        (["--transform", "log"], []),  # of 0 there is none, if it is modelled
    ],
)
def test_what_was_typed_is_not_contradicted(table, ask, more, tiers):
    bmi, crp = np.exp(np.random.default_rng(3).standard_normal((2, ROWS)))
    path = table(bmi=bmi, crp=crp, death=2)
    _, words, record = checked(ask, path, *more)
    assert record["tiers"] == tiers
    assert ("--tiers" in words) == bool(tiers)
    assert words.count("--model-discrete") == bool(tiers)
    assert ask(*words[:-2], "--dry-run")[0] == 0


def test_an_outcome_of_three_values_or_of_text_is_none(table, ask):
    assert checked(ask, table("bmi", "crp", status=3))[2]["tiers"] == []
    assert checked(ask, table("bmi", "crp", status=["no", "yes"] * 40))[2]["tiers"] == []


def test_genes_get_none(table, ask):
    told, words, record = checked(ask, table("HSP70", "HSP90", "CD4", "CD8", "IL2", "IL6", "p38"))
    assert SUGGESTS not in told
    assert "--tiers" not in words
    assert record["tiers"] == record["model_discrete"] == []


def test_where_the_user_has_to_decide_there_is_none(table, ask):
    path = table("bp_week0", "bp_week12", noise=["x", *np.arange(ROWS - 1)])
    _, told, _ = ask("check", path)
    assert SUGGESTS not in told
    assert json.loads(ask("check", path, "--json")[1])["tiers"] == []


def test_learn_applies_none_by_itself(table, ask):
    early, change = np.random.default_rng(4).standard_normal((2, ROWS))
    path = table(bp_week0=early, bp_week12=early + change)
    posterior = learnt(ask, ["learn", str(path), "--out", "run"])
    assert posterior.edge_probabilities().loc["bp_week12", "bp_week0"] > 0.1
