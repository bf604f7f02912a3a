"""Wheels of gpnet for this machine: one for Python 3.11, one for 3.12 and all later versions.

Run as ``python -m campaign.wheels [FOLDER]``, by `make wheels`. On Linux `auditwheel` gives them
the manylinux tag that their symbols allow, so that they install where the C library is as recent.
Each is then installed into an environment of its own, under every Python that is found, without a
compiler, and makes a table and learns from it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from campaign.matrix import ROOT, VERSIONS, find

BUILT_FOR: Final = ("3.11", "3.12")  # the second is in the stable ABI
WORK: Final = ROOT / "build" / "wheels"


def main(folder: Path) -> None:
    """Build, tag, try."""
    found = {version: python for version in VERSIONS if (python := find(version))}
    shutil.rmtree(WORK, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    wheels = {}
    for version in builders(list(found)):
        print(f"building with Python {version} ...", flush=True)
        wheels[version] = tagged(build(found[version], version), folder)
        print(f"{wheels[version]}: {wheels[version].stat().st_size / 1e6:.1f} MB", flush=True)
    for version, python in found.items():
        try_out(wheels["3.11" if version == "3.11" else max(wheels)], python, version)
        print(f"Python {version}: installed without a compiler, and learns", flush=True)


def builders(found: list[str]) -> list[str]:
    """Python 3.11, and the oldest later one: what it builds is good for all after it."""
    if not found:
        sys.exit(f"none of Python {', '.join(VERSIONS)} is here; install one, or name it in PATH")
    later = [version for version in found if version != "3.11"]
    if later and later[0] not in BUILT_FOR:
        print(f"Python 3.12 is not here: the wheel is for {later[0]} alone", flush=True)
    return [version for version in found if version == "3.11"] + later[:1]


def build(python: str, version: str) -> Path:
    """The wheel as the compiler of this machine makes it."""
    own, raw = environment(python, WORK / f"build-{version}"), WORK / f"raw-{version}"
    run(
        [str(own), "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(raw), str(ROOT)]
    )
    return next(raw.glob("gpnet-*.whl"))


def tagged(wheel: Path, folder: Path) -> Path:
    """In `folder`, on Linux with its manylinux tag."""
    if sys.platform != "linux":
        return Path(shutil.copy(wheel, folder))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = WORK / f"tagged-{wheel.parent.name}"
    repair = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(done), str(wheel)]
    run(repair, PATH=path)  # where patchelf is
    return Path(shutil.copy(next(done.glob("*.whl")), folder))


def try_out(wheel: Path, python: str, version: str) -> None:
    """In an empty environment, where anything that compiles fails."""
    own = environment(python, WORK / f"try-{version}")
    run([str(own), "-m", "pip", "install", "--quiet", str(wheel)], CC="false", CXX="false")
    gpnet, folder = str(own.parent / "gpnet"), own.parents[1]
    run([gpnet, "example", "cells.csv"], cwd=folder)
    learn = "learn cells.csv --transform log2 --score bge --draws 500 --out run"
    run([gpnet, *learn.split()], cwd=folder)
    if not (folder / "run" / "report.html").is_file():
        sys.exit(f"Python {version}: no report was written")


def environment(python: str, folder: Path) -> Path:
    """The Python of a new environment."""
    run([python, "-m", "venv", "--clear", str(folder)])
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def run(command: list[str], *, cwd: Path = ROOT, **variables: str) -> None:
    """What fails ends it all, with what it said."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env={**known, **variables}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist")
