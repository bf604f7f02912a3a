"""An environment of its own for a learner with packages of its own, made at its first use."""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1] / ".baselines"
INSTALLS = {"requirements.txt": [], "bare.txt": ["--no-deps"]}  # with these options of pip


class BaselineError(Exception):
    """An environment that could not be made, or a worker that failed; says what it printed."""


def python_of(folder: Path) -> Path:
    """The interpreter of the environment of `folder/requirements.txt`; made if need be.

    What is in `folder/bare.txt`, if there is one, is installed without the packages it asks for.
    """
    files = _files(folder)
    home = _home(folder.name, files)
    ready = home / "ready"  # written last, so that an interrupted one is made again
    with _alone(home):
        if not ready.exists():
            print(f"making the environment of {folder.name} (once; minutes) ...", file=sys.stderr)
            venv.create(home, with_pip=True, clear=True)
            for path in files:
                _install(home / "bin" / "python", path)
            ready.touch()
    return home / "bin" / "python"


def environments() -> dict[str, str]:
    """The name of every learner's environment, which other pins would change."""
    folders = sorted(path.parent for path in Path(__file__).parent.glob("*/requirements.txt"))
    return {folder.name: _home(folder.name, _files(folder)).name for folder in folders}


def _files(folder: Path) -> list[Path]:
    return [path for name in INSTALLS if (path := folder / name).exists()]


def _home(name: str, files: list[Path]) -> Path:
    """Other pins, or another Python, are another environment."""
    python = "{}.{}".format(*sys.version_info)
    pins = hashlib.sha256(python.encode() + b"".join(path.read_bytes() for path in files))
    return ROOT / f"{name}-{pins.hexdigest()[:12]}"


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Two processes that need the same environment make it once: the later one waits."""
    home.parent.mkdir(exist_ok=True)
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(python: Path, path: Path) -> None:
    """The pins hold for what builds a package, too: older pips read them from the first variable,
    newer ones from the second.
    """
    install = ["-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pins = {"PIP_CONSTRAINT": str(path), "PIP_BUILD_CONSTRAINT": str(path)}
    command = [python, *install, *INSTALLS[path.name], "-r", path]
    _run(command, f"installing {path.parent.name}", os.environ | pins)


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
        _run([python, "-I", folder / "worker.py", here], f"the worker of {folder.name}")
        with np.load(here / "result.npz", allow_pickle=False) as found:
            return dict(found)


def _run(command: list[Any], what: str, variables: Mapping[str, str] | None = None) -> None:
    ended = subprocess.run(  # noqa: S603 (our own files only)
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env=variables,
    )
    if ended.returncode:
        raise BaselineError(f"{what} failed:\n{(ended.stderr or ended.stdout)[-2000:]}")
