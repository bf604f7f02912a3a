"""The tests under every Python that is found, and under the first with the oldest dependencies.

Run as ``python -m campaign.matrix [TESTS ...]``, by `make matrix`; each needs some minutes to
compile and as long as `make test`. Exits with 1 where any failed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
VERSIONS: Final = ("3.11", "3.12", "3.13")
SHOWN: Final = ("numpy", "scipy", "pandas", "networkx", "matplotlib")


def main(tests: list[str]) -> int:
    """The number of environments in which a test failed."""
    found = {version: python for version in VERSIONS if (python := find(version))}
    for version in VERSIONS:
        if version not in found:
            print(f"Python {version} is not here: left out", flush=True)
    if not found:
        sys.exit("none of these Pythons is here; install one, or name its folder in PATH")
    first = next(iter(found))
    jobs = [(version, python, "highest") for version, python in found.items()]
    jobs.append((f"{first}, oldest dependencies", found[first], "lowest-direct"))
    return sum(not passed(*job, tests) for job in jobs)


def find(version: str) -> str | None:
    """On the path, or among the versions of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python")]
    return next((str(one) for one in candidates if one and works(str(one), version)), None)


def works(python: str, version: str) -> bool:
    """A name of pyenv may be there and lead nowhere."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def passed(name: str, python: str, resolution: str, tests: list[str]) -> bool:
    """In an environment of its own, made anew."""
    folder = ROOT / "build" / "matrix" / name.replace(", ", "-").replace(" ", "-")
    own = folder / "bin" / "python"
    uv = [sys.executable, "-m", "uv"]
    run([*uv, "venv", "--quiet", "--clear", "--python", python, str(folder)])
    run([*uv, "pip", "install", "--quiet", "--python", str(own), "--resolution", resolution,
         ".[test]"])  # fmt: skip
    code = "from importlib.metadata import version as v; "
    code += f"print(*(f'{{name}} {{v(name)}}' for name in {SHOWN}), sep=', ')"
    print(f"Python {name}: {run([str(own), '-c', code]).strip()}", flush=True)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [str(own), "-m", "pytest", "-q", "-n", "auto", "--dist", "loadgroup", *tests]
    if resolution != "highest":  # old packages above new ones that those stand on: not our doing
        command += ["-W", "ignore::DeprecationWarning"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def run(command: list[str]) -> str:
    """Its output; an installation that fails ends it all."""
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["tests"]) > 0)
