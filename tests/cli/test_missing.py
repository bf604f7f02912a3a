"""Missing cells on the command line: a run from end to end, and what is refused."""

import json

import numpy as np
import pandas as pd

from tests.cli.test_tables import gpnet


def test_a_run_with_missing_cells(tmp_path):
    values = np.random.default_rng(0).normal(size=(60, 3))
    frame = pd.DataFrame(values, columns=["a", "b", "c"])
    frame.loc[3:8, "b"] = np.nan
    frame.to_csv(tmp_path / "data.csv", index=False)
    options = ["--missing", "impute", "--imputations", 2, "--score", "linear", "--draws", 300]
    done = gpnet("learn", "data.csv", *options, "--out", "run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6 of 180 cells have no value" in done.stderr
    found = json.loads(done.stdout)["diagnosis"]
    assert found["imputations"] == 2
    assert found["cells_imputed"] == 6
    again = gpnet("learn", "--resume", "--out", "run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "is finished" in again.stderr
    refused = gpnet("score", "data.csv", "a", "--missing", "impute", cwd=tmp_path)
    assert refused.returncode != 0
    assert "only for gpnet learn" in refused.stderr
