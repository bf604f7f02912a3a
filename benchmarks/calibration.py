"""Whether the error of qmc is what it says: rms of z over random sets of parents and seeds.

The truth is the mean over many seeds with a much smaller target. Run as
``python -m benchmarks.calibration``; takes some minutes.
"""

import sys

import numpy as np

from benchmarks.modes import model
from benchmarks.reference import random_families
from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.mode_search import search

N_SEEDS = 16


def main(n_families: int, target_error: float) -> None:
    method, fine = Qmc(target_error=target_error), Qmc(target_error=target_error / 8)
    for size in range(1, 6):
        z, errors = [], []
        for data, node, parents in random_families(n_families, range(size, size + 1), seed=size):
            fast = model(data)
            target, modes = search(fast, node, parents, {})
            many = [fine.estimate(target, modes, [1, seed]) for seed in range(4)]
            truth = np.mean([one.value for one in many])
            for seed in range(N_SEEDS):
                one = method.estimate(target, modes, [0, seed])
                z.append((one.value - truth) / one.std_error)
                errors.append(one.std_error)
        rms, worst = np.sqrt(np.mean(np.square(z))), np.abs(z).max()
        print(
            f"{size} parents: rms z {rms:.2f}, largest {worst:.1f}, mean se {np.mean(errors):.3f}"
        )


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["20"])[0]), float((sys.argv[2:] or ["0.02"])[0]))
