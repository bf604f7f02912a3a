"""Where the reference numbers lie, beside the project and not in it; how to ask the command."""

import os
import signal
import sys
from pathlib import Path

import pytest

from gpnet.cli import main
from gpnet.cli.signals import ALL

REFERENCE = Path(
    os.environ.get("GPNET_REFERENCE", Path(__file__).parents[2] / "shared" / "reference")
)


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
