"""An environment of its own for a learner with packages of its own, made at its first use."""

import hashlib
import json
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1] / ".baselines"


class BaselineError(Exception):
    """An environment that could not be made, or a worker that failed; says what it printed."""


def python_of(folder: Path) -> Path:
    """The interpreter of the environment of `folder/requirements.txt`; made if need be."""
    pins = (folder / "requirements.txt").read_bytes()
    home = ROOT / f"{folder.name}-{hashlib.sha256(pins).hexdigest()[:12]}"
    python = home / "bin" / "python"
    ready = home / "ready"  # written last, so that one broken off is made again
    if not ready.exists():
        print(f"making the environment of {folder.name} (once; minutes) ...", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]
        _run([python, *install, folder / "requirements.txt"], f"installing {folder.name}")
        ready.touch()
    return python


def make_ready(learner: Any) -> None:
    """Make the environment of a learner that has one, so that a fit is not charged for it."""
    folder = getattr(learner, "folder", None)
    if folder:
        python_of(folder)


def work(folder: Path, options: dict[str, Any], **arrays: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """What `folder/worker.py` makes of options and arrays, in its environment.

    It is called with the path of a folder: there are `options.json` and `arrays.npz`, and there it
    leaves `result.npz`.
    """
    python = python_of(folder)
    with TemporaryDirectory(prefix="gpnet-") as name:
        here = Path(name)
        (here / "options.json").write_text(json.dumps(options), encoding="utf-8")
        np.savez(here / "arrays.npz", **arrays)
        _run([python, folder / "worker.py", here], f"the worker of {folder.name}")
        with np.load(here / "result.npz", allow_pickle=False) as found:
            return dict(found)


def _run(command: list[Any], what: str) -> None:
    ended = subprocess.run(  # noqa: S603 (our own files only)
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise BaselineError(f"{what} failed:\n{(ended.stderr or ended.stdout)[-2000:]}")
