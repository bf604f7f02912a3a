"""What is handed out: an sdist, and a wheel built from it, in an environment that has neither."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # compiles the core
ROOT = Path(__file__).parents[1]


def done(*command, cwd=None):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    found = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """`build` makes the sdist from the tree, and the wheel from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def test_the_sdist_has_what_is_built_and_read(built):
    with tarfile.open(built[0]) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"} <= names
    assert "src/gpnet/_core/gp/modes.cpp" in names


def test_the_wheel_has_the_package_and_no_sources(built):
    with zipfile.ZipFile(built[1]) as wheel:
        names = wheel.namelist()
    assert any(name.startswith("gpnet/_core/_baseline") for name in names)
    assert any(name.endswith("report/assets/page.css") for name in names)
    assert "gpnet/py.typed" in names
    assert not [name for name in names if name.endswith((".cpp", ".hpp"))]
    assert not [name for name in names if name.startswith(("tests/", "campaign/", "benchmarks/"))]


def test_it_works_in_a_clean_environment(built, tmp_path):
    done(sys.executable, "-m", "venv", tmp_path / "venv")
    binaries = tmp_path / "venv" / "bin"
    done(binaries / "python", "-m", "pip", "install", "--quiet", built[1])
    assert "there" in done(binaries / "gpnet", "demo", "--out", tmp_path / "demo", cwd=tmp_path)
    assert (tmp_path / "demo" / "report.html").stat().st_size > 50_000
    table = tmp_path / "demo" / "data.csv"
    assert json.loads(done(binaries / "gpnet", "check", table, "--json"))["errors"] == 0


def test_from_the_wheel_to_a_report_by_the_readme_alone(built, tmp_path):
    """Its commands, in an empty folder that holds the wheel."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme[readme.index("## Install") : readme.index("From this folder,")]
    commands = re.findall(r"^    (.*)$", section, re.M)
    assert [command.split()[0] for command in commands] == [
        *("python3", "pip", "pip", "python", "gpnet", "gpnet")
    ]
    shutil.copy(built[1], tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)  # the one that the wheel is for
    path = f"export PATH={tmp_path / 'bin'}:$PATH"
    told = done("sh", "-ec", "\n".join([path, *commands]), cwd=tmp_path)
    assert "Next: gpnet learn wine.csv --out run" in told
    assert "Converged: " in told
    assert told.rstrip().endswith("Open run/report.html in a browser")
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "flavanoids" in report
