"""How fast the chains over DAGs run and mix: `python -m benchmarks.chains`.

Against the prototype, BiDAG's published cost of a step, structure MCMC, and sumu if installed.
"""

import contextlib
import importlib.util
import io
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from gpnet import _core, load_table
from gpnet.graphs.dag import random_dag, topological_order
from gpnet.samplers import OrderSampler, PartitionSampler, StructureSampler
from gpnet.samplers.mcmc import ChainSampler, ChainTables
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.subset_tables import memory_of_sums
from gpnet.score_table.table import ScoreTable, tabulate
from gpnet.scores import BgeScore
from gpnet.search_spaces import FullSpace
from gpnet.stats.convergence import effective_draws
from gpnet.structure_priors import UniformPrior

PROTOTYPE = Path(__file__).parents[2] / "shared" / "prototype" / "partition_mcmc.py"
# Kuipers, Suter & Moffa (2022), seconds a step.
BIDAG = {
    ("partition", 10): 0.25e-3,
    ("order", 10): 0.10e-3,
    ("partition", 30): 0.61e-3,
    ("order", 30): 0.22e-3,
}


def like_the_prototype(n: int, n_candidates: int) -> ScoreTable:
    """A quarter of the candidates raise the score; all other parents cost something."""
    rng = np.random.default_rng(0)
    candidates = []
    for v in range(n):
        others = rng.permutation([u for u in range(n) if u != v])
        candidates.append(tuple(sorted(others[:n_candidates].tolist())))
    space = SearchSpace(tuple(candidates), n_candidates + 1, n - 1 > n_candidates)
    zeros = [np.zeros(space.n_sets(node=v)) for v in range(n)]
    table = ScoreTable.assemble([f"x{v}" for v in range(n)], space, zeros, zeros)
    scores = []
    for node in table.nodes:
        effect = np.where(rng.random(n_candidates) < 0.25, rng.gamma(2, 4, n_candidates), -3.0)
        bits = (node.masks[:, None] >> np.arange(n_candidates, dtype=np.uint64)) & np.uint64(1)
        excess = np.maximum(bits.sum(axis=1).astype(float) - 3, 0)
        noise = rng.standard_normal(len(bits))
        scores.append(bits @ effect - 1.5 * excess**2 + noise - 3.5 * (node.plus_one >= 0))
    return ScoreTable.assemble(table.names, space, scores, zeros)


def linear_network(
    n: int, n_rows: int, seed: int, effects: tuple[float, float] = (0.4, 1.2)
) -> tuple[np.ndarray, np.ndarray]:
    """A random linear network with three neighbours a node: its data and its DAG."""
    rng = np.random.default_rng(seed)
    dag = random_dag(n, 3 / (n - 1), rng)
    values = np.zeros((n_rows, n))
    for v in topological_order(dag):
        parents = np.flatnonzero(dag[:, v])
        weights = rng.choice([-1, 1], len(parents)) * rng.uniform(*effects, len(parents))
        values[:, v] = values[:, parents] @ weights + rng.standard_normal(n_rows)
    return values, dag


def bge_table(values: np.ndarray, n_candidates: int | None = None) -> ScoreTable:
    """Over all parents, or the most correlated ones and one more."""
    data = load_table(values)
    space = FullSpace().build(data)
    if n_candidates is not None:
        r = np.abs(np.corrcoef(values.T)) - np.eye(values.shape[1])
        nearest = (np.argsort(-row)[:n_candidates].tolist() for row in r)
        space = SearchSpace(tuple(tuple(sorted(c)) for c in nearest), 4, plus_one=True)
    return tabulate(data, space, BgeScore(), UniformPrior())


def walk(table: ScoreTable, kind: str, n_steps: int) -> tuple[float, float]:
    """Node terms a second and seconds a step, of one replica on one core."""
    sums = ChainTables(table, 1).sums
    start = sums.random_start(1)[0][None]
    if kind == "partition":
        chain = _core.partition_chain(sums, start, [1.0], 1000, 1, 0.0)
    else:
        chain = _core.order_chain(sums, start, [1.0], 1000, 1)
    chain.advance(n_steps // 10)
    before, began = chain.n_terms, time.process_time()
    chain.advance(n_steps)
    seconds = time.process_time() - began
    return (chain.n_terms - before) / seconds, seconds / n_steps


def prototype_rates() -> dict[int, float]:
    """Node terms a second by n, the better of its two kinds of moves; empty where it cannot run."""
    if not PROTOTYPE.exists() or importlib.util.find_spec("numba") is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, str(PROTOTYPE)], capture_output=True, text=True, cwd=folder, check=True
        ).stdout
    found: dict[int, float] = {}
    for n, steps, terms in re.findall(r"n=(\d+) .*?: (\d+) it/s .*?rescored/it ([\d.]+)", text):
        found[int(n)] = max(found.get(int(n), 0), float(steps) * float(terms))
    return found


