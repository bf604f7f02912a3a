"""Gadget of one table, in the environment of this folder: `python worker.py FOLDER`."""

import json
import sys
from pathlib import Path

import numpy as np
import sumu


def draw(values, *, candidates, others, chains, burn_in, iterations, thinning, seed):
    """DAGs (m, n, n), with parents in rows."""
    np.random.seed(seed)  # noqa: NPY002 (sumu draws from it)
    n = values.shape[1]
    gadget = sumu.Gadget(
        data=sumu.Data(values, discrete=False),
        scoref="bge",
        max_id=-1,
        K=min(candidates, n - 1),
        d=min(others, n - 1),
        cp_algo="greedy-lite",
        mc3_chains=chains,
        burn_in=burn_in,
        iterations=iterations,
        thinning=thinning,
        tolerance=2**-32,
    )
    families = gadget.sample()[0]
    return np.array([dag_of(one, n) for one in families])


def dag_of(families, n):
    """From (node,) or (node, parents) of each node."""
    dag = np.zeros((n, n), dtype=bool)
    for node, *parents in families:
        for parent in parents[0] if parents else ():
            dag[parent, node] = True
    return dag


def main(folder):
    options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    values = np.load(folder / "arrays.npz")["values"]
    np.savez(folder / "result.npz", dags=draw(values, **options))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
