"""Every public name says its parameters, what it returns, and has an example that runs."""

import doctest
import inspect
import re

import matplotlib.pyplot as plt
import pytest

import gpnet
from gpnet.simulation.networks import Simulation

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
MODULES = [gpnet.features, gpnet.metrics]


def public_objects():
    """Functions and classes of gpnet and of its public modules, and their methods, by name."""
    names = {f"gpnet.{name}": getattr(gpnet, name) for name in gpnet.__all__}
    names["gpnet.simulation.networks.Simulation"] = Simulation  # what gpnet.simulate returns
    for module in MODULES:
        short = module.__name__.rpartition(".")[2]
        names |= {f"gpnet.{short}.{name}": getattr(module, name) for name in module.__all__}
    for name, one in names.items():
        if inspect.isfunction(one) or inspect.isclass(one):
            yield name, one
        if inspect.isclass(one) and one.__module__.startswith("gpnet"):
            yield from methods_of(name, one)


def methods_of(name, one):
    for method_name, method in inspect.getmembers(one):
        ours = getattr(method, "__module__", "") or ""
        if method_name.startswith("_") or not ours.startswith("gpnet"):
            continue
        if inspect.isfunction(method) or inspect.ismethod(method):
            yield f"{name}.{method_name}", method


OBJECTS = dict(public_objects())
public = pytest.mark.parametrize("name", OBJECTS)


def parameters(one):
    if inspect.isclass(one) and issubclass(one, Exception):
        return []
    signature = inspect.signature(one)
    return [p for p in signature.parameters if p not in ("self", "cls", "args", "kwargs")]


@public
def test_it_is_documented(name):
    one, text = OBJECTS[name], inspect.getdoc(OBJECTS[name]) or ""
    wanted = ["Examples\n--------"]
    if inspect.isfunction(one) or inspect.ismethod(one):
        wanted.append("Returns\n-------")
    if parameters(one) and name != "gpnet.Diagnosis":  # its fields say it
        wanted.append("Parameters\n----------")
        missing = [p for p in parameters(one) if not re.search(rf"\b{p}\b", text)]
        assert missing == []
    assert [section for section in wanted if section not in text] == []


@public
def test_its_example_runs(name):
    one = OBJECTS[name]
    found = doctest.DocTestParser().get_doctest(inspect.getdoc(one) or "", {}, name, None, 0)
    assert found.examples, "no example"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report = []
    runner.run(found, out=report.append)
    plt.close("all")
    assert runner.failures == 0, "".join(report)


def test_a_wrong_example_is_seen():
    """The control."""
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(wrong, out=lambda text: None)
    assert runner.failures == 1


def test_dir_lists_what_is_public():
    assert dir(gpnet) == sorted(gpnet.__all__)
