"""A run whose files were damaged: said in words, and gone on with where that can be."""

import pytest

from gpnet import simulate
from tests.runtime.test_damaged_store import VERSION_2, damage_some
from tests.runtime.test_damaged_store import run as run_sql

RESULT = ("posterior.npz", "edges.csv", "summary.json")


@pytest.fixture
def run(tmp_path, ask):
    """A finished run."""
    simulate(nodes=4, rows=60, edge_probability=0.6, seed=1).write(tmp_path)
    data, out = tmp_path / "data.csv", tmp_path / "run"
    assert ask("learn", data, "--score", "bge", "--draws", 300, "--out", out)[0] == 0
    return out


def test_damaged_scores_are_computed_again_and_counted_in_the_log(run, ask):
    edges = (run / "edges.csv").read_bytes()
    n_damaged = damage_some(run / "scores.sqlite", every=4)
    (run / "posterior.npz").unlink()
    code, out, _ = ask("learn", "--resume", "--out", run)
    assert code == 0
    told = f"{n_damaged} rows of the store of scores were damaged"
    assert f"Note: {told}" in out
    assert told in (run / "log.txt").read_text()
    assert (run / "edges.csv").read_bytes() == edges


def test_a_run_with_a_store_of_version_2_is_resumed(run, ask):
    edges = (run / "edges.csv").read_bytes()
    for name in ("scores.sqlite", "posterior.npz"):
        (run / name).unlink()
    run_sql(run / "scores.sqlite", *VERSION_2)
    code, _, err = ask("learn", "--resume", "--out", run)
    assert code == 0
    told = "the store of scores was of version 2, without checksums: it was begun anew"
    assert told in err
    assert told in (run / "log.txt").read_text()
    assert (run / "edges.csv").read_bytes() == edges
