"""The estimator, and the plan: learning in the words of scikit-learn, and what it would cost."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gpnet


@pytest.fixture(scope="module")
def table():
    return gpnet.simulate(nodes=4, rows=80, edge_probability=0.6, seed=2).frame()


def test_fit_is_learn(table):
    network = gpnet.GPNetwork(score="bge", draws=300, random_state=4, options={"doubt": "off"})
    with pytest.raises(TypeError, match="doubt"):
        network.fit(table)
    network.set_params(options={"chains": 2}, doubt="off")
    same = gpnet.learn(table, score="bge", draws=300, seed=4, doubt="off", chains=2)
    np.testing.assert_array_equal(
        network.fit(table).edge_probabilities_, same.edge_probabilities().to_numpy()
    )
    assert network.feature_names_in_.tolist() == list(table.columns)
    assert network.n_features_in_ == 4
    with pytest.raises(gpnet.OptionError, match="no parameter is called 'draw'"):
        network.set_params(draw=3)


def test_its_defaults_are_those_of_learn():
    from inspect import signature

    asked, told = gpnet.GPNetwork().get_params(), signature(gpnet.learn).parameters
    assert asked.pop("random_state") == told["seed"].default
    assert asked.pop("options") is None
    assert asked == {name: told[name].default for name in asked}


def test_scikit_learn_clones_it(table):
    base = pytest.importorskip("sklearn.base")
    network = gpnet.GPNetwork(score="bge", draws=200)
    twin = base.clone(network)
    assert twin is not network
    assert twin.get_params() == network.get_params()
    assert "draws=200" in repr(network)
    model_selection = pytest.importorskip("sklearn.model_selection")
    grid = model_selection.ParameterGrid({"draws": [100, 200]})
    sizes = [base.clone(network).set_params(**one).fit(table).posterior_.n_draws for one in grid]
    assert sizes == [100, 200]


def test_the_plan_is_what_a_dry_run_says(table):
    cost = gpnet.plan(table, score="bge", max_parents=2)
    assert cost.n_sets == 4 * (1 + 3 + 3)
    assert str(cost).startswith("28 parent sets to score; scoring takes about")
    assert cost.seconds[0] <= cost.seconds[1] <= cost.most_seconds + 1e-9
    with pytest.raises(gpnet.OptionError, match=r"'max_parent'.*max_parents"):
        gpnet.plan(table, max_parent=2)
    with pytest.raises(gpnet.OptionError, match="score"):
        gpnet.plan(table, score="none")


def test_warnings_of_the_table_reach_python(table, caplog):
    close = table.assign(copy=table["V1"] * 1.5 + 1e-4 * table["V2"])
    posterior = gpnet.learn(close, score="linear", draws=100, curves=False)
    assert any("'copy'" in text for text in posterior.diagnosis.notes)
    assert any("'copy'" in record.message for record in caplog.records)
    assert all(record.name == "gpnet" for record in caplog.records)
    assert not any("'copy'" in text for text in gpnet.learn(table, draws=100).diagnosis.notes)


def test_progress_is_told_where_it_is_asked_for(table, capsys):
    gpnet.learn(table, score="bge", draws=100)
    assert capsys.readouterr().err == ""  # no terminal
    stages = []
    gpnet.learn(table, score="bge", draws=100, progress=lambda s: stages.append(s) or print_nothing)
    assert "drawing DAGs" in stages
    gpnet.learn(table, draws=100, progress=True)
    assert "drawing DAGs" in capsys.readouterr().err
    gpnet.learn(table, draws=100, progress=False)
    assert capsys.readouterr().err == ""


def test_a_kernel_is_a_notebook_and_ipython_alone_is_none(table, capsys, monkeypatch):
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    gpnet.learn(table, score="bge", draws=100)
    assert "drawing DAGs" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    gpnet.learn(table, score="bge", draws=100)
    assert capsys.readouterr().err == ""


def print_nothing(done, total, seconds_left):
    pass
