"""The law of the house: imports go down only, members of a family never import each other."""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "gpnet"
FLOORS = [
    {"types", "errors", "_core"},
    {"weights", "findings", "progress", "convergence", "writing", "plain_json"},
    {"reading", "checks", "settings", "doors"},
    {"dataset", "graphs", "gp", "space"},
    {"features", "metrics", "dag_file", "evidences", "fits", "estimates", "posterior_file"},
    {"posterior"},
    {"run_folder"},
    {"scores", "simulate", "structure_priors"},
    {"store"},
    {"filling", "rescoring"},
    {"fitting"},
    {"table"},
    {"chain"},
    {"samplers"},
    {"search_spaces", "reweight"},
    {"plan", "diagnostics"},
    {"learn", "costs"},
    {"cli"},
    {"__init__", "__main__"},
]
# Inside gp, from the ground up.
GP_FLOORS = [
    {"priors", "components", "curves"},
    {"linear"},
    {"basis"},
    {"kernels"},
    {"likelihood", "nuts"},
    {"modes"},
    {"proposal", "fast"},
    {"fast_interaction", "hyperdraws"},
    {"evidence", "fast_curves", "dense_curves"},
    {"__init__"},
]
FAMILIES = [
    "features",
    "scores",
    "structure_priors",
    "samplers",
    "search_spaces",
    "gp/kernels",
    "gp/components",
    "gp/evidence",
]
# Of a family: what its members may import.
GROUND = {"__init__", "base", "text", "quadrature", "candidates", "chains", "subset_tables"}
GROUND |= {"gp", "linear", "adaptive"}  # scores that others are made of
MODULES = sorted(SRC.rglob("*.py"))


def imports(path):
    """The gpnet modules that a file imports, without the leading gpnet."""
    found = set()
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        if isinstance(statement, ast.ImportFrom):
            found |= {f"{statement.module}.{alias.name}" for alias in statement.names}
    return {name.removeprefix("gpnet.") for name in found if name.startswith("gpnet.")}


def room(path):
    return path.relative_to(SRC).with_suffix("").parts


def floor_of(name, floors):
    return next((i for i, floor in enumerate(floors) if name in floor), None)


def test_every_room_has_a_floor():
    assert {room(path)[0] for path in MODULES} <= set().union(*FLOORS)


def goes_down(here, name):
    """Whether a module at `here` (its path in parts) may import `name`, by floors."""
    there = name.split(".")
    if there[0] == "__version__":
        return True
    if here[0] != there[0]:
        return floor_of(there[0], FLOORS) < floor_of(here[0], FLOORS)
    if here[0] != "gp" or here[1] == there[1]:
        return True
    return floor_of(there[1], GP_FLOORS) < floor_of(here[1], GP_FLOORS)


def siblings(path, family):
    """The other members of its family that a module imports."""
    prefix = family.replace("/", ".") + "."
    names = {n.removeprefix(prefix).split(".")[0] for n in imports(path) if n.startswith(prefix)}
    return names & {p.stem for p in (SRC / family).glob("*.py")} - GROUND


@pytest.mark.parametrize("path", MODULES, ids=lambda path: "/".join(room(path)))
def test_imports_go_down(path):
    assert [name for name in imports(path) if not goes_down(room(path), name)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_members_never_import_each_other(family):
    for path in (SRC / family).glob("*.py"):
        assert path.stem in GROUND or not siblings(path, family), path


def test_the_law_sees_a_breach(tmp_path):
    breach = tmp_path / "breach.py"
    breach.write_text("from gpnet.scores.bge import BgeScore\nimport gpnet.cli\n")
    assert siblings(breach, "scores") == {"bge"}
    assert [name for name in imports(breach) if not goes_down(("table",), name)] == ["cli"]
    assert not goes_down(("gp", "modes"), "gp.proposal.cover")
    assert not goes_down(("gp", "modes"), "dataset.Dataset")


def private(path):
    """What a file imports of gpnet that begins with an underscore."""
    return [name for name in imports(path) if any(p.startswith("_") for p in name.split("."))]


EXPERIMENTS = sorted((SRC.parents[1] / "experiments").rglob("*.py"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_experiments_use_public_names_only(path):
    assert private(path) == []


def test_the_law_sees_a_private_name(tmp_path):
    breach = tmp_path / "breach.py"
    breach.write_text("from gpnet.learn import _rounds\nfrom gpnet._core import ExactDags\n")
    assert sorted(private(breach)) == ["_core.ExactDags", "learn._rounds"]
