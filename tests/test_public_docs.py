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


def documented(text):
    """What the section on parameters says of the type of each, by name."""
    section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^(\w[\w, ]*) : (.+)$", section, flags=re.MULTILINE)
    return {name.strip(): what for names, what in entries for name in names.split(",")}


def undocumented(function):
    """Parameters whose default is not told: by itself, or by "optional" where it is nothing."""
    told, wrong = documented(inspect.getdoc(function)), []
    for name, parameter in inspect.signature(function).parameters.items():
        default = parameter.default
        if default is inspect.Parameter.empty:
            continue
        nothing = default is None or default == ()
        text = repr(default).replace("'", '"')
        end = ", optional" if nothing else f", default {text}"
        if not told.get(name, "").endswith(end):
            wrong.append(name)
    return wrong


def test_every_option_of_learn_is_documented_with_its_default():
    assert undocumented(gpnet.learn) == []
    assert set(documented(inspect.getdoc(gpnet.learn))) == set(
        inspect.signature(gpnet.learn).parameters
    )


def test_a_default_that_is_not_told_is_seen():
    """The control."""

    def learn(source, draws=10, seed=0, thin=None):
        """Learn.

        Parameters
        ----------
        source : path
            A table.
        draws : int, default 100
            DAGs to draw.
        thin : int, optional
            Steps.

        Returns
        -------
        int
        """

    assert undocumented(learn) == ["draws", "seed"]
