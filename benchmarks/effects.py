"""Whether bands of effects hold what they promise: data from the model's own prior, DAG unknown.

A DAG of four nodes, uniform among all; functions and noise from the hyperpriors, on standardised
columns; some rows, from which the network is learnt. Then for every ordered pair E[y | do(x)] at
three values of x, and the contrast between the quartiles, against the truth by simulation from the
true functions. ``python -m benchmarks.effects 30 gp`` prints how many of the 90% bands hold it, for
30 networks under that score ("linear", "gp", "adaptive"; "known:gp" is told the DAG), or for
"fourier:1" and the like the paper's networks with that lambda under the default score.
"""

import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline

import gpnet
from gpnet.graphs.dag import topological_order
from gpnet.graphs.enumeration import all_dags
from gpnet.simulation.networks import fourier_network

N_NODES, N_ROWS, N_TRUTH = 4, 100, 20_000
REACH = 8.0  # of functions, in standard deviations
LINEAR_WEIGHT = {"linear": 1.0, "gp": 0.0, "adaptive": 0.6}


class Truth:
    """A network whose functions are known everywhere."""

    def __init__(self, dag, draw_node):
        self.dag, self.draw_node = dag, draw_node
        self.order = topological_order(dag).tolist()

    def draw(self, n: int, rng, do: dict[int, float] | None = None):
        """A table (n, nodes), with variables set if asked."""
        values = np.zeros((n, len(self.dag)))
        for v in self.order:
            values[:, v] = (do or {}).get(v, 0.0)
            if v not in (do or {}):
                values[:, v] = self.draw_node(v, values, rng)
        return values

    def mean(self, on: int, do: dict[int, float], seed: int) -> float:
        """E[on | do], with the same noise for all settings."""
        return float(self.draw(N_TRUTH, np.random.default_rng(seed), do)[:, on].mean())


def random_function(rng, straight: bool) -> Callable:
    if straight:
        slope = rng.standard_normal()
        return lambda z: slope * z
    lengthscale = 2 / rng.gamma(2)
    nodes = np.linspace(-REACH, REACH, int(np.clip(10 * REACH / lengthscale, 30, 600)))
    gram = np.exp(-((nodes[:, None] - nodes) ** 2) / (2 * lengthscale**2))
    values, vectors = np.linalg.eigh(gram)
    heights = vectors @ (np.sqrt(np.maximum(values, 0)) * rng.standard_normal(len(nodes)))
    spline = CubicSpline(nodes, heights)
    return lambda z: spline(np.clip(z, -REACH, REACH))


def from_the_prior(linear_weight: float, rng) -> tuple[Truth, np.ndarray]:
    """A network, and a table whose columns standardising hardly changes."""
    dags = all_dags(N_NODES)
    dag = dags[rng.integers(len(dags))]
    nodes: dict[int, tuple] = {}

    def draw_node(v, values, rng):
        level, sigma, functions = nodes[v]
        fitted = sum(f(values[:, j]) for j, f in functions.items())
        return level + fitted + sigma * rng.standard_normal(len(values))

    truth, table = Truth(dag, draw_node), np.zeros((N_ROWS, N_NODES))
    for v in truth.order:
        while True:
            straight = rng.random() < linear_weight
            parents = np.flatnonzero(dag[:, v]).tolist()
            functions = {j: random_function(rng, straight) for j in parents}
            nodes[v] = 0.0, 1 / rng.gamma(1), functions
            column = draw_node(v, table, rng)
            if abs(np.log(column.std(ddof=1))) < 0.1:
                break
        nodes[v] = -column.mean(), *nodes[v][1:]
        table[:, v] = column - column.mean()
    return truth, table


def from_fourier(nonlinearity: float, rng) -> tuple[Truth, np.ndarray]:
    dags = all_dags(N_NODES)
    network = fourier_network(dags[rng.integers(len(dags))], nonlinearity, rng)
    truth = Truth(network.dag, network.draw_node)
    return truth, truth.draw(N_ROWS, rng)


def learn(kind: str, table, dag):
    frame = pd.DataFrame(table, columns=list("ABCD"))
    if kind.startswith("fourier"):
        return gpnet.learn(frame, bag="off", doubt="off", draws=2000, workers=1)
    own = {"prior": "uniform", "transform": "none", "doubt": "off"}
    score = kind.removeprefix("known:")
    if score != "linear":
        own["noise"] = "gaussian"
    if score != kind:
        names = np.array(list("ABCD"))
        own["require"] = [tuple(names[pair]) for pair in np.argwhere(dag)]
        own["forbid"] = [tuple(names[pair]) for pair in np.argwhere(~dag) if pair[0] != pair[1]]
    return gpnet.learn(frame, score=score, **own, bag="off", draws=2000, workers=1)


def measured(kind: str, seed: int) -> list[dict]:
    """Of each ordered pair, what was found and what is true."""
    rng = np.random.default_rng([seed, 20])
    if kind.startswith("fourier"):
        truth, table = from_fourier(float(kind.partition(":")[2]), rng)
    else:
        truth, table = from_the_prior(LINEAR_WEIGHT[kind.removeprefix("known:")], rng)
    posterior, rows = learn(kind, table, truth.dag), []
    for x in range(N_NODES):
        for y in range(N_NODES):
            if x != y:
                effect = posterior.effect("ABCD"[x], "ABCD"[y], draws=400)
                rows += compared(effect, truth, x, y, seed)
    return rows


def compared(effect, truth: Truth, x: int, y: int, seed: int) -> list[dict]:
    frame = effect.frame()
    common = {"seed": seed, "probability": float(effect.probability)}
    ends = [truth.mean(y, {x: effect.start[0]}, seed), truth.mean(y, {x: effect.end[0]}, seed)]
    one = effect.contrast
    rows = [{**common, "what": "contrast", "true": ends[1] - ends[0], **vars(one)}]
    for share in (0.25, 0.5, 0.75):
        row = frame.iloc[int(share * (len(frame) - 1))]
        true = truth.mean(y, {x: row["value"]}, seed)
        rows.append({**common, "what": "curve", "true": true, **row[["mean", "low", "high"]]})
    return rows


def main(n_networks: int, kind: str) -> None:
    rows = pd.DataFrame([row for seed in range(n_networks) for row in measured(kind, seed)])
    slack = 1e-9
    rows["held"] = (rows["low"] - slack <= rows["true"]) & (rows["true"] <= rows["high"] + slack)
    rows["any"] = (rows["true"] != 0) | (rows["what"] == "curve")
    for name, some in {
        "E[y | do(x)]": rows[rows["what"] == "curve"],
        "contrasts, all pairs": rows[rows["what"] == "contrast"],
        "contrasts, true effects": rows[(rows["what"] == "contrast") & rows["any"]],
    }.items():
        by_network = some.groupby("seed")["held"].mean()
        error = by_network.std() / np.sqrt(len(by_network))
        off = np.sqrt(((some["mean"] - some["true"]) ** 2).mean())
        print(f"{kind}, {name}: {len(some)} bands, held {some['held'].mean():.3f} "
              f"± {error:.3f}, rms error of the mean {off:.3f}")  # fmt: skip


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["30"])[0]), (sys.argv[2:] or ["gp"])[0])
