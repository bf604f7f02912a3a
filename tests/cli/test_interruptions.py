"""Whatever ends gpnet learn early, a resumed run ends in the same bytes as an undisturbed one."""

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from gpnet import simulate
from tests.cli.test_tables import command, gpnet

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals work otherwise here"),
    pytest.mark.xdist_group("interruptions"),  # all against the same undisturbed runs
]

RESULT = ("posterior.npz", "edges.csv", "summary.json")
STAGES = ["scoring parent sets", "drawing DAGs", "scoring what was drawn"]
# Many sets to score, and steps enough that drawing takes its time: each stage can be met.
LONG = ["--draws", 500, "--prior", "uniform", "--sampler", "partition", "--thin", 1500]
SHORT = ["--draws", 500]
PATIENCE = 120.0  # seconds


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    simulate(nodes=5, rows=60, nonlinearity=1, edge_probability=0.6, seed=2).write(folder)
    return folder / "data.csv"


@pytest.fixture(scope="module")
def long(data):
    return Undisturbed(data, LONG)


@pytest.fixture(scope="module")
def short(data):
    return Undisturbed(data, SHORT)


class Undisturbed:
    """What one worker finds that nobody disturbs."""

    def __init__(self, data, settings):
        self.data, self.settings = data, settings
        self.run = data.parent / f"run of {len(settings)}"
        done = gpnet("learn", data, *settings, "--workers", 1, "--out", self.run)
        assert done.returncode in (0, 3), done.stderr
        self.code, self.result = done.returncode, read(self.run)

    def start(self, run, **options):
        """The same by two workers, to be disturbed."""
        return subprocess.Popen(
            command("learn", self.data, *self.settings, "--workers", 2, "--out", run),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def check(self, run, ask):
        """The same command comes to the same end, byte by byte."""
        arguments = ["learn", self.data, *self.settings, "--workers", 2, "--out", run]
        assert ask(*arguments)[0] == self.code
        assert read(run) == self.result

    def check_resumed(self, run):
        """So does --resume, of a new process."""
        done = gpnet("learn", "--resume", "--out", run)
        assert done.returncode == self.code, done.stderr
        assert read(run) == self.result


def read(run):
    return [(run / name).read_bytes() for name in RESULT]


def wait_for(stage, run, process):
    """Until the log says that the stage has begun, since the run was taken up."""
    log, end = run / "log.txt", time.monotonic() + PATIENCE
    before = log.read_text() if log.exists() else ""
    while not (log.exists() and f" {stage}\n" in log.read_text().removeprefix(before)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


# Signals


def interrupt(long, run, stage, number):
    with long.start(run) as process:
        wait_for(stage, run, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, ""), err
    assert "Traceback" not in err
    assert f"to go on from there:\n   gpnet learn --resume --out '{run}'\n" in err
    assert "stopped: interrupted" in (run / "log.txt").read_text()
    assert not (run / "posterior.npz").exists()


def test_interrupts_save_what_there_is(long, tmp_path):
    """One in each stage, and the run is taken up each time."""
    run = tmp_path / "my run"
    for stage, number in zip(STAGES, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], strict=True):
        interrupt(long, run, stage, number)
    long.check_resumed(run)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_of_any_kind(long, tmp_path, stage, number):
    interrupt(long, tmp_path / "my run", stage, number)
    long.check_resumed(tmp_path / "my run")


def test_the_second_interrupt_ends_it_at_once(short, tmp_path, ask):
    run = tmp_path / "run"
    with short.start(run) as process:
        wait_for(STAGES[0], run, process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert f"gpnet learn --resume --out {run}\n" in err
    short.check(run, ask)


def test_who_was_told_to_ignore_interrupts_goes_on(short, tmp_path):
    """As a shell starts what runs in the background."""

    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with short.start(tmp_path / "run", preexec_fn=ignore) as process:
        wait_for(STAGES[0], tmp_path / "run", process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == short.code
    assert read(tmp_path / "run") == short.result


# kill -9


@pytest.mark.parametrize("n_kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments(long, tmp_path, ask, n_kills):
    run, chance = tmp_path / "run", random.Random(n_kills)
    for _ in range(n_kills):
        with long.start(run) as process:
            wait_for(chance.choice(["choosing the search space", *STAGES]), run, process)
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
            _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL  # it was at work
        assert "Traceback" not in err
    long.check(run, ask)


def test_killed_while_the_settings_were_written(data, tmp_path, ask):
    run = tmp_path / "run"
    run.mkdir()
    (run / ".settings.toml.tmp").write_text("# gpnet learn --con")
    assert ask("learn", data, "--score", "bge", "--draws", 500, "--out", run)[0] == 0
    assert not (run / ".settings.toml.tmp").exists()


@pytest.mark.parametrize("name", ["posterior.npz", "edges.csv"])
def test_a_result_that_is_not_whole_is_made_again(short, tmp_path, ask, name):
    """As after a kill between two files, or a disk that lost one."""
    run = tmp_path / "run"
    shutil.copytree(short.run, run)
    if name == "posterior.npz":
        (run / name).write_bytes(short.result[0][:1000])
    else:
        (run / name).unlink()
    short.check(run, ask)


# Disks


def small_files(n_bytes):
    """No file may grow beyond: the system refuses as it does on a full disk."""
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


@pytest.mark.parametrize("n_bytes", [2_000, 40_000], ids=["from the start", "on the way"])
def test_a_full_disk_stops_the_store(short, tmp_path, ask, n_bytes):
    run = tmp_path / "run"
    with short.start(run, preexec_fn=small_files(n_bytes)) as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "Traceback" not in err
    assert "scores.sqlite: cannot be used as a store" in err
    assert "disk has room" in err
    short.check(run, ask)


def test_a_full_disk_takes_away_the_files_and_not_the_answer(data, tmp_path):
    """The posterior of so many draws is larger than anything before it."""
    arguments = ["learn", data, "--score", "bge", "--draws", 20_000]
    run = tmp_path / "run"
    done = subprocess.run(
        command(*arguments, "--out", run),
        preexec_fn=small_files(400_000),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "posterior.npz: cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(entry.name for entry in run.iterdir() if "posterior" in entry.name) == []
    assert "Converged" in done.stdout


def test_a_store_that_is_no_database(short, tmp_path, ask):
    run = tmp_path / "run"
    shutil.copytree(short.run, run)
    (run / "posterior.npz").unlink()
    (run / "scores.sqlite").write_text("a,b\n1,2\n" * 500)
    code, out, err = ask("learn", short.data, *short.settings, "--out", run)
    assert (code, out) == (2, "")
    assert "scores.sqlite: damaged, or not a store of gpnet" in err
    assert "move it away" in err
    (run / "scores.sqlite").unlink()
    short.check(run, ask)


# Terminals


def test_bars_on_a_terminal(data, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    arguments = ["learn", data, "--draws", 500, "--out", tmp_path / "run", "--json"]
    shown = b""
    with subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        try:
            while some := os.read(ours, 4096):
                shown += some
        except OSError:  # Linux: nobody holds the other end any more
            pass
        out, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    assert process.returncode in (0, 3)
    assert out.startswith(b'{"out"')
    assert b"\x1b[" not in out
    text = shown.decode()
    assert "\x1b[?25h" in text  # the cursor is back
    assert "━" in text
    for stage in STAGES:
        assert stage in text
