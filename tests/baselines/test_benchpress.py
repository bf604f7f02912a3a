"""The entry point for benchpress: files in, files out."""

import json

import numpy as np
import pandas as pd
from baselines.benchpress.__main__ import main

import gpnet


def test_a_table_becomes_a_graph(tmp_path):
    simulated = gpnet.simulate(nodes=4, rows=300, nonlinearity=0, edge_probability=0.6, seed=3)
    table, out, edges = (tmp_path / name for name in ("t.csv", "graph.csv", "edges.csv"))
    simulated.frame().to_csv(table, index=False)
    options = {"score": "bge", "draws": 500}
    told = [str(table), str(out), "--json", json.dumps(options), "--probabilities", str(edges)]
    assert main(told) == 0
    graph, probabilities = pd.read_csv(out), pd.read_csv(edges)
    posterior = gpnet.learn(table, curves=False, **options)
    assert list(graph) == list(simulated.names)
    np.testing.assert_array_equal(graph, posterior.map_dag().to_numpy().astype(int))
    np.testing.assert_allclose(probabilities, posterior.edge_probabilities())


def test_rows_are_parents_and_columns_children(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "graph.csv"
    gpnet.simulate(nodes=3, rows=60, seed=1).frame().to_csv(table, index=False)
    options = {"score": "bge", "draws": 100, "require": ["V1 -> V3"]}
    assert main([str(table), str(out), "--json", json.dumps(options)]) == 0
    graph = pd.read_csv(out)
    assert graph.loc[0, "V3"] == 1
    assert graph.loc[2, "V1"] == 0


def test_options_from_a_file_and_a_threshold(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "graph.csv"
    gpnet.simulate(nodes=3, rows=60, seed=1).frame().to_csv(table, index=False)
    (tmp_path / "o.json").write_text('{"score": "bge", "draws": 200}')
    given = [str(table), str(out), "--json", str(tmp_path / "o.json"), "--threshold", "0.6"]
    assert main(given) == 0
    posterior = gpnet.learn(table, curves=False, score="bge", draws=200)
    np.testing.assert_array_equal(pd.read_csv(out), posterior.consensus(0.6).to_numpy().astype(int))


def test_what_cannot_be_used_is_told(tmp_path, capsys):
    table = tmp_path / "t.csv"
    gpnet.simulate(nodes=3, rows=60, seed=1).frame().to_csv(table, index=False)
    for options, told in {'{"scor": "bge"}': "scor", '{"score": "BGE"}': "did you mean"}.items():
        assert main([str(table), str(tmp_path / "g.csv"), "--json", options]) == 2
        assert told in capsys.readouterr().err
    assert not (tmp_path / "g.csv").exists()
