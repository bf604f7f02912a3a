"""gpnet learn --cluster: whatever ends the client, a resumed run ends in the same bytes."""

import os
import signal
import subprocess
import time

import pytest
from psutil import Process, wait_procs

from gpnet import simulate
from tests.cli.test_interruptions import PATIENCE, read, wait_for
from tests.cli.test_tables import command, gpnet

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals work otherwise here"),
    pytest.mark.xdist_group("cluster"),
]

CLUSTER = ["--cluster", "local:2"]
SCORING = "scoring parent sets"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    simulate(nodes=5, rows=60, nonlinearity=1, edge_probability=0.6, seed=2).write(folder)
    return folder / "data.csv"


@pytest.fixture(scope="module")
def undisturbed(data, tmp_path_factory):
    run = tmp_path_factory.mktemp("undisturbed") / "run"
    assert gpnet("learn", data, "--draws", 500, "--workers", 1, "--out", run).returncode == 0
    return read(run)


def start(data, run):
    """In a group of its own, as a shell does, so that all of it gets an interrupt."""
    return subprocess.Popen(
        command("learn", data, "--draws", 500, "--out", run, *CLUSTER),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def stopped_by(number, data, run):
    """What it said, and how long it and its workers took to end."""
    with start(data, run) as process:
        wait_for(SCORING, run, process)
        children = Process(process.pid).children(recursive=True)
        assert children
        begun = time.monotonic()
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        _, alive = wait_procs(children, timeout=20)
    assert alive == []
    return process.returncode, err, time.monotonic() - begun


def check_resumed(run, undisturbed):
    """By a cluster again."""
    done = gpnet("learn", "--resume", "--out", run, *CLUSTER)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert read(run) == undisturbed


@pytest.mark.slow
def test_an_interrupt_ends_client_and_workers_in_seconds(data, undisturbed, tmp_path):
    run = tmp_path / "run"
    code, err, seconds = stopped_by(signal.SIGINT, data, run)
    assert code == 130
    assert "Traceback" not in err
    assert f"to go on from there:\n   gpnet learn --resume --out {run}\n" in err
    assert seconds < 8
    check_resumed(run, undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_client_that_is_killed_is_resumed(data, undisturbed, tmp_path, number):
    run = tmp_path / "run"
    code, err, _ = stopped_by(number, data, run)
    assert code == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert "Traceback" not in err
    check_resumed(run, undisturbed)


def test_a_cluster_is_not_part_of_the_settings(data, tmp_path):
    """Who resumes may have another, or none; and stderr has nothing of dask's own."""
    run = tmp_path / "run"
    done = gpnet("learn", data, "--score", "bge", "--draws", 500, "--out", run, *CLUSTER)
    assert done.returncode == 0, done.stderr
    assert "cluster" not in (run / "settings.toml").read_text()
    assert "2 workers" in done.stderr
    assert "distributed" not in done.stderr
