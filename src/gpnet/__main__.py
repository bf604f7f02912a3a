"""The command, as `gpnet` and as `python -m gpnet`: ready for Ctrl-C before the long imports."""

import os
import signal
from typing import Final

INTERRUPTED: Final = 130


def main() -> None:
    """Import all that the command needs, and run it."""
    # Who was started to ignore it, in the background, still does.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from gpnet.cli import main as run

    try:
        run()
    finally:  # what is left is the end of Python itself, and the exit code is that of the command
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(number: int, frame: object) -> None:
    """Before the command has begun there is nothing to save.

    Not by an exception: what is being imported may catch it, or tell of it in its own way.
    """
    os.write(2, b"\ngpnet: interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
