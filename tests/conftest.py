"""Where the reference numbers lie, beside the project and not in it; how to ask the command."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from gpnet.cli import main
from gpnet.cli.signals import ALL, HANGUP

REFERENCE = Path(
    os.environ.get("GPNET_REFERENCE", Path(__file__).parents[2] / "shared" / "reference")
)

# No test depends on how busy the machine is.
settings.register_profile("any load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any load")

# Who runs the tests in the background has them ignore signals, and commands inherit that: here they
# are to be stopped. These handlers do no more to the tests themselves.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (HANGUP, lambda *_: None)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def reference():
    if not REFERENCE.is_dir():
        pytest.skip(f"no reference numbers at {REFERENCE}; set GPNET_REFERENCE to their folder")
    return REFERENCE


@pytest.fixture
def ask(capsys, monkeypatch):
    """Exit code, stdout and stderr of a command in this process, which spares its start."""

    def ask(*arguments):
        monkeypatch.setattr(sys, "argv", ["gpnet", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    handlers = {one: signal.getsignal(one) for one in ALL}
    yield ask
    for one, handler in handlers.items():
        signal.signal(one, handler)
