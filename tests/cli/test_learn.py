"""gpnet learn, show and compare as a user meets them: files, words, exit codes."""

import csv
import json
import os
import re
import tempfile
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpnet import learn, load, simulate
from gpnet.cli.query import MEANINGS
from gpnet.effects.on_page import effects_on_page
from gpnet.report.page import page
from tests.cli.test_tables import gpnet
from tests.runtime.test_store import without_rights

RESULT = ("posterior.npz", "edges.csv", "summary.json")
NAMES = ['a,b "c"', "-> <", "<script>alert(1)</script>", "../🙂", "new\nline\rand \x1b[31mred"]
QUICK = ["--draws", 500, "--workers", 1]
EDGE_COLUMNS = [
    "parent",
    "child",
    "probability",
    "std_error",
    "adjacent",
    "direction",
    "if_model_holds",
    "grounds",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, its DAG, and the same table under hostile names."""
    folder = tmp_path_factory.mktemp("tables")
    simulation = simulate(nodes=5, rows=60, nonlinearity=1, edge_probability=0.5, seed=1)
    simulation.write(folder)
    hostile = simulation.frame().set_axis(NAMES, axis=1)
    hostile.to_csv(folder / "hostile.csv", index=False, quoting=csv.QUOTE_ALL)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    """A finished run, and what the command said."""
    done = gpnet("learn", folder / "data.csv", *QUICK, "--out", folder / "a run", "--json")
    assert done.returncode == 0, done.stderr
    return folder / "a run", done


@pytest.fixture(scope="module")
def hostile(folder):
    done = gpnet("learn", folder / "hostile.csv", *QUICK, "--out", folder / "hostile run")
    assert done.returncode == 0, done.stderr
    return folder / "hostile run", done


def result(run):
    return [(run / name).read_bytes() for name in RESULT]


# Files


def test_json_stands_alone_on_stdout_and_the_rest_on_stderr(run):
    path, done = run
    record = json.loads(done.stdout)
    assert record.pop("out") == str(path)
    assert record == json.loads((path / "summary.json").read_text())
    assert record["converged"] is True
    for stage in ("parent sets to score", "scoring what was drawn"):
        assert stage in done.stderr
    scored = re.search(r"scoring parent sets (\d+) of (\d+)\n", done.stderr)
    assert scored is not None
    assert scored[1] == scored[2]
    assert int(scored[1]) < 80  # of which those that cannot matter are left out


def test_the_folder_holds_what_was_promised(run):
    path, _ = run
    expected = {*RESULT, "report.html", "settings.toml", "scores.sqlite", "table.npz", "log.txt"}
    assert {entry.name for entry in path.iterdir()} == expected
    log = (path / "log.txt").read_text()
    assert "begun" in log
    assert "finished after" in log


def test_edges_are_all_pairs_ever_seen_with_their_errors(run):
    posterior, edges = load(run[0]), pd.read_csv(run[0] / "edges.csv")
    assert list(edges) == EDGE_COLUMNS
    p = posterior.edge_probabilities()
    assert len(edges) == int((p.to_numpy() > 0).sum())
    for edge in edges.itertuples():
        assert edge.probability == p.loc[edge.parent, edge.child] > 0
        assert edge.std_error == posterior.edge_errors().loc[edge.parent, edge.child]
        back = p.loc[edge.child, edge.parent]
        assert edge.adjacent == pytest.approx(edge.probability + back)
        assert edge.direction == pytest.approx(edge.probability / edge.adjacent)
    plain = posterior.without_doubt().edge_probabilities()
    for edge in edges.itertuples():
        assert edge.if_model_holds == pytest.approx(plain.loc[edge.parent, edge.child])
    assert set(edges.grounds) <= {"independences", "shape"}  # nothing was set, nor told
    assert edges.probability.is_monotonic_decreasing


def test_the_command_and_the_library_agree(run, folder):
    posterior = learn(folder / "data.csv", draws=500)
    assert (posterior.dags == load(run[0]).dags).all()
    assert (posterior.log_weights == load(run[0]).log_weights).all()


def test_settings_repeat_the_run_from_anywhere(run, tmp_path):
    """Their path to the data is relative to them, not to where the command is called."""
    path, _ = run
    settings = tomllib.loads((path / "settings.toml").read_text())
    assert settings["data"] == os.path.join("..", "data.csv")
    assert settings["draws"] == 500
    arguments = ["learn", "--config", path / "settings.toml", "--out", "again", "--workers", 2]
    done = gpnet(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert result(tmp_path / "again") == result(path)


def test_settings_find_the_data_behind_a_link(folder, tmp_path, ask):
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "down", target_is_directory=True)
    run = tmp_path / "link" / "run"
    arguments = ["learn", folder / "data.csv", "--score", "bge", *QUICK, "--out", run]
    assert ask(*arguments)[0] == 0
    assert ask("learn", "--resume", "--out", run)[0] == 0


# Runs that are there already


def test_a_finished_run_is_told_again_and_not_computed(run, ask):
    path, done = run
    before = {entry: entry.stat().st_mtime_ns for entry in path.iterdir()}
    code, out, err = ask("learn", path.parent / "data.csv", *QUICK, "--out", path, "--json")
    assert (code, out) == (0, done.stdout)
    assert "finished" in err
    assert {entry: entry.stat().st_mtime_ns for entry in path.iterdir()} == before
    assert ask("learn", "--resume", "--out", path, "--transform", "auto")[0] == 0


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        (["--seed", 1], "seed was '0' and is '1'"),
        (["--thin", 5], "thin was not set and is '5'"),
        (["--drop", "V1"], "other data"),
        (["--transform", "rank-normal"], "other data"),
    ],
)
def test_the_folder_of_another_run_is_refused(run, ask, more, hint):
    path, _ = run
    before = result(path)
    code, out, err = ask("learn", path.parent / "data.csv", *QUICK, "--out", path, *more)
    assert (code, out) == (2, "")
    assert hint in err
    assert result(path) == before


def test_a_folder_with_strangers_is_refused(folder, tmp_path, ask):
    (tmp_path / "thesis.tex").touch()
    code, _, err = ask("learn", folder / "data.csv", *QUICK, "--out", tmp_path)
    assert code == 2
    assert "holds other files ('thesis.tex')" in err


def test_one_process_at_a_time_works_in_a_folder(folder, tmp_path, ask):
    fcntl = pytest.importorskip("fcntl")
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    code, _, err = ask("learn", folder / "data.csv", *QUICK, "--out", tmp_path)
    os.close(handle)
    assert code == 2
    assert "another gpnet is at work there" in err
    assert list(tmp_path.iterdir()) == []


# What it will cost


def test_a_dry_run_states_its_cost_and_leaves_nothing(folder, tmp_path, ask):
    arguments = ["learn", folder / "data.csv", "--dry-run", "--workers", 2]
    code, out, _ = ask(*arguments, "--out", tmp_path / "run")
    assert code == 0
    assert "80 parent sets to score (full space), exact sampling; scoring takes about" in out
    assert "2 workers" in out
    assert "MB" in out
    assert not (tmp_path / "run").exists()
    record = json.loads(ask(*arguments, "--json")[1])
    assert record["sets"] == 80
    assert record["seconds"][0] > 0 < record["memory_bytes"]


# Exit codes


def test_too_few_draws_end_with_three_and_say_why(folder, tmp_path):
    few = ["--sampler", "partition", "--draws", 10, "--chains", 5, "--score", "bge"]
    done = gpnet("learn", folder / "data.csv", *few, "--out", tmp_path / "run")
    assert done.returncode == 3
    assert "Not converged: " in done.stdout
    assert "there are too few draws of each chain" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("more", [["--prior", "learned"], ["--score", "bge", "--max-parents", 0]])
def test_more_chains_than_draws(folder, tmp_path, ask, more):
    few = ["--sampler", "partition", "--draws", 3, "--chains", 4, "--bag", "off"]
    code, out, _ = ask(
        "learn", folder / "data.csv", *few, *more, "--out", tmp_path / "run", "--json"
    )
    assert code == 3
    assert json.loads(out)["diagnosis"]["draws"] == 3


def test_one_variable_has_no_edges(tmp_path, ask):
    values = np.random.default_rng(0).standard_normal(60)
    pd.DataFrame({"alone": values}).to_csv(tmp_path / "one.csv", index=False)
    code, out, _ = ask("learn", tmp_path / "one.csv", *QUICK, "--out", tmp_path / "run")
    assert code == 0
    assert "No two variables are adjacent" in out
    assert (tmp_path / "run" / "edges.csv").read_text() == ",".join(EDGE_COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["learn"], "--out: a folder"),
        (["learn", "--out", "x"], "DATA: a table is needed"),
        (["learn", "{data}"], "--out: a folder"),
        (["learn", "no.csv", "--out", "x"], "no.csv"),
        (["learn", "{data}", "--out", "{data}"], "cannot be a folder for the run"),
        (["learn", "{data}", "--out", "{data}/x"], "cannot be a folder for the run"),
        (["learn", "--resume", "--out", "x"], "there is no run in x"),
        (["learn", "--resume", "--out", "x", "--config", "c.toml"], "leave out --config"),
        (["learn", "{data}", "--out", "x", "--workers", "0"], "workers: a whole number from 1"),
        (["learn", "{data}", "--out", "x", "--workers", "-1"], "workers: a whole number from 1"),
        (["learn", "{data}", "--out", "x", "--draws", "0"], "draws: 1 or more"),
        (["learn", "{data}", "--out", "x", "--draws", "9" * 15], "draws: 999,999,999"),
        (["learn", "{data}", "--out", "x", "--draws", "1e3"], "--draws"),
        (["learn", "{data}", "--out", "x", "--score", ""], "score: one of"),
        (["learn", "{data}", "--out", "x", "--prior", "edges:nan"], "finite number"),
        (["learn", "{data}", "--out", "x", "--noise-prior", "1"], "--noise-prior: two numbers"),
        (["learn", "{data}", "--out", "x", "--time-budget", ""], "--time-budget: a time"),
        (["learn", "{data}", "--out", "x", "--time-budget", "-5m"], "--time-budget: a time"),
        (["learn", "{data}", "--out", "x", "--forbid", "V1"], "forbid: feature 'V1'"),
        (["learn", "{data}", "--out", "x", "--forbid", "V1->V9"], "no variable is called 'V9'"),
        (["learn", "{data}", "--out", "x", "--require", "V1--V2"], "require: an edge as in"),
        (["learn", "{data}", "--out", "x", "--tiers", "no.csv"], "'no.csv' is neither a file nor"),
        (["learn", "{data}", "--out", "x", "--tiers", "V1 < V22"], "'V22': did you mean 'V2'"),
        (["learn", "{data}", "--out", "x", "--tiers", "V1 < V2,V1"], "'V1' stands in tier 1 and"),
        (["learn", "{data}", "--out", "x", "--tiers", "V1 < < V2"], "tier 2 of 'V1 < < V2' is"),
        (["learn", "{data}", "--out", "x", "--config", "no.toml"], "no.toml: cannot be read"),
        (["show", "nowhere"], "nowhere: no such file"),
        (["show", "{data}"], "not a posterior of gpnet"),
        (["compare", "nowhere", "{data}"], "nowhere: no such file"),
    ],
)
def test_bad_input_is_named_and_exits_with_two(folder, ask, arguments, hint):
    code, out, err = ask(*(a.format(data=folder / "data.csv") for a in arguments))
    assert (code, out) == (2, "")
    assert hint in " ".join(err.split())
    assert not os.path.exists("x")


def test_the_exact_sampler_is_refused_before_the_work(tmp_path, ask):
    simulate(nodes=25, rows=30, seed=1).write(tmp_path)
    arguments = ["learn", tmp_path / "data.csv", "--sampler", "exact", "--out", tmp_path / "x"]
    code, _, err = ask(*arguments)
    assert code == 2
    assert "'exact' takes up to 20 variables" in err
    assert not (tmp_path / "x").exists()


def test_a_path_that_no_settings_can_name(folder, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    try:
        with open(path, "wb") as file:
            file.write((folder / "data.csv").read_bytes())
    except OSError:
        pytest.skip("this system has no such names")
    done = gpnet("learn", os.fsdecode(path), "--out", tmp_path / "x")
    assert done.returncode == 2
    assert "not text in UTF-8" in done.stderr
    assert "Traceback" not in done.stderr


# Options from a file


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("drawz = 5", "no option 'drawz': did you mean 'draws'"),
        ("out = 'x'", "no option 'out'"),
        ("[learn]\ndraws = 5", "no option 'learn'"),
        ("draws = ", "is not TOML"),
        ("draws = " + "[" * 5000, "is not TOML"),
        ("draws = 'many'", "draws: expected a whole number"),
        ("workers = 'two'", "workers: a whole number"),
        ("workers = 1.5", "workers: a whole number"),
        ("time_budget = -1", "--time-budget: a time"),
        ("data = 5", "data: expected a path"),
        ("drop = 5", "drop: the names of columns"),
        ("transform = 5", "transform '5'"),
        ("tiers = [['V1'], 5]", "tiers: expected a list"),
        ("forbid = 'V1->V2'", "forbid: expected a list"),
        ("noise_prior = '1,1'", "noise_prior: expected two numbers"),
    ],
)
def test_bad_options_in_a_file(folder, tmp_path, ask, text, hint):
    (tmp_path / "c.toml").write_text(f"data = '{folder / 'data.csv'}'\n" * ("data" not in text))
    with open(tmp_path / "c.toml", "a") as file:
        file.write(text)
    code, out, err = ask("learn", "--config", tmp_path / "c.toml", "--out", tmp_path / "x")
    assert (code, out) == (2, "")
    assert hint in err
    assert not (tmp_path / "x").exists()


def test_options_given_go_before_those_of_a_file(folder, tmp_path, ask):
    config = tmp_path / "c.toml"
    config.write_text("score = 'bge'\ndraws = 400\nmax-parents = 1\nrefine = true\nseed = 3\n")
    given = ["--config", config, "--draws", 450, "--no-refine", "--seed", 0]
    _, out, _ = ask("learn", folder / "data.csv", *given, "--out", tmp_path / "run", "--json")
    options = json.loads(out)["settings"]["options"]
    found = [options[name] for name in ("score", "draws", "max_parents", "refine", "seed")]
    assert found == ["bge", 450, 1, False, 0]


def test_knowledge_is_obeyed_in_every_draw(folder, tmp_path, ask):
    (tmp_path / "tiers.csv").write_text("V1, V2\nV3\n")
    known = ["--tiers", tmp_path / "tiers.csv", "--forbid", "V1->V2", "--require", "V4 -> V5"]
    arguments = [*known, "--prior", "uniform", *QUICK, "--out", tmp_path / "run"]
    code, _, err = ask("learn", folder / "data.csv", *arguments)
    assert code in (0, 3), err
    dags = load(tmp_path / "run").dags
    assert not dags[:, 2, :2].any()
    assert not dags[:, 0, 1].any()
    assert dags[:, 3, 4].all()
    assert dags[:, 1, 0].any() or dags[:, :2, 2].any()  # what is allowed happens
    assert ask("learn", "--resume", "--out", tmp_path / "run")[0] == code


# Time


def test_a_budget_that_ends_while_scoring(run, tmp_path, ask):
    """A first answer is told as such, has a report, and is replaced when there is more time."""
    folder = tmp_path / "my run"
    arguments = [run[0].parent / "data.csv", *QUICK, "--out", folder]
    done = gpnet("learn", *arguments, "--time-budget", "0.01s", "--json")
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    assert told["verdict"].startswith("Not the answer yet: the time budget ended after")
    assert "straight lines" in told["verdict"]
    assert told["diagnosis"]["first_answer"]
    assert "Not the answer yet" in (folder / "report.html").read_text()
    assert ask("learn", *arguments)[0] == 0
    assert result(folder) == result(run[0])


def test_a_budget_that_ends_while_scoring_what_was_drawn(tmp_path, ask):
    """With the table in the store, so that the time goes where it should; gp2 takes its time."""
    simulate(nodes=3, rows=150, nonlinearity=1, edge_probability=0.7, seed=1).write(tmp_path)
    options = {"score": "gp2", "prior": "uniform", "draws": 500}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    arguments = ["learn", tmp_path / "data.csv", *words, "--workers", 1, "--out", tmp_path / "run"]
    code, told, _ = ask(*arguments, "--time-budget", "0.01s")
    assert code == 3
    assert told.startswith("Not converged yet, so that these numbers may change")
    assert f"Next: gpnet learn --resume --out {tmp_path / 'run'} --time-budget 1m" in told
    assert "curved" not in told  # of straight lines there is nothing to tell
    store = tmp_path / "run" / "scores.sqlite"
    learn(tmp_path / "data.csv", **options, evidence="laplace", store=store)
    code, out, _ = ask(*arguments, "--time-budget", "0.5s", "--json")
    assert code == 3
    record = json.loads(out)
    assert "of the weight have a set scored by Laplace's" in record["verdict"]
    assert 0 < record["diagnosis"]["share_unscored"] <= 1
    _, out, _ = ask(*arguments, "--json")  # as the verdict says: it goes on from there
    assert json.loads(out)["diagnosis"]["share_unscored"] == 0


# Questions


def test_show_answers_features(run, ask):
    path, _ = run
    posterior = load(path)
    features = ["V1 -> V2", "not V1 ~> V2", "parents(V3) = {}"]
    answers = json.loads(ask("show", path, *features, "--json")[1])["features"]
    assert [answer["feature"] for answer in answers] == features
    for answer in answers:
        assert answer["probability"] == float(posterior.probability(answer["feature"]))
        assert answer["low"] <= answer["probability"] <= answer["high"]
    assert "V1 -> V2" in ask("show", path, "V1 -> V2")[1]
    shown = json.loads(ask("show", path, "--json")[1])
    assert shown == json.loads((path / "summary.json").read_text())
    assert "Converged" in ask("show", path)[1]


@pytest.mark.parametrize("feature", ["V1", "V1 -> V9", "", "V1 -> V2 and", "(V1 -> V2", "V1 -> V1"])
def test_a_bad_feature_exits_with_two(run, ask, feature):
    code, out, err = ask("show", run[0], "V1 -> V2", feature, "--json")
    assert (code, out) == (2, "")
    assert err.startswith("gpnet: feature")


def test_compare_reads_a_list_of_edges(run, folder, tmp_path, ask):
    matrix = pd.read_csv(folder / "dag.csv")
    names = [name for name in matrix.columns if name.startswith("V")]
    edges = np.argwhere(matrix[names].to_numpy() == 1)
    lines = ["parent,child", *(f"{names[a]},{names[b]}" for a, b in edges)]
    (tmp_path / "edges.csv").write_text("\n".join(lines) + "\n")
    paths = folder / "dag.csv", tmp_path / "edges.csv"
    by_matrix, by_edges = (ask("compare", run[0], path, "--json") for path in paths)
    assert by_matrix == by_edges
    (tmp_path / "edges.csv").write_text("from,to\nV1,W2\n")
    code, _, err = ask("compare", run[0], tmp_path / "edges.csv")
    assert code == 2
    assert "row 1 names 'W2'; there is 'V1', 'V2'" in err


def test_compare_two_runs(run, ask):
    found = json.loads(ask("compare", run[0], run[0], "--json")[1])["edges"]
    assert found
    assert all(edge["difference"] == 0 for edge in found)
    assert "differs by up to 0.000" in ask("compare", run[0], run[0])[1]


def test_show_lists_parent_sets(run, ask):
    posterior = load(run[0])
    found = json.loads(ask("show", run[0], "parents(V2)", "V1 -> V2", "--json")[1])
    assert [answer["feature"] for answer in found["features"]] == ["V1 -> V2"]
    expected = posterior.parents("V2").to_dict("records")
    assert found["parents(V2)"] == json.loads(json.dumps(expected))
    assert "probability" in ask("show", run[0], "parents(V2)")[1]
    assert ask("show", run[0], "parents(V9)")[0] == 2


def test_compare_has_every_measure(run, folder, ask):
    record = json.loads(ask("compare", run[0], folder / "dag.csv", "--json")[1])
    assert set(MEANINGS) <= set(record)
    assert {"eshd", "etp", "efp", "eshd_cpdag", "auroc", "log_loss"} <= set(record)
    assert record["auroc"] > 0.5
    assert "expected structural Hamming distance" in ask("compare", run[0], folder / "dag.csv")[1]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("V1,V2\n0,1\n0,0\n", "lacks"),
        ("V1,V2,V3,V4,V5\n" + "0,0,0,0,2\n" * 5, "write 1 for an edge"),
        ("V1,V2,V3,V4,V5\n" + "0,1,0,0,0\n" * 5, "contains a directed cycle"),
        ("", "lacks"),
    ],
)
def test_a_wrong_dag_exits_with_two(run, tmp_path, ask, text, hint):
    (tmp_path / "dag.csv").write_text(text)
    code, out, err = ask("compare", run[0], tmp_path / "dag.csv")
    assert (code, out) == (2, "")
    assert hint in err


# Hostile names


def test_hostile_names_come_back_from_every_file(hostile):
    path, _ = hostile
    with open(path / "edges.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 3
    edges = {(row["parent"], row["child"]): float(row["probability"]) for row in rows}
    p = load(path).edge_probabilities()
    assert edges == {(a, b): p.loc[a, b] for a in NAMES for b in NAMES if p.loc[a, b] > 0}
    assert json.loads((path / "summary.json").read_text())["variables"] == NAMES
    assert sorted(e.name for e in path.parent.iterdir() if "🙂" in e.name) == []


def test_a_terminal_obeys_no_name(hostile, folder, ask):
    path, done = hostile
    shown = done.stdout + done.stderr + ask("show", path)[1] + (path / "log.txt").read_text()
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert r"new\nline\rand \x1b[31mred" in shown
    code, _, err = ask("learn", folder / "hostile.csv", "--out", "x", "--forbid", "new -> red")
    assert code == 2
    assert "\x1b" not in err


def test_hostile_names_in_questions_and_knowledge(hostile, folder, tmp_path, ask):
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    features = [f"{quoted[0]} -> {quoted[1]}", f"parents({quoted[4]}) = {{{quoted[2]}}}"]
    answers = json.loads(ask("show", hostile[0], *features, "--json")[1])["features"]
    assert [answer["feature"] for answer in answers] == features
    with open(tmp_path / "tiers.csv", "w", newline="") as file:
        csv.writer(file).writerows([[NAMES[4], NAMES[0]], [NAMES[1]]])
    known = ["--forbid", f"{quoted[2]} -> {quoted[3]}", "--tiers", tmp_path / "tiers.csv"]
    arguments = [*known, "--score", "bge", *QUICK, "--out", tmp_path / "run"]
    assert ask("learn", folder / "hostile.csv", *arguments)[0] == 0
    settings = tomllib.loads((tmp_path / "run" / "settings.toml").read_text())
    assert settings["tiers"] == [[NAMES[4], NAMES[0]], [NAMES[1]]]
    assert not load(tmp_path / "run").dags[:, 2, 3].any()
    assert not load(tmp_path / "run").dags[:, 1, [0, 4]].any()
    assert ask("learn", "--resume", "--out", tmp_path / "run")[0] == 0


# Readers that fail


def test_an_answer_that_cannot_be_printed(run):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:
        done = gpnet("show", run[0], stdout=full)
    assert done.returncode == 2
    assert done.stderr == "gpnet: No space left on device\n"


# Folders that nobody may look into


@pytest.fixture
def open_folder():
    """Not tmp_path, which lies where nobody may go."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        yield Path(folder)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="rights work otherwise here")
def test_folders_that_nobody_may_look_into(folder, open_folder, ask):
    table, secret = open_folder / "data.csv", open_folder / "secret"
    table.write_bytes((folder / "data.csv").read_bytes())
    secret.mkdir(mode=0)
    ask("learn", table, "--dry-run")  # all is imported, as nobody may read that either
    for arguments in (
        ["learn", table, "--out", secret],
        ["learn", table, "--out", secret / "run"],
        ["learn", table, "--out", open_folder / "new"],
        ["learn", "--resume", "--out", secret],
        ["show", secret],
        ["show", secret / "run"],
    ):
        with without_rights():
            code, out, err = ask(*arguments)
        assert (code, out) == (2, "")
        assert str(arguments[-1]) in err


def test_lines_and_curves_are_told(folder, tmp_path, ask):
    run = tmp_path / "run"
    code, out, err = ask(
        "learn", folder / "data.csv", "--score", "adaptive", "--draws", 500, "--out", run
    )
    assert code == 0, err
    number = r"(\d\.\d\d)"
    kinds = f"curved {number}, noise not normal {number}, noise varies {number}"
    told = re.findall(rf"(\S+) given (.*) \({number}\): {kinds}", out)
    relations = load(run).relations()
    assert told
    for child, parents, *numbers in told:
        best = relations[relations["child"] == child].iloc[0]
        assert ", ".join(best["parents"]) == parents
        columns = ["probability", "nonlinear", "noise_not_normal", "noise_varies"]
        assert best[columns].tolist() == pytest.approx([*map(float, numbers)], abs=0.006)
    summary = json.loads((run / "summary.json").read_text())
    assert list(summary["relations"][0]) == list(relations.columns)


def test_model_and_doubt_are_told_and_can_be_taken_off(folder, tmp_path, ask):
    run = tmp_path / "run"
    code, out, err = ask("learn", folder / "data.csv", "--draws", 500, "--out", run)
    assert code == 0, err
    posterior = load(run)
    plain, diagnosis = posterior.without_doubt(), posterior.diagnosis
    assert plain.n_draws < posterior.n_draws
    after = out[out.index(diagnosis.verdict) :].splitlines()
    assert after[:3] == [diagnosis.verdict, diagnosis.model_verdict, diagnosis.doubt]
    assert diagnosis.doubt in ask("show", run)[1]
    told = ask("show", run, "--without-doubt")[1]
    assert diagnosis.doubt not in told
    assert plain.diagnosis.doubt in told
    record = json.loads(ask("show", run, "--json")[1])
    assert record["model"]["verdict"] == diagnosis.model_verdict
    assert record["doubt"]["kappa"] == diagnosis.doubt_throughout > 0
    assert record == json.loads((run / "summary.json").read_text())
    record = json.loads(ask("show", run, "--without-doubt", "--json")[1])
    assert record["doubt"]["kappa"] == 0
    assert record["edges"] == plain.edges().to_dict("records")
    edge = plain.edges().iloc[0]
    feature = f"{edge.parent} -> {edge.child}"
    answer = json.loads(ask("show", run, feature, "--without-doubt", "--json")[1])
    assert answer["features"][0]["probability"] == pytest.approx(edge.probability)
    assert ask("report", run, "--without-doubt")[0] == 0
    written = (run / "report.html").read_text(encoding="utf-8")
    assert written == page(plain, effects_on_page(plain))


def test_without_checks_only_doubt_is_told(folder, tmp_path, ask):
    run = tmp_path / "run"
    asked = ["learn", folder / "data.csv", "--score", "bge", "--draws", 200, "--out", run]
    _, out, _ = ask(*asked)
    assert "given" not in out
    assert "fit" not in out
    assert "no doubt about it was put in" in out
    assert json.loads((run / "summary.json").read_text())["model"]["checks"] is None


def test_a_result_of_a_newer_gpnet_is_left_alone(folder, tmp_path, ask, monkeypatch):
    run = tmp_path / "run"
    asked = ["learn", folder / "data.csv", "--draws", 200, "--score", "bge", "--out", run]
    ask(*asked)
    monkeypatch.setattr("gpnet.posterior.npz_file.VERSION", 99)
    load(run / "posterior.npz").save(run / "posterior.npz")
    monkeypatch.undo()
    before = (run / "posterior.npz").read_bytes()
    code, _, err = ask(*asked)
    assert code == 2
    assert "update gpnet" in err
    assert (run / "posterior.npz").read_bytes() == before
