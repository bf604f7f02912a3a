"""`learn --spreadsheet-safe`: what a spreadsheet would run is text, now and after a resume."""

import csv
import json
import re
import tomllib

import pytest

from gpnet import load, simulate

NAMES = ["=1+1", "-2+3", "@SUM(A1)", "plain"]
SAFE = ["'=1+1", "'-2+3", "'@SUM(A1)", "plain"]


@pytest.fixture
def learn(tmp_path, ask):
    """A run on a table of names that are formulas."""
    table = simulate(nodes=4, rows=60, edge_probability=0.9, seed=1).frame().set_axis(NAMES, axis=1)
    table.to_csv(tmp_path / "data.csv", index=False)

    def learn(*options):
        given = ["--score", "bge", "--draws", 200, "--out", tmp_path / "run", *options]
        assert ask("learn", tmp_path / "data.csv", *given)[0] in (0, 3)
        return tmp_path / "run"

    return learn


def names_in(run):
    """Of edges.csv, and of the table that the report offers."""
    with open(run / "edges.csv", newline="") as file:
        edges = {name for row in list(csv.reader(file))[1:] for name in row[:2]}
    data = re.search(r'id="data"[^>]*>(.*?)</script>', (run / "report.html").read_text(), re.S)[1]
    return edges, json.loads(data)["csv"]


def test_names_are_as_they_are_unless_asked(learn):
    run = learn()
    assert names_in(run) == (set(NAMES), NAMES)
    assert "spreadsheet_safe" not in tomllib.loads((run / "settings.toml").read_text())


def test_formulas_are_text_if_asked(learn):
    run = learn("--spreadsheet-safe")
    assert names_in(run) == (set(SAFE), SAFE)
    assert load(run).names == tuple(NAMES)
    assert json.loads((run / "summary.json").read_text())["variables"] == NAMES


def test_a_resumed_run_writes_the_same(learn, ask):
    run = learn("--spreadsheet-safe")
    files = {name: (run / name).read_bytes() for name in ("edges.csv", "report.html")}
    for name in (*files, "posterior.npz"):
        (run / name).unlink()
    assert ask("learn", "--resume", "--out", run)[0] in (0, 3)
    assert {name: (run / name).read_bytes() for name in files} == files
    (run / "report.html").unlink()
    assert ask("report", run)[0] == 0
    assert (run / "report.html").read_bytes() == files["report.html"]


def test_another_run_repeats_it_from_its_settings(learn, ask, tmp_path):
    run = learn("--spreadsheet-safe")
    code, _, _ = ask("learn", "--config", run / "settings.toml", "--out", tmp_path / "again")
    assert code in (0, 3)
    assert (tmp_path / "again" / "edges.csv").read_bytes() == (run / "edges.csv").read_bytes()


def test_another_type_in_the_settings_is_refused(ask, tmp_path):
    (tmp_path / "c.toml").write_text("spreadsheet-safe = 'yes'\n")
    code, _, err = ask("learn", "any.csv", "--config", tmp_path / "c.toml", "--dry-run")
    assert code == 2
    assert "spreadsheet_safe: expected true or false, found 'yes'" in err
