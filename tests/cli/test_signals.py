"""Signals at any moment: no traceback, exit code 130, and the end within the grace."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gpnet import simulate
from tests.cli.test_interruptions import LONG, PATIENCE, STAGES, wait_for
from tests.cli.test_tables import command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals work otherwise here")

ROOT = Path(__file__).parents[2]


def started(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# While Python imports

INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop()
sys.meta_path.insert(0, Interrupt())
from gpnet.__main__ import main
sys.argv.append("--version")
main()
"""


@pytest.mark.parametrize(
    "module",
    ["numpy", "numpy.linalg", "pandas", "scipy.special", "typer", "gpnet.cli", "gpnet.cli.app"],
)
def test_ctrl_c_while_importing(module):
    with started(INTERRUPTED_IMPORT, module) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "\ngpnet: interrupted\n")


def test_the_control_goes_on():
    """A module that is never imported."""
    with started(INTERRUPTED_IMPORT, "no.such.module") as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("gpnet ")


def test_the_entry_point_imports_next_to_nothing():
    code = "import sys; before = set(sys.modules); import gpnet.__main__; "
    code += "print(*(set(sys.modules) - before))"
    with started(code) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert {name for name in out.split() if name.startswith("gpnet")} == {"gpnet", "gpnet.__main__"}
    assert not {"numpy", "pandas", "scipy", "typer", "rich"} & set(out.split())


def test_the_script_is_this_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"gpnet": "gpnet.__main__:main"}


def test_who_ignores_interrupts_imports_on():
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED_IMPORT
    with started(code, "numpy") as process:
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


# While a call does not come back

STUCK = """
import hashlib, signal, sys
from gpnet.cli import signals

signals.GRACE = float(sys.argv[1])
with signals.WATCH.kept(), signals.WATCH.heeding(signals.ALL, lambda: "last words"):
    to_tell = ["ready"]
    while True:
        try:
            while to_tell:
                print(to_tell.pop(), flush=True)
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # minutes, in C
        except KeyboardInterrupt:  # before it, or a cleanup that does not come to its end
            pass
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_call_that_does_not_come_back_is_left(number):
    with started(STUCK, "0.5") as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "\nlast words\n")


def test_a_second_signal_does_not_wait():
    with started(STUCK, "1e6") as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "\nlast words\n")


AFTERWARDS = """
import signal
from gpnet.cli.signals import WATCH

before = [signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)]
with WATCH.kept(), WATCH.heeding([signal.SIGINT], str):
    with WATCH.heeding([signal.SIGINT, signal.SIGTERM], str):
        pass
assert before == [signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)]
assert signal.set_wakeup_fd(-1) == -1
"""


def test_afterwards_all_is_as_before():
    with started(AFTERWARDS) as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")


# Terminals that are closed


def test_a_lost_terminal_is_an_interrupt(tmp_path):
    """Nobody can be told any more, and yet all is saved; bars cannot be drawn any more."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    simulate(nodes=5, rows=60, nonlinearity=1, edge_probability=0.6, seed=2).write(tmp_path)
    ours, theirs = pty.openpty()

    def own_terminal():
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    run = tmp_path / "run"
    with subprocess.Popen(
        command("learn", tmp_path / "data.csv", *LONG[:-1], 100_000, "--out", run),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=own_terminal,
    ) as process:
        os.close(theirs)
        wait_for(STAGES[1], run, process)
        os.close(ours)
        process.wait(PATIENCE)
    assert "stopped: interrupted" in (run / "log.txt").read_text()
    assert (run / "scores.sqlite").exists()


# Threads at the exit

LINGERING = """
import time
import rich.live

ended = rich.live._RefreshThread.run

def linger(thread):
    ended(thread)
    time.sleep(30)  # as on a machine that is busy elsewhere

rich.live._RefreshThread.run = linger
from gpnet.cli import main
main()
"""


@pytest.mark.parametrize("terminal", [False, True], ids=["to a file", "to a terminal"])
@pytest.mark.parametrize(
    "arguments",
    [["score", "V1", "--parents", "V2"], ["learn", "--draws", "100", "--out", "run"]],
    ids=["score", "learn"],
)
def test_no_thread_keeps_the_core_alive(tmp_path, arguments, terminal):
    """Of rich's threads, which nobody waits for, nanobind would tell as leaks at the exit."""
    pty = pytest.importorskip("pty")
    simulate(nodes=3, rows=40, seed=1).write(tmp_path)
    ours, theirs = pty.openpty()
    first, *others = arguments
    with subprocess.Popen(
        [sys.executable, "-c", LINGERING, first, "data.csv", *others],
        stdout=subprocess.DEVNULL,
        stderr=theirs if terminal else subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        os.close(theirs)
        told = everything(ours) if terminal else process.stderr.read()
    os.close(ours)
    assert process.returncode in (0, 3), told
    assert b"nanobind" not in told


def everything(terminal):
    told = b""
    try:
        while some := os.read(terminal, 4096):
            told += some
    except OSError:  # Linux: nobody holds the other end any more
        pass
    return told
