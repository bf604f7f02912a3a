"""Experiments, covariates and knowledge of roots on the command line."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from tests.cli.test_tables import command, gpnet

QUICK = ("--score", "linear", "--draws", 500, "--workers", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four variables, one of them set in turn, and a covariate of text."""
    where = tmp_path_factory.mktemp("experiments")
    options = ("--nodes", 4, "--rows", 60, "--nonlinearity", 0, "--edge-probability", 0.6)
    more = ("--interventions", 4, "--rows-each", 30, "--covariates", 1, "--seed", 2)
    assert gpnet("simulate", *options, *more, "--out", where).returncode == 0
    return where


def learn(folder, out, *options):
    return gpnet("learn", folder / "data.csv", "--out", out, *QUICK, *options)


def test_from_a_column_of_targets_to_the_truth(folder, tmp_path):
    out = tmp_path / "run"
    done = learn(folder, out, "--interventions", "target", "--exogenous", "covariate1", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["variables"] == ["V1", "V2", "V3", "V4", "covariate1"]
    assert record["settings"]["data"]["exogenous"] == ["covariate1"]
    compared = gpnet("compare", out, folder / "dag.csv", "--json")
    assert json.loads(compared.stdout)["eshd"] < 1.5
    assert (out / "report.html").stat().st_size > 10_000
    again = gpnet("learn", "--resume", "--out", out)
    assert again.returncode == 0
    assert "finished" in again.stderr


def test_a_repeated_run_has_the_same_bytes(folder, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    learn(folder, first, "--interventions", "target", "--roots", "V1")
    done = gpnet("learn", "--config", first / "settings.toml", "--out", second)
    assert done.returncode == 0, done.stderr
    assert (first / "edges.csv").read_bytes() == (second / "edges.csv").read_bytes()


def test_a_file_of_zeros_and_ones_says_the_same_as_a_column(folder, tmp_path):
    table = pd.read_csv(folder / "data.csv", keep_default_na=False)
    names = ["V1", "V2", "V3", "V4"]
    flags = pd.DataFrame({name: (table["target"] == name).astype(int) for name in names})
    flags.to_csv(tmp_path / "set.csv", index=False)
    learn(folder, tmp_path / "column", "--interventions", "target")
    given = ("--interventions", tmp_path / "set.csv", "--drop", "target")
    assert learn(folder, tmp_path / "file", *given).returncode == 0
    by_column, by_file = (pd.read_csv(tmp_path / name / "edges.csv") for name in ("column", "file"))
    pd.testing.assert_frame_equal(by_column, by_file)
    done = gpnet("learn", "--resume", "--out", tmp_path / "file")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "'target' name other columns"),
        (("--interventions", "targets"), "'targets': neither a column nor a file"),
        (("--interventions", "target", "--exogenous", "batch"), "exogenous 'batch': no such"),
        (("--interventions", "target", "--roots", "age"), "roots: no column is called 'age'"),
        (("--interventions", "target", "--drop", "V1"), "names 'V1' in row"),
        (("--interventions", "target", "--condition", "V9"), "condition 'V9': no such column"),
        (("--interventions", "target", "--missing", "mean"), "missing 'mean': expected one of"),
    ],
)
def test_bad_input_is_one_clear_error(folder, tmp_path, options, told):
    done = learn(folder, tmp_path / "run", *options)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_score_uses_the_rows_that_count(folder):
    rows = ("--parents", "V2", "--score", "linear", "--json")
    drop = ("--drop", "target")
    told = gpnet("score", folder / "data.csv", "V1", *rows, "--interventions", "target")
    untold = gpnet("score", folder / "data.csv", "V1", *rows, *drop)
    values = [json.loads(done.stdout)["log_marginal"] for done in (told, untold)]
    assert values[0] > values[1] + 10  # a likelihood of fewer rows
    assert np.isfinite(values).all()


def test_an_exogenous_column_has_no_score(folder):
    rows = ("--parents", "V2", "--interventions", "target")
    done = gpnet("score", folder / "data.csv", "covariate1", *rows)
    assert done.returncode == 2
    assert "'covariate1' is exogenous, and has no score" in done.stderr


def test_standard_input(folder):
    text = (folder / "data.csv").read_text()
    work = command("check", "-", "--interventions", "target")
    done = subprocess.run(work, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
