"""Imports go down only, and members of a family never import each other.

`ROOMS` is the one place where the order of the rooms is stated.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "gpnet"
# From the ground up: a room may import those of the lines above its own.
ROOMS = [
    ["common", "_core"],
    ["data", "graphs", "stats"],
    ["gp", "posterior"],
    ["scores", "structure_priors", "simulation", "plots", "runtime"],
    ["score_table", "report"],
    ["samplers", "search_spaces"],
    ["inference"],
    ["effects"],
    ["cli"],
    ["__init__", "__main__"],
]
GP = [  # inside gp, where the order matters most
    ["priors", "components", "curves", "functions", "hints", "residuals", "panels", "noise_sizes"],
    ["linear", "short_lengthscales", "noise"],
    ["basis", "weak_curves"],
    ["kernels"],
    ["target", "nuts", "pivot_rows"],
    ["modes"],
    ["proposal", "fast"],
    ["fast_interaction", "hyperdraws", "interpolation"],
    ["mode_search"],
    ["evidence", "fast_curves", "dense_curves"],
    ["fast_functions", "dense_functions"],
    ["__init__"],
]
# The imports upwards, made only when a plot or an effect is asked for.
LAZY = {
    "posterior/plotting": ["plots"],
    "posterior/reporting": ["report", "effects"],
    "posterior/what_if": ["effects"],
}
FAMILIES = [
    "posterior/features",
    "scores",
    "structure_priors",
    "samplers",
    "search_spaces",
    "gp/kernels",
    "gp/components",
    "gp/evidence",
    "gp/noise",
    "plots",
]
# What members of a family may import of it, besides its `base`.
SHARED = {
    "posterior/features/text",
    "scores/gp",
    "scores/model_cache",
    "scores/linear",
    "scores/adaptive",
    "scores/weak_curves",
    "samplers/dag_sample",
    "samplers/mcmc",
    "samplers/temperatures",
    "samplers/walks",
    "search_spaces/candidates",
    "search_spaces/outside",
    "score_table/order_search",
    "gp/evidence/quadrature",
    "plots/layout",
    "plots/palette",
    "plots/text",
}
MODULES = sorted(SRC.rglob("*.py"))


def imports(path):
    """The gpnet modules that a file imports, as paths without the leading gpnet."""
    found = set()
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        if isinstance(statement, ast.ImportFrom):
            found |= {f"{statement.module}.{alias.name}" for alias in statement.names}
    names = {name.removeprefix("gpnet.") for name in found if name.startswith("gpnet.")}
    return {name.replace(".", "/") for name in names}


def where(path):
    return path.relative_to(SRC).with_suffix("").as_posix()


def height(room, order):
    return next(i for i, line in enumerate(order) if room in line)


def may_import(here, there):
    """Whether the module at `here` may import `there`, both as paths."""
    room, other = here.split("/")[0], there.split("/")[0]
    if other == "__version__" or other in LAZY.get(here, ()):
        return True
    if room != other:
        return height(other, ROOMS) < height(room, ROOMS)
    part, other_part = here.split("/")[1], there.split("/")[1]
    if room != "gp" or part == other_part:
        return True
    return height(other_part, GP) < height(part, GP)


def siblings(path, family):
    """The other members of its family that a module imports."""
    members = {f"{family}/{p.stem}" for p in (SRC / family).glob("*.py")}
    members |= {f"{family}/{p.parent.name}" for p in (SRC / family).glob("*/__init__.py")}
    shared = {f"{family}/__init__", f"{family}/base"} | SHARED
    n_parts = family.count("/") + 2
    named = {"/".join(name.split("/")[:n_parts]) for name in imports(path)}
    return named & members - shared


def test_every_room_is_listed_and_there():
    rooms = {where(path).split("/")[0] for path in MODULES}
    assert rooms == {room for line in ROOMS for room in line}


def test_the_shared_modules_are_there():
    for name in SHARED:
        assert (SRC / f"{name}.py").exists() or (SRC / name / "__init__.py").exists(), name


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_imports_go_down(path):
    assert [name for name in imports(path) if not may_import(where(path), name)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_members_never_import_each_other(family):
    for path in (SRC / family).glob("*.py"):
        assert path.stem == "__init__" or not siblings(path, family), path


def test_a_breach_is_seen(tmp_path):
    breach = tmp_path / "breach.py"
    breach.write_text("from gpnet.scores.bge import BgeScore\nimport gpnet.cli\n")
    assert siblings(breach, "scores") == {"scores/bge"}
    assert [n for n in imports(breach) if not may_import("score_table/table", n)] == ["cli"]
    assert not may_import("gp/modes", "gp/proposal/cover")
    assert not may_import("gp/modes", "scores/gp")
    assert not may_import("samplers/exact", "search_spaces/full")
    breach.write_text("from gpnet.plots.edges import edges\n")
    assert siblings(breach, "plots") == {"plots/edges"}


def test_plots_are_imported_only_when_asked_for():
    """`gpnet.learn` loads nothing of plots and report, nor what they draw with."""
    code = "import sys, gpnet.cli; gpnet.learn; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "gpnet.posterior.plotting" in loaded
    # scipy.stats as well: either of the two takes as long to import as all else together.
    late = ("gpnet.plots", "gpnet.report", "matplotlib", "scipy.stats")
    assert not {name for name in loaded if name.startswith(late)}


def private(path):
    """What a file imports of gpnet that begins with an underscore."""
    return [name for name in imports(path) if any(p.startswith("_") for p in name.split("/"))]


EXPERIMENTS = sorted((SRC.parents[1] / "experiments").rglob("*.py"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_experiments_use_public_names_only(path):
    assert private(path) == []


def test_a_private_name_is_seen(tmp_path):
    breach = tmp_path / "breach.py"
    breach.write_text("from gpnet.inference.learn import _rounds\nfrom gpnet._core import Exact\n")
    assert sorted(private(breach)) == ["_core/Exact", "inference/learn/_rounds"]
