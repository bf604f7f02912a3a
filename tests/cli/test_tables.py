"""The command line as a user meets it: real processes, exit codes, stdout and stderr."""

import json
import os
import shlex
import signal
import subprocess
import sys
from math import comb

import numpy as np
import pandas as pd
import pytest

from gpnet import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.scores import SCORES, BgeScore, GpScore


def command(*arguments):
    return [sys.executable, "-m", "gpnet", *map(str, arguments)]


def gpnet(*arguments, cwd=None, stdout=subprocess.PIPE, **environment):
    return subprocess.run(
        command(*arguments),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sim")
    done = gpnet(
        *[
            "simulate",
            "--nodes",
            "4",
            "--rows",
            "50",
            "--nonlinearity",
            "1",
            "--edge-probability",
            "0.6",
        ],
        *["--seed", 1, "--out", folder],
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_simulate_writes_data_and_dag(folder, tmp_path):
    data, dag = pd.read_csv(folder / "data.csv"), pd.read_csv(folder / "dag.csv")
    assert data.shape == (50, 4)
    assert list(data.columns) == list(dag.columns) == ["V1", "V2", "V3", "V4"]
    assert set(np.unique(dag)) <= {0, 1}
    again = [
        "simulate",
        "--nodes",
        "4",
        "--rows",
        "50",
        "--nonlinearity",
        "1",
        "--edge-probability",
        "0.6",
        "--seed",
        "1",
    ]
    gpnet(*again, "--out", tmp_path)
    assert (tmp_path / "data.csv").read_bytes() == (folder / "data.csv").read_bytes()


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("evidence", EVIDENCE_METHODS)
def test_score_prints_json_alone(folder, score, evidence):
    done = gpnet(
        *["score", folder / "data.csv", "V2", "--parents", "V1,V3", "--seed", 1, "--json"],
        *["--score", score, "--evidence", evidence],
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert np.isfinite(record["log_marginal"])
    assert record["parents"] == ["V1", "V3"]
    no_error = evidence == "laplace" and not SCORES[score].closed_form
    assert (record["std_error"] is None) == no_error


def test_score_equals_the_library(folder):
    asked = ["score", folder / "data.csv", "V2", "--parents", "V3,V1", "--seed", 3, "--json"]
    done = gpnet(*asked, "--score", "gp")
    data = load_table(folder / "data.csv")
    expected = GpScore(seed=3).log_marginal(data, 1, (0, 2))
    assert json.loads(done.stdout)["log_marginal"] == expected.value


def test_score_settings_reach_the_score(folder):
    done = gpnet(
        *["score", folder / "data.csv", "V2", "--parents", "V1", "--json"],
        *["--score", "bge", "--am", "0.5", "--aw", "9"],
    )
    data = load_table(folder / "data.csv")
    expected = BgeScore(am=0.5, aw=9).log_marginal(data, 1, (0,)).value
    assert json.loads(done.stdout)["log_marginal"] == pytest.approx(expected, abs=1e-12)
    plain, other = (
        json.loads(gpnet("score", folder / "data.csv", "V2", "--json", *more).stdout)
        for more in ([], ["--noise-prior", "3,1"])
    )
    assert plain["log_marginal"] != other["log_marginal"]


def test_score_for_people(folder):
    done = gpnet("score", folder / "data.csv", "V2", "--parents", "V1")
    assert done.returncode == 0
    assert "V2 given V1" in done.stdout
    assert "±" in done.stdout


def test_awkward_names(tmp_path):
    names = ["a,b", 'say "x"', "[red]c", "<script>", "🙂/.."]
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((20, 5)), columns=names)
    table.to_csv(tmp_path / "t.csv", index=False)
    done = gpnet(
        *["score", tmp_path / "t.csv", "[red]c", "--score", "bge", "--json"],
        *["--parents", "a,b", "--parents", '"🙂/..","say ""x"""'],
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["node"] == "[red]c"
    assert record["parents"] == ["a,b", "🙂/..", 'say "x"']
    shown = gpnet("score", tmp_path / "t.csv", "[red]c", "--score", "bge")
    assert "[red]c" in shown.stdout


def test_nothing_of_a_name_is_read_as_markup(tmp_path):
    names = ["b\\[red]x", "[/]", "back\\", ":smile:", "\\[/"]
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((20, 5)), columns=names)
    table.to_csv(tmp_path / "t.csv", index=False)
    parents = [part for name in names[1:] for part in ("--parents", name)]
    shown = gpnet("score", tmp_path / "t.csv", names[0], *parents, "--score", "bge").stdout
    assert f"{names[0]} given {', '.join(names[1:])}" in shown
    table.assign(**dict.fromkeys(names, 1.0)).to_csv(tmp_path / "t.csv", index=False)
    shown = gpnet("check", tmp_path / "t.csv").stdout
    told = gpnet("score", tmp_path / "t.csv", "[/]").stderr
    assert f"column {names[0]!r} is constant; and much the same of {names[1]!r}" in shown
    for name in names:
        assert repr(name) in shown
        assert repr(name) in told


def test_columns_that_tell_nothing_are_left_out_of_what_to_type_next(tmp_path, ask):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 3)), columns=list("abc"))
    table.insert(0, "rownames", range(1, 41))
    table = table.assign(**{"d": table["a"], "e,f": 1.0}, month=[3, 1, 5, 2, 4, 6, 9, 7] * 5)
    table.iloc[3, 2] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    code, told, _ = ask("check", tmp_path / "t.csv")
    (command,) = [line for line in told.splitlines() if line.startswith("Next: ")]
    words = shlex.split(command.removeprefix("Next: gpnet "))
    assert code == 2
    assert words[2:] == ["--drop", 'rownames,"e,f",d', "--exogenous", "month",
                         "--missing", "impute", "--out", "run"]  # fmt: skip
    assert ask("check", *words[1:-2])[0] == 0


