"""gpnet effect and predict as a user meets them."""

import json

import numpy as np
import pandas as pd
import pytest

from gpnet import load
from tests.cli.test_tables import gpnet
from tests.effects.chains import triangle

QUICK = ["--draws", 200, "--workers", 1, "--score", "linear", "--doubt", "off"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("effects")
    frame = np.exp(triangle(150) / 5)
    frame.to_csv(folder / "data.csv", index=False)
    frame.head(5).to_csv(folder / "new.csv", index=False)
    edges = ["a -> b", "b -> c"]
    required = [text for edge in edges for text in ("--require", edge)]
    reading = ["--transform", "log", *required, *QUICK]
    for name, more in {"run": [], "bare": ["--no-keep-data"]}.items():
        done = gpnet("learn", folder / "data.csv", *reading, *more, "--out", folder / name)
        assert done.returncode == 0, done.stderr
    return folder


def test_json_is_that_of_the_issue(folder):
    done = gpnet("effect", folder / "run", "a", "c", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert {*record} == {"probability", "curve", "contrast", "if_model_holds", "identified"}
    assert all(set(one) == {"value", "mean", "low", "high"} for one in record["curve"])
    contrast = record["contrast"]
    assert set(contrast) == {"from", "to", "mean", "low", "high", "structural_share",
                             "structural_share_error"}  # fmt: skip
    a = pd.read_csv(folder / "data.csv")["a"]
    assert contrast["from"] == pytest.approx(a.quantile(0.25))
    assert contrast["to"] == pytest.approx(a.quantile(0.75))
    assert record["curve"][0]["value"] == pytest.approx(a.min())
    assert record["curve"][-1]["value"] == pytest.approx(a.max())
    assert record["probability"] == 1
    assert record == json.loads(json.dumps(load(folder / "run").effect("a", "c").record()))


def test_values_are_set_as_asked(folder):
    done = gpnet("effect", folder / "run", "a", "c", "--do", "1.5, 2", "--json")
    contrast = json.loads(done.stdout)["contrast"]
    assert (contrast["from"], contrast["to"]) == (1.5, 2.0)


def test_in_words(folder):
    done = gpnet("effect", folder / "run", "b", "c", "--direct", "--seed", 1)
    assert done.returncode == 0
    assert "Setting b from" in done.stdout
    assert "100% sure that there is any direct effect" in done.stdout
    assert "Mean slope:" in done.stdout


def test_all_effects(folder, tmp_path):
    done = gpnet("effect", folder / "run", "--all", "--out", tmp_path / "effects.csv")
    assert done.returncode == 0, done.stderr
    frame = pd.read_csv(tmp_path / "effects.csv")
    assert len(frame) == 6
    assert {"cause", "target", "probability", "mean", "low", "high"} <= set(frame.columns)
    records = json.loads(gpnet("effect", folder / "run", "--all", "--json").stdout)["effects"]
    assert records[0]["mean"] == pytest.approx(frame["mean"][0])


def test_a_run_without_data_asks_for_the_file(folder):
    kept = {path.name for path in (folder / "run").iterdir()}
    assert kept - {path.name for path in (folder / "bare").iterdir()} == {"table.npz"}
    done = gpnet("effect", folder / "bare", "a", "c", "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--data" in done.stderr
    asked = ("effect", folder / "bare", "a", "c", "--json", "--data")
    given = gpnet(*asked, folder / "data.csv")
    assert given.returncode == 0, given.stderr
    assert given.stdout == gpnet("effect", folder / "run", "a", "c", "--json").stdout
    frame = pd.read_csv(folder / "data.csv")
    (frame * 1.01).to_csv(folder / "other.csv", index=False)
    other = gpnet(*asked, folder / "other.csv")
    assert other.returncode == 2
    assert "not the one that was learnt from" in other.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a", "a"], "'a' is among the causes"),
        (["a", "x"], "no variable is called 'x'"),
        (["a", "c", "--do", "1,1e9"], "nothing is known beyond"),
        (["a", "c", "--do", "1"], "two values as in 0.5,2"),
        (["a"], "CAUSE, TARGET: two variables"),
        (["a", "c", "--out", "x.csv"], "not together with CAUSE TARGET"),
        (["a", "c", "--all"], "not together with --all"),
    ],
)
def test_what_cannot_be_answered_ends_with_2(folder, options, message):
    done = gpnet("effect", folder / "run", *options)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")
    assert done.stdout == ""


def test_predictions(folder, tmp_path):
    done = gpnet("predict", folder / "run", folder / "new.csv", "c")
    assert done.returncode == 0, done.stderr
    (tmp_path / "p.csv").write_text(done.stdout)
    frame = pd.read_csv(tmp_path / "p.csv")
    assert frame.columns.tolist() == ["row", "mean", "low", "high", "mean_error", "log_density"]
    assert (frame["low"] < frame["mean"]).all()
    to_file = gpnet("predict", folder / "run", folder / "new.csv", "c", "-o", tmp_path / "q.csv")
    assert "5 rows" in to_file.stdout
    assert (tmp_path / "q.csv").read_text() == done.stdout
    as_json = gpnet("predict", folder / "run", folder / "new.csv", "c", "--json")
    assert len(json.loads(as_json.stdout)["rows"]) == 5
    pd.read_csv(folder / "new.csv")[["a"]].to_csv(tmp_path / "few.csv", index=False)
    few = gpnet("predict", folder / "run", tmp_path / "few.csv", "c")
    assert few.returncode == 2
    assert "a value of 'b' is needed" in few.stderr


def test_advice(folder):
    done = gpnet("advise", folder / "run", "--about", "a -> c", "--dags", 20, "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record == json.loads(json.dumps(load(folder / "run").advise("a -> c", dags=20).record()))
    assert {one["variable"] for one in record["experiments"]} == {"a", "b", "c"}
    told = gpnet("advise", folder / "run", "--rows", 20)
    assert told.returncode == 0, told.stderr
    assert "bits to be gained" in told.stdout
    refused = gpnet("advise", folder / "run", "--about", "a -> nobody")
    assert refused.returncode == 2
    assert "nobody" in refused.stderr
