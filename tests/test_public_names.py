"""The public names, pinned: a change here is a change for every user."""

import ast
from pathlib import Path

import pytest

import gpnet
from gpnet.gp.components import COMPONENTS
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.kernels import KERNELS
from gpnet.scores import SCORES
from gpnet.search_spaces import SEARCH_SPACES
from gpnet.simulation.networks import MODELS
from gpnet.structure_priors import STRUCTURE_PRIORS


def test_public_names():
    assert sorted(gpnet.__all__) == [
        "DataError",
        "Dataset",
        "Diagnosis",
        "Estimate",
        "FileError",
        "GPNetwork",
        "GpnetError",
        "OptionError",
        "Posterior",
        "__version__",
        "check_table",
        "features",
        "learn",
        "load",
        "load_table",
        "metrics",
        "plan",
        "simulate",
    ]
    for name in gpnet.__all__:
        assert hasattr(gpnet, name)


def test_names_of_members():
    assert list(SCORES) == ["gp", "gp2", "linear", "adaptive", "parentwise", "bge"]
    assert list(EVIDENCE_METHODS) == ["qmc", "laplace", "bridge"]
    assert list(KERNELS) == ["additive", "interaction", "matern52", "amplitude", "line"]
    assert list(COMPONENTS) == ["se", "matern52"]
    assert list(STRUCTURE_PRIORS) == ["uniform", "edges", "fair", "probabilities"]
    assert list(SEARCH_SPACES) == ["full", "given", "dual-pc", "screening", "iterative"]
    assert list(MODELS) == ["fourier", "gp", "gp2"]


def test_function_shadows_its_module_on_purpose():
    """`gpnet.simulate` is the function; its module is still importable by name."""
    from gpnet.simulation.networks import Simulation

    assert callable(gpnet.simulate)
    assert isinstance(gpnet.simulate(nodes=2, rows=3), Simulation)


def test_names_are_stated_the_same_three_times():
    """For type checkers, for `import *` and for those who ask: all name the same places."""
    tree = ast.parse(Path(gpnet.__file__).read_text())
    (block,) = (one for one in tree.body if isinstance(one, ast.If))
    checked = {
        alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    folders = {name: path.rpartition(".")[0] for name, path in gpnet._FOLDERS.items()}
    asked = {name: f"gpnet.{path}" for name, path in {**gpnet._MODULES, **folders}.items()}
    assert checked == asked
    assert {*checked, "__version__"} == set(gpnet.__all__)


def test_an_unknown_name_is_told():
    with pytest.raises(AttributeError, match="'gpnet' has no attribute 'lern'"):
        _ = gpnet.lern
    assert "learn" in dir(gpnet)
