"""GP^2 by rows that stand for all against the dense route: CPU seconds of scores, and nats apart.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.interactions [SETS [SEED]]``: on Sachs' data of
853 cells, so many sets of three parents at random; a dense score takes half a minute.
"""

import sys
from collections.abc import Iterator
from time import process_time

import numpy as np
from experiments.sachs import sachs

from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence
from gpnet.gp.fast_interaction import FastInteractionTarget
from gpnet.gp.kernels import Interaction
from gpnet.gp.modes import find_modes
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.target import DenseTarget, Target

N_PARENTS = 3


def sets(data: Dataset, n: int, seed: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        node, *parents = rng.permutation(data.n_variables)[: N_PARENTS + 1].tolist()
        yield node, tuple(sorted(parents))


def timed(target: Target, method: str) -> tuple[Evidence, float]:
    start = process_time()
    found = EVIDENCE_METHODS[method]().estimate(target, find_modes(target), [0])
    return found, process_time() - start


def main(n: int = 4, seed: int = 0) -> None:
    data, priors = sachs().data, Hyperpriors()
    values = data.standardised()
    for node, parents in sets(data, n, seed):
        for method in ("laplace", "qmc"):
            fast = timed(FastInteractionTarget(values, node, parents, priors), method)
            z = values[:, parents]
            dense = timed(DenseTarget(values[:, node], z, Interaction(), priors), method)
            told = " ".join(data.names[j] for j in parents)
            print(
                f"{data.names[node]} given {told}, {method}: {fast[1]:.2f} s, dense "
                f"{dense[1]:.1f} s, {dense[1] / fast[1]:.0f} times; "
                f"{fast[0].value:.4f}, {fast[0].value - dense[0].value:+.1e} from dense"
            )


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
