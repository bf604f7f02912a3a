"""Interventional means against DoWhy's gcm on the true DAG, and against straight lines (bge).

The paper's Fourier networks of five nodes, 200 rows. For every pair with a directed path,
E[y | do(x)] at the deciles 2, 5 and 8 of x, against the truth by simulation: root mean square error
in standard deviations of y, and seconds, all in one run. DoWhy fits additive noise models by its
own choice of regression (``gcm.auto``). bge and gpnet are told the true DAG, or learn it.

``python -m benchmarks.effects_against 10 /path/to/python`` takes a Python that has DoWhy, which
gpnet's own need not have; without it DoWhy is left out.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

import gpnet
from benchmarks.effects import Truth
from gpnet.graphs.dag import random_dag
from gpnet.graphs.reachability import ancestors
from gpnet.simulation.networks import fourier_network

N_NODES, N_ROWS, DECILES = 5, 200, (0.2, 0.5, 0.8)
NAMES = [f"V{i + 1}" for i in range(N_NODES)]

DOWHY = """
import json, logging, sys, time, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import networkx as nx, numpy as np, pandas as pd
from dowhy import gcm
gcm.config.disable_progress_bars()
asked = json.load(open(sys.argv[1]))
data = pd.read_csv(asked["data"])
np.random.seed(0)
start = time.process_time()
graph = nx.DiGraph(); graph.add_nodes_from(data.columns); graph.add_edges_from(asked["edges"])
model = gcm.InvertibleStructuralCausalModel(graph)
gcm.auto.assign_causal_mechanisms(model, data)
gcm.fit(model, data)
found = []
for x, y, v in asked["questions"]:
    rows = gcm.interventional_samples(model, {x: lambda _, v=v: v}, num_samples_to_draw=1000)
    found.append(float(rows[y].mean()))
print(json.dumps([found, time.process_time() - start]))
"""


def by_dowhy(python: str, frame, edges, questions) -> tuple[list[float], float]:
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder) / "data.csv", index=False)
        asked = {"data": f"{folder}/data.csv", "edges": edges, "questions": questions}
        (Path(folder) / "asked.json").write_text(json.dumps(asked))
        (Path(folder) / "worker.py").write_text(DOWHY)
        done = subprocess.run(  # noqa: S603, the Python that the user names
            [python, f"{folder}/worker.py", f"{folder}/asked.json"],
            capture_output=True,
            text=True,
            check=True,
        )
    found, seconds = json.loads(done.stdout.splitlines()[-1])
    return found, seconds


def by_gpnet(frame, edges, questions, score: str, *, known: bool) -> tuple[list[float], float]:
    start, others = process_time(), []
    if known:
        others = [(u, v) for u in NAMES for v in NAMES if u != v and [u, v] not in edges]
    given = {"require": [tuple(edge) for edge in edges], "forbid": others} if known else {}
    posterior = gpnet.learn(frame, score=score, bag="off", draws=1000, workers=1, **given)
    asked = {(x, y): None for x, y, _ in questions}  # each pair once
    pairs = {pair: posterior.effect(*pair, draws=200) for pair in asked}
    found = []
    for x, y, value in questions:
        at = [v for (v,) in pairs[x, y].values]
        found.append(float(np.interp(value, at, pairs[x, y].curve.mean)))
    return found, process_time() - start


def main(n_networks: int, dowhy: str | None) -> None:
    rows = []
    for seed in range(n_networks):
        rng = np.random.default_rng([seed, 7])
        network = fourier_network(random_dag(N_NODES, 0.5, rng), 1.0, rng)
        truth = Truth(network.dag, network.draw_node)
        frame = pd.DataFrame(truth.draw(N_ROWS, rng), columns=NAMES)
        edges = [[NAMES[i], NAMES[j]] for i, j in np.argwhere(network.dag)]
        pairs = np.argwhere(ancestors(network.dag[None])[0])
        questions = [
            (NAMES[x], NAMES[y], float(frame[NAMES[x]].quantile(q)))
            for x, y in pairs
            for q in DECILES
        ]
        if not questions:
            continue
        true = np.array(
            [truth.mean(NAMES.index(y), {NAMES.index(x): v}, seed) for x, y, v in questions]
        )
        scale = np.array([frame[y].std() for _, y, _ in questions])
        methods = {
            "gpnet, DAG known": lambda a: by_gpnet(*a, "adaptive", known=True),
            "bge, DAG known": lambda a: by_gpnet(*a, "bge", known=True),
            "gpnet, DAG learnt": lambda a: by_gpnet(*a, "adaptive", known=False),
            "bge, DAG learnt": lambda a: by_gpnet(*a, "bge", known=False),
        }
        if dowhy:
            methods["DoWhy gcm, DAG known"] = lambda a: by_dowhy(dowhy, *a)
        for name, method in methods.items():
            found, seconds = method((frame, edges, questions))
            off = float(np.sqrt(np.mean(((np.array(found) - true) / scale) ** 2)))
            rows.append({"seed": seed, "method": name, "error": off, "seconds": seconds})
    table = pd.DataFrame(rows)
    print(table.groupby("method")[["error", "seconds"]].mean().round(3).to_string())
    wide = table.pivot(index="seed", columns="method", values="error")
    ours = wide["gpnet, DAG known"]
    for other in [name for name in wide.columns if name != "gpnet, DAG known"]:
        gain = wide[other] - ours
        error = gain.std() / np.sqrt(len(gain))
        print(f"{other} less gpnet, DAG known, paired: {gain.mean():+.3f} ± {error:.3f}")
    learnt = wide["bge, DAG learnt"] - wide["gpnet, DAG learnt"]
    print(
        f"bge less gpnet, DAG learnt, paired: {learnt.mean():+.3f} ± "
        f"{learnt.std() / np.sqrt(len(learnt)):.3f}"
    )


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["10"])[0]), (sys.argv[2:] or [None])[0])
