"""The public names, pinned: a change here is a change for every user."""

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
