"""Whether true edges rank above the rest at n=100: area under the ROC curve, ours and sumu's.

Linear data, BGe, undirected adjacencies; each from the data on. ``python -m benchmarks.roc``; sumu
is taken where it is installed.
"""

import contextlib
import importlib.util
import io
import resource
import sys
import time

import numpy as np
from scipy.stats import rankdata

from benchmarks.chains import adjacency, linear_network
from gpnet import load_table
from gpnet.runtime.context import RunContext
from gpnet.runtime.executors import Workers
from gpnet.samplers import PartitionSampler
from gpnet.score_table.table import tabulate
from gpnet.scores import BgeScore
from gpnet.search_spaces import IterativeSpace
from gpnet.search_spaces.candidates import Screen
from gpnet.structure_priors import FairPrior


def area(frequencies: np.ndarray, dag: np.ndarray) -> float:
    """Of adjacencies: the probability that a true pair ranks above another one."""
    pairs = np.triu_indices(len(dag), 1)
    score, truth = (frequencies + frequencies.T)[pairs], (dag | dag.T)[pairs]
    ranks = rankdata(score)[truth].sum() - truth.sum() * (truth.sum() + 1) / 2
    return float(ranks / (truth.sum() * (~truth).sum()))


def ours(values: np.ndarray) -> np.ndarray:
    data, prior = load_table(values), FairPrior(values.shape[1])
    builder = IterativeSpace(Screen(score=BgeScore()), max_parents=4)
    table = tabulate(data, builder.build(data, prior), BgeScore(), prior)
    sampler = PartitionSampler(n_chains=2, thin=1000, burn_in=100_000)
    with Workers.threads(2) as executor:
        drawn = sampler.sample(table, n_draws=1000, seed=1, context=RunContext(executor))
    return drawn.edge_frequencies()


def by_sumu(values: np.ndarray) -> np.ndarray:
    import sumu

    with contextlib.redirect_stdout(io.StringIO()):
        data = sumu.Data(values, discrete=False)
        settings = {"scoref": "bge", "max_id": -1, "K": 10, "d": 2, "cp_algo": "greedy-lite"}
        run = {"mc3_chains": 4, "burn_in": 2000, "iterations": 10_000, "thinning": 10}
        drawn = sumu.Gadget(data=data, tolerance=2**-32, **settings, **run).sample()
    return np.mean([adjacency(one, values.shape[1]) for one in drawn[0]], axis=0)


def main(seeds: list[int]) -> None:
    methods = {"gpnet": ours}
    if importlib.util.find_spec("sumu"):
        methods["sumu"] = by_sumu
    for seed in seeds:
        values, dag = linear_network(100, 200, seed, effects=(0.2, 0.8))
        for name, method in methods.items():
            began = time.perf_counter()
            found = area(method(values), dag)
            seconds = time.perf_counter() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            print(f"{seed} {name}: area {found:.4f}, {seconds:.0f} s, peak so far {memory:.0f} MB")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1, 2])
