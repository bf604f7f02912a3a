"""gpnet ask: questions as lines and as JSON, whose options can be pasted."""

import json
import shlex

import pytest

from gpnet import load, simulate

QUICK = ["--score", "bge", "--draws", 300, "--bag", "off", "--doubt", 0.75, "--workers", 1]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    simulate(nodes=4, rows=200, edge_probability=0.6, seed=2).write(folder)
    return folder / "data.csv"


@pytest.fixture
def run(table, tmp_path, ask):
    code, out, err = ask("learn", table, *QUICK, "--out", tmp_path / "run")
    assert code == 0, err
    return tmp_path / "run", out


def test_json_is_a_list_of_questions(run, ask):
    folder, _ = run
    code, out, err = ask("ask", folder, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told == load(folder).questions().to_dict("records")
    assert told
    assert all(set(one) == {"question", "gain", "option"} for one in told)


def test_learn_ends_with_the_first_three_that_ask_lists(run, ask):
    folder, told = run
    _, out, _ = ask("ask", folder)
    asked = [line for line in out.splitlines() if " bits " in line]
    assert len(asked) >= 3
    assert [line for line in told.splitlines() if " bits " in line] == asked[:3]
    assert f"gpnet learn --resume --out {folder}" in out


def test_an_option_can_be_pasted_and_is_asked_for_no_more(run, table, tmp_path, ask):
    folder, _ = run
    first = json.loads(ask("ask", folder, "--json")[1])[0]
    option = shlex.split(first["option"])
    code, _, err = ask("learn", table, *QUICK, *option, "--out", tmp_path / "told")
    assert code == 0, err
    parent, child = first["question"].split("'")[1::2]
    assert load(tmp_path / "told").probability(f"{parent} -> {child}") == 0
    assert first not in json.loads(ask("ask", tmp_path / "told", "--json")[1])


def test_nothing_to_ask(table, tmp_path, ask):
    """A control: where the order of all is known, nothing is open."""
    order = [f"V{i} -> V{j}" for i in range(1, 5) for j in range(1, i)]
    known = [word for edge in order for word in ("--forbid", edge)]
    _, told, _ = ask("learn", table, *QUICK, *known, "--out", tmp_path / "run")
    assert " bits " not in told
    code, out, _ = ask("ask", tmp_path / "run", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "No question" in ask("ask", tmp_path / "run")[1]


def test_a_run_without_draws_says_how_to_get_them(run, ask):
    folder, _ = run
    (folder / "posterior.npz").unlink()
    code, out, err = ask("ask", folder, "--json")
    assert (code, out) == (2, "")
    assert f"finish it first: gpnet learn --resume --out {folder}" in " ".join(err.split())
    assert ask("ask", folder / "nowhere")[0] == 2
