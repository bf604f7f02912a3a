"""gpnet report, and the report that learn leaves: files, words, exit codes."""

import json
import re

import pytest

from gpnet import load, simulate
from gpnet.cli.render import write_report
from gpnet.effects.on_page import NO_TABLE, NO_TIME, effects_on_page
from gpnet.report.page import page
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from tests.report.pages import made_posterior

QUICK = ["--score", "bge", "--draws", 200]


@pytest.fixture
def run(tmp_path, ask):
    simulate(nodes=4, rows=60, edge_probability=0.6, seed=1).write(tmp_path)
    code, told, _ = ask("learn", tmp_path / "data.csv", *QUICK, "--out", tmp_path / "run")
    assert code == 0
    assert "report.html" in told
    return tmp_path / "run"


def test_learn_leaves_the_report_and_report_writes_it_again(run, tmp_path, ask):
    left = (run / "report.html").read_text(encoding="utf-8")
    posterior = load(run)
    assert left == page(posterior, effects_on_page(posterior))
    code, told, _ = ask("report", run, "-o", tmp_path / "elsewhere.html")
    assert (code, told) == (0, f"{tmp_path / 'elsewhere.html'}: open it in a browser\n")
    assert (tmp_path / "elsewhere.html").read_text(encoding="utf-8") == left


@pytest.mark.parametrize("asked", ["run", "run/posterior.npz"])
def test_without_a_name_it_goes_beside_the_posterior(run, ask, asked):
    (run / "report.html").unlink()
    assert ask("report", run.parent / asked)[0] == 0
    assert (run / "report.html").exists()


def test_a_finished_run_without_a_report_gets_one(run, ask):
    (run / "report.html").unlink()
    assert ask("learn", "--resume", "--out", run)[0] == 0
    assert (run / "report.html").exists()


def test_a_report_that_cannot_be_written_takes_nothing_away(run, tmp_path, ask):
    """A folder stands where the report should be."""
    again = tmp_path / "again"
    again.mkdir()
    for name in ("settings.toml", "scores.sqlite"):
        (again / name).write_bytes((run / name).read_bytes())
    (again / "report.html").mkdir()
    code, told, err = ask("learn", "--resume", "--out", again)
    assert code == 0
    assert "Converged" in told
    assert "no report" in err
    assert "report.html: cannot be written" in err
    for name in ("posterior.npz", "edges.csv", "summary.json"):
        assert (again / name).read_bytes() == (run / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["nowhere"], "nowhere: no such file"),
        (["{run}/edges.csv"], "not a posterior of gpnet"),
        (["{run}", "-o", "{run}/no/folder.html"], "folder.html: cannot be written"),
        (["{run}", "-o", "{run}"], "cannot be written"),
    ],
)
def test_bad_input_is_named_and_exits_with_two(run, ask, arguments, hint):
    code, told, err = ask("report", *(one.format(run=run) for one in arguments))
    assert (code, told) == (2, "")
    assert hint in err
    assert "Traceback" not in err


def test_a_demo_shows_as_much_where_nothing_can_be_kept(tmp_path, ask, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpnet-demo").write_text("a file stands where the folder should be")
    code, told, err = ask("demo")
    assert code == 0
    assert "in truth" in told
    assert "warning: out: cannot write to 'gpnet-demo'" in err


def page_data(path):
    html = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)
    return json.loads(found[1])


def told_of_effects(path):
    """What the page says in place of effects; nothing where it has them."""
    return page_data(path)["effects"]["missing"]


def test_without_the_table_there_are_no_effects_until_it_is_given(run, tmp_path, ask):
    assert told_of_effects(run / "report.html") == ""
    table, folder = tmp_path / "data.csv", tmp_path / "private"
    assert ask("learn", table, *QUICK, "--no-keep-data", "--out", folder)[0] == 0
    left = (folder / "report.html").read_text(encoding="utf-8")
    assert told_of_effects(folder / "report.html") == NO_TABLE
    assert ask("report", folder)[0] == 0
    assert (folder / "report.html").read_text(encoding="utf-8") == left
    assert ask("report", folder, "--data", table)[0] == 0
    assert told_of_effects(folder / "report.html") == ""


def test_effects_are_left_out_where_the_time_is_over(run, tmp_path):
    over = RunContext(deadline=Deadline(0.0))
    assert write_report(load(run), tmp_path / "late.html", over)
    assert told_of_effects(tmp_path / "late.html") == NO_TIME


def test_the_report_names_the_table(run):
    assert load(run).settings["data"]["table"] == "data.csv"
    assert page_data(run / "report.html")["table"] == "data.csv"


def test_what_has_not_converged_says_so_before_any_number(tmp_path, ask):
    not_yet = {"converged": False, "verdict": "Not converged: too few draws."}
    path = made_posterior(4, diagnosis=not_yet).save(tmp_path / "posterior.npz")
    _, shown, _ = ask("show", path)
    assert shown.startswith("Not converged yet, so that these numbers may change")
    assert shown.index("edge ") < shown.index("Not converged: too few draws.")
    _, asked, _ = ask("show", path, "V1 -> V2")
    assert asked.startswith("Not converged yet")
    assert f"gpnet show {path} says what to do" in " ".join(asked.split())
    assert str(load(path).summary()).startswith("Not converged yet, so that these numbers may")


def test_what_has_converged_begins_with_its_numbers(tmp_path, ask):
    path = made_posterior(4).save(tmp_path / "posterior.npz")
    shown = ask("show", path)[1].splitlines()
    assert shown[0].split() == ["if", "model"]  # the upper line of a heading
    assert shown[1].split()[:4] == ["edge", "adjacent", "direction", "probability"]
    assert ask("show", path, "V1 -> V2")[1].startswith("feature")