def test_check_says_what_to_type_next(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 4)), columns=list("abcd"))
    table.iloc[3, 0] = np.nan
    table.to_csv(tmp_path / "my table.csv", index=False)
    found = gpnet("check", tmp_path / "my table.csv", "--drop", "b")
    assert found.returncode == 2
    path = f"'{tmp_path / 'my table.csv'}'"
    said = " ".join(found.stdout.split())
    assert f"Next: gpnet learn {path} --drop b --missing impute --out run" in said
    fine = gpnet("check", tmp_path / "my table.csv", "--drop", "a")
    assert "40 rows, 4 columns" in " ".join(fine.stdout.split())
    assert f"Next: gpnet learn {path} --drop a --out run" in " ".join(fine.stdout.split())


def next_words(told):
    """Of the command that `check` ends with."""
    (command,) = [line for line in told.splitlines() if line.startswith("Next: ")]
    return shlex.split(command.removeprefix("Next: gpnet "))


def test_a_table_with_names_of_rows_rare_levels_and_gaps_gets_a_command_that_works(tmp_path, ask):
    """As cars and sleeping mammals have; the size comes first although there are errors."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((40, 3)), columns=list("abc"))
    table["model"] = [f"type {i}" for i in range(40)]
    table["kind"] = ["x", "y"] * 19 + ["z", "x"]
    table["on"] = [f"1970-01-{1 + i % 31:02}" for i in range(40)]
    table["rare"] = [1.5, 2.5] + [np.nan] * 38  # too few are known to draw the others from
    table.iloc[:4, 0] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    code, told, _ = ask("check", tmp_path / "t.csv")
    assert code == 2
    assert told.splitlines()[0].endswith("t.csv: 40 rows, 7 columns")
    words = next_words(told)
    assert words[words.index("--drop") + 1].split(",") == ["kind", "model", "on", "rare"]
    assert ask("check", *words[1:-2])[0] == 0


def test_where_only_the_user_knows_what_was_meant_check_asks(tmp_path, ask):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 3)), columns=list("abc"))
    table = table.astype(object)
    table.iloc[7, 1] = "rotary"
    table.to_csv(tmp_path / "t.csv", index=False)
    _, told, _ = ask("check", tmp_path / "t.csv")
    assert "Next: put 'b' right, or leave out (--drop), and check again" in told
    table[["a", "b"]].to_csv(tmp_path / "t.csv", index=False)
    _, told, _ = ask("check", tmp_path / "t.csv", "--drop", "b")
    assert "Next:" not in told  # one column has no edges


def test_learn_leads_to_check_where_a_table_has_errors(tmp_path, ask):
    table = pd.DataFrame(
        np.random.default_rng(0).standard_normal((40, 9)), columns=list("abcdefghi")
    )
    table.iloc[3] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    code, _, told = ask("learn", tmp_path / "t.csv", "--out", tmp_path / "run")
    assert code == 2
    assert told.count("missing value") == 1  # nine columns, one line
    assert f"gpnet check {tmp_path / 't.csv'}" in told


def test_remedies_in_the_shell_name_its_options_alone(tmp_path, ask):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 3)), columns=list("abc"))
    table.iloc[3, 0] = np.nan
    table.assign(few=[0, 1] * 20, index=range(40)).to_csv(tmp_path / "t.csv", index=False)
    _, told, _ = ask("check", tmp_path / "t.csv")
    assert "leave these rows out (--missing rows)" in " ".join(told.split())
    assert "if that is right, say so (--exogenous few); if something may drive it" in told
    assert "model it (--model-discrete few), or leave it out (--drop)" in told
    for python in ("drop=", "missing=", "exogenous=", "model_discrete="):
        assert python not in told


@pytest.fixture
def greek(tmp_path):
    """A sound table with an outlier, whose names no ASCII terminal can print."""
    values = np.random.default_rng(0).standard_normal((20, 2))
    values[3, 0] = 90.0
    pd.DataFrame(values, columns=["α", "β"]).to_csv(tmp_path / "αβ.csv", index=False)
    return tmp_path / "αβ.csv"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "{data}"],
        ["check", "{data}", "--json"],
        ["score", "{data}", "β", "--parents", "α", "--score", "bge"],
        ["score", "{data}", "β", "--parents", "α", "--score", "bge", "--json"],
    ],
)
def test_a_terminal_of_ascii(greek, arguments):
    arguments = [argument.format(data=greek) for argument in arguments]
    done = gpnet(*arguments, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    if "--json" in arguments:
        assert json.loads(done.stdout) == json.loads(gpnet(*arguments).stdout)


def test_errors_on_a_terminal_of_ascii(greek, tmp_path):
    done = gpnet("score", greek, "γ", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "no column is called '?'" in done.stderr
    assert gpnet("demo", cwd=tmp_path, PYTHONIOENCODING="ascii").returncode == 0


def test_messages_are_one_line_each(greek, tmp_path):
    warned = gpnet("score", greek, "β", "--score", "bge").stderr
    assert warned.startswith("gpnet: warning: column 'α': 1 extreme outlier")
    assert warned.count("\n") == 1
    table = pd.DataFrame({"a": [1.0] * 12, "b": [2.0] * 12})
    table.to_csv(tmp_path / "bad.csv", index=False)
    assert gpnet("score", tmp_path / "bad.csv", "a").stderr.splitlines() == [
        "gpnet: column 'a' is constant; and much the same of 'b'. Remedy: leave 'a' out (drop= or "
        "--drop)."
    ]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_has_gone_is_no_error(folder, tmp_path, more):
    pd.DataFrame({f"c{i}": [1.0] * 12 for i in range(500)}).to_csv(tmp_path / "b.csv", index=False)
    for path, code in ((folder / "data.csv", 0), (tmp_path / "b.csv", 2)):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            done = subprocess.run(
                command("check", path, *more), stdout=pipe, stderr=subprocess.PIPE, check=False
            )
        assert done.stderr == b""
        assert done.returncode == code


def test_an_interrupt_says_so(tmp_path):
    """In the middle of minutes of work, so that a busy machine cannot be too late."""
    gpnet("simulate", "--nodes", 16, "--rows", 300, "--out", tmp_path / "sim")
    work = command("learn", tmp_path / "sim" / "data.csv", "--out", tmp_path / "run")
    with subprocess.Popen(
        work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert "gpnet: interrupted" in told
    assert process.returncode == 130


def test_check_says_all_at_once(tmp_path):
    table = pd.DataFrame({"a": [1.0] * 12, "b": np.arange(12), "c": list("xyzxyzxyzxyz")})
    table["d"] = [0.3, np.nan, *np.random.default_rng(0).standard_normal(10)]
    table.to_csv(tmp_path / "bad.csv", index=False)
    done = gpnet("check", tmp_path / "bad.csv")
    assert done.returncode == 2
    for name in "abcd":
        assert f"'{name}'" in done.stdout
    record = json.loads(gpnet("check", tmp_path / "bad.csv", "--json").stdout)
    assert record["errors"] == 3
    levels = [found for found in record["findings"] if found["columns"] == ["c"]]
    assert [(found["level"], found["code"]) for found in levels] == [("warning", "categorical")]


def test_check_of_a_good_table(folder):
    done = gpnet("check", folder / "data.csv")
    assert done.returncode == 0
    assert "can be used" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["score", "{data}", "V9"], "V9"),
        (["score", "{data}", "V1", "--parents", "V1"], "own parent"),
        (["score", "{data}", "V1", "--parents", "V2,V2"], "twice"),
        (["score", "{data}", "V1", "--score", "magic"], "score: one of"),
        (["score", "{data}", "V1", "--evidence", "magic"], "evidence: one of"),
        (["score", "{data}", "V1", "--transform", "magic"], "transform"),
        (["score", "{data}", "V1", "--noise-prior", "1"], "--noise-prior"),
        (["score", "{data}", "V1", "--noise-prior", "0,1"], "positive"),
        (["score", "{data}", "V1", "--seed", "-1"], "seed"),
        (["score", "{data}", "V1", "--score", "bge", "--aw", "1"], "aw"),
        (["score", "no_such_file.csv", "V1"], "no_such_file.csv"),
        (["score", "{data}", "V1", "--transform", "log"], "log"),
        (["simulate", "--edge-probability", "2", "--out", "{data}.d"], "edge_probability"),
        (["simulate", "--out", "{data}"], "data.csv"),
        (["score", "{data}", "V1", "--parents", "V2\nx,V3"], "--parents"),
        (["frobnicate"], "frobnicate"),
        (["check", "{data}", "--frobnicate"], "--frobnicate"),
        (["check"], "DATA"),
    ],
)
def test_bad_input_is_named_and_exits_with_two(folder, arguments, hint):
    done = gpnet(*(a.format(data=folder / "data.csv") for a in arguments))
    assert done.returncode == 2
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_demo_and_help(tmp_path, ask):
    done = gpnet("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "in truth" in done.stdout
    assert done.stdout.splitlines()[-1].startswith(os.path.join("gpnet-demo", "report.html"))
    assert "</html>" in (tmp_path / "gpnet-demo" / "report.html").read_text()
    for command in ("demo", "check", "simulate", "score", "learn", "show", "report", "compare"):
        assert command in ask("--help")[1]
        assert "Example" in ask(command, "--help")[1]


# Copies of rows


@pytest.fixture
def resampled(folder, tmp_path):
    """The table and its first five rows again."""
    lines = (folder / "data.csv").read_text().splitlines()
    path = tmp_path / "twice.csv"
    path.write_text("\n".join([*lines, *lines[1:6]]) + "\n")
    return path


COPIES = "5 of 55 rows (9.09%) are exact copies of an earlier row (rows 51, 52, 53, 54 and 55)"


def test_check_tells_of_copied_rows(resampled, ask):
    code, out, _ = ask("check", resampled)
    assert code == 0
    assert f"warning: {COPIES}" in out
    assert "drop_duplicates" in out
    assert "no errors, 1 warning." in out


def test_so_it_does_in_json(resampled, ask):
    _, out, _ = ask("check", resampled, "--json")
    (finding,) = json.loads(out)["findings"]
    assert (finding["level"], finding["code"]) == ("warning", "copied-rows")
    assert finding["rows"] == [51, 52, 53, 54, 55]


def test_so_does_learn(resampled, ask):
    _, _, err = ask("learn", resampled, "--score", "bge", "--dry-run")
    assert f"gpnet: warning: {COPIES}" in err


# Limits


def test_a_wide_table_is_told_what_it_costs_before_any_work(tmp_path, ask, monkeypatch):
    """With a gigabyte, whatever this machine has."""
    monkeypatch.setattr("gpnet.inference.plan.default_memory_limit", lambda: 10**9)
    path = tmp_path / "wide.csv"
    values = np.random.default_rng(0).normal(size=(12, 1000))
    pd.DataFrame(values, columns=[f"g{j}" for j in range(1000)]).to_csv(path, index=False)
    for more in (["--dry-run"], ["--out", tmp_path / "run"]):
        code, out, err = ask("learn", path, *more)
        assert (code, out) == (2, "")
        assert "draws: 10,000 DAGs of 1,000 variables" in err
        assert "keep at most" in err
    assert not (tmp_path / "run").exists()
    code, out, _ = ask("learn", path, "--draws", 10, "--score", "bge", "--dry-run", "--json")
    assert code == 0
    # No node has more than ten candidates, and of so many columns none comes from outside them.
    assert json.loads(out)["sets"] == 1000 * sum(comb(10, k) for k in range(5))
