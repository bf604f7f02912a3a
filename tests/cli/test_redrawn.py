"""What may change between two runs: how many DAGs are drawn, and where scores are kept."""

import sqlite3
import tomllib

import pytest

import gpnet as package
from gpnet.cli import learn_options
from tests.cli.test_tables import gpnet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("redrawn")
    package.simulate(nodes=4, rows=60, seed=1).frame().abs().to_csv(folder / "t.csv", index=False)
    first = ["--draws", 200, "--score", "gp", "--evidence", "laplace", "--store", "shared.sqlite"]
    columns = ["--transform", "log2:V1,V2", "--transform", "rank-normal:V3", "--keep", "V1,V2,V3"]
    done = gpnet("learn", "t.csv", "--out", "run", *first, *columns, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def n_scores(path):
    with sqlite3.connect(path) as store:
        return store.execute("select count(*) from evidence").fetchone()[0]


def test_columns_are_told_and_taken_again(folder):
    settings = tomllib.loads((folder / "run" / "settings.toml").read_text())
    assert settings["transform"] == "log2:V1,V2;rank-normal:V3"
    assert settings["keep"] == ["V1", "V2", "V3"]
    again = gpnet("learn", "--config", "run/settings.toml", "--out", "again", cwd=folder)
    assert again.returncode == 0, again.stderr
    runs = [package.load(folder / name) for name in ("run", "again")]
    assert runs[0].names == ("V1", "V2", "V3")
    assert (runs[0].dags == runs[1].dags).all()


def test_scores_are_shared(folder):
    assert not (folder / "run" / "scores.sqlite").exists()
    before = n_scores(folder / "shared.sqlite")
    assert before > 0
    asked = ["--config", "run/settings.toml", "--store", "shared.sqlite", "--seed", 0]
    assert gpnet("learn", *asked, "--draws", 300, "--out", "b", cwd=folder).returncode == 0
    assert n_scores(folder / "shared.sqlite") == before


def test_a_run_that_is_resumed_finds_its_scores_where_they_are(folder, tmp_path):
    asked = ["--draws", 100, "--score", "gp", "--evidence", "laplace", "--drop", "V1,V2"]
    shared = tmp_path / "elsewhere.sqlite"
    done = gpnet("learn", "t.csv", "--out", "c", "--store", shared, *asked, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert package.load(folder / "c").names == ("V3", "V4")
    assert tomllib.loads((folder / "c" / "settings.toml").read_text())["drop"] == ["V1", "V2"]
    resumed = gpnet("learn", "--resume", "--out", "c", "--draws", 150, cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    assert not (folder / "c" / "scores.sqlite").exists()
    again = gpnet("learn", "--config", "c/settings.toml", "--out", "d", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert (folder / "d" / "scores.sqlite").exists()  # a run of its own


@pytest.mark.parametrize("given", [("V1,V2",), ("V1", "V2"), ('"V1", V2',)])
def test_columns_to_drop_are_named_as_those_to_keep(given):
    texts = learn_options.names_in({"drop": list(given)})
    assert texts == {"drop": ["V1", "V2"]}


def test_draws_may_change_when_a_run_is_resumed(folder):
    refused = gpnet("learn", "--config", "run/settings.toml", "--draws", 400, "--out", "run",
                    cwd=folder)  # fmt: skip
    assert refused.returncode == 2
    assert "draws was '200' and is '400'" in refused.stderr
    assert "with --resume" in refused.stderr
    done = gpnet("learn", "--resume", "--out", "run", "--draws", 400, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "finished" not in done.stderr
    assert package.load(folder / "run").settings["options"]["draws"] == 400
    assert tomllib.loads((folder / "run" / "settings.toml").read_text())["draws"] == 400
    once_more = gpnet("learn", "--resume", "--out", "run", cwd=folder)
    assert "it is finished" in once_more.stderr
    other = gpnet("learn", "--resume", "--out", "run", "--score", "bge", cwd=folder)
    assert other.returncode == 2


def test_completed_tables_may_be_more_when_a_run_is_resumed(tmp_path):
    table = package.simulate(nodes=3, rows=60, seed=1).frame()
    table.iloc[3:9, 1] = float("nan")
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ["--missing", "impute", "--imputations", 2, "--score", "linear", "--draws", 200]
    gpnet("learn", "t.csv", *asked, "--out", "run", cwd=tmp_path)
    assert package.load(tmp_path / "run").diagnosis.imputations == 2
    gpnet("learn", "--resume", "--out", "run", "--imputations", 3, cwd=tmp_path)
    more = package.load(tmp_path / "run")
    assert more.diagnosis.imputations == 3
    assert set(more.chain) == {0, 1, 2}