def effective_rate(sampler: ChainSampler, table: ScoreTable, n_draws: int) -> tuple[float, str]:
    """Effective sample size a second, of the worst edge that is not certain, and R-hat."""
    began = time.perf_counter()
    chain = sampler.sample(table, n_draws=n_draws, seed=1)
    seconds = time.perf_counter() - began
    return worst(chain.dags, sampler.n_chains) / seconds, f"{chain.diagnostics['max_r_hat']:.3f}"


def worst(dags: np.ndarray, n_chains: int) -> float:
    series = dags.reshape(n_chains, len(dags) // n_chains, -1)
    share = series.mean(axis=(0, 1))
    return float(effective_draws(series[..., (share > 0.02) & (share < 0.98)]).min())


def steps(rows: Table) -> None:
    prototype = prototype_rates()
    for n, k, n_steps in ((10, 9, 300_000), (30, 10, 200_000), (100, 10, 50_000)):
        table = like_the_prototype(n, k)
        for kind in ("partition", "order"):
            rate, seconds = walk(table, kind, n_steps)
            name, theirs = f"n={n}", prototype.get(n) if kind == "partition" else None
            rows.add_row(f"{kind}: million node terms/s, {name}", *against(rate / 1e6, theirs))
            published = BIDAG.get((kind, n))
            if published:
                cost, opponent = f"{seconds * 1e6:.2f}", f"{published * 1e6:.0f}"
                ratio = f"{published / seconds:.0f}"
                rows.add_row(
                    f"{kind}: us a step, {name}", cost, "BiDAG, published", opponent, ratio
                )
    if not prototype:
        rows.add_row("", "", "prototype: needs numba and ../shared", "", "")


def against(rate: float, theirs: float | None) -> tuple[str, ...]:
    if theirs is None:
        return (f"{rate:.1f}",)
    return f"{rate:.1f}", "prototype", f"{theirs / 1e6:.1f}", f"{rate * 1e6 / theirs:.1f}"


def mixing(rows: Table) -> None:
    cases = {
        "n=10": bge_table(linear_network(10, 100, 1)[0]),
        "n=20, 6 candidates + 1": bge_table(linear_network(20, 300, 3)[0], 6),
        "n=30, 6 candidates + 1": bge_table(linear_network(30, 1000, 3)[0], 6),
    }
    samplers = {
        "partition": PartitionSampler(thin=500),
        "partition without orders": PartitionSampler(thin=500, with_orders=False),
        "order": OrderSampler(thin=500),
    }
    for name, table in cases.items():
        theirs, their_r_hat = effective_rate(StructureSampler(thin=2000), table, 2000)
        for kind, sampler in samplers.items():
            rate, r_hat = effective_rate(sampler, table, 2000)
            what = f"{kind}: effective draws/s (R-hat), {name}"
            other = f"{theirs:.1f} ({their_r_hat})"
            rows.add_row(what, f"{rate:.1f} ({r_hat})", "structure", other, f"{rate / theirs:.1f}")


def large(rows: Table) -> None:
    table = like_the_prototype(100, 10)
    began = time.perf_counter()
    sampler = PartitionSampler(n_chains=1, thin=1000, burn_in=0)
    sampler.sample(table, n_draws=1000)
    seconds = time.perf_counter() - began
    memory = f"{memory_of_sums(table.space) / 1e6:.0f} MB"
    rows.add_row(
        f"10^6 steps, n=100, 10 + 1, with 3 orders ({memory})", f"{seconds:.0f} s", "", "", ""
    )


def against_sumu(rows: Table) -> None:
    """Gadget of sumu and partition MCMC on the same data, BGe, each from data to draws."""
    if importlib.util.find_spec("sumu") is None:
        rows.add_row("", "", "sumu: not installed (pip install sumu)", "", "")
        return
    import sumu

    values = linear_network(10, 100, 1)[0]
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        data = sumu.Data(values, discrete=False)
        settings = {"scoref": "bge", "max_id": -1, "K": 9, "d": 3, "cp_algo": "greedy-lite"}
        run = {"mc3_chains": 8, "burn_in": 1000, "iterations": 10_000, "thinning": 10}
        drawn = sumu.Gadget(data=data, tolerance=2**-32, **settings, **run).sample()
    seconds = time.perf_counter() - began
    dags = np.array([adjacency(one, 10) for one in drawn[0]])
    theirs = worst(dags, 1) / seconds
    began = time.perf_counter()
    chain = PartitionSampler(n_chains=1).sample(bge_table(values), n_draws=2000)
    ours = worst(chain.dags, 1) / (time.perf_counter() - began)
    what = "partition: effective draws/s from the data on, n=10, one chain"
    rows.add_row(what, f"{ours:.1f}", "sumu", f"{theirs:.1f}", f"{ours / theirs:.1f}")


def adjacency(dag: object, n: int) -> np.ndarray:
    found = np.zeros((n, n), dtype=bool)
    for child, *parents in dag:  # without any, the child alone
        found[list(*parents), child] = True
    return found


def main() -> None:
    rows = Table("what", "ours", "against", "theirs", "times better")
    for part in (steps, mixing, large, against_sumu):
        part(rows)
    Console(width=150).print(rows)


if __name__ == "__main__":
    main()
