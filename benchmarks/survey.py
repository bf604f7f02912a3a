"""How often the search for modes misses log marginal likelihood, on tables of many kinds.

Pairs are held against a dense grid of lengthscale and noise, triples against 200 random starts.
Run as ``python -m benchmarks.survey [PAIRS] [TRIPLES] [SEED]``; a second or so for each.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.fast import FastModel, FastTarget
from gpnet.gp.kernels import Additive
from gpnet.gp.mode_search import search
from gpnet.gp.modes import Mode
from gpnet.gp.priors import Hyperpriors

MISSED = 0.1  # nats
N_STARTS = 200
PRIORS = Hyperpriors()
Table = np.ndarray

Draw = Callable[[np.random.Generator, int], Table]  # N values
COLUMNS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "lognormal": lambda rng, n: np.exp(rng.uniform(0.5, 2) * rng.standard_normal(n)),
    "heavy": lambda rng, n: rng.standard_t(2, n),
    "discrete": lambda rng, n: rng.integers(0, rng.integers(4, 20), n).astype(float),
    "rounded": lambda rng, n: np.round(rng.standard_normal(n), 1),
    "repeated": lambda rng, n: rng.choice(rng.standard_normal(max(8, n // 4)), n),
}
CURVES: dict[str, Callable[[Table, np.random.Generator], Table]] = {
    "line": lambda z, rng: z,
    "square": lambda z, rng: z**2,
    "exponential": lambda z, rng: np.exp(np.clip(rng.uniform(0.5, 2) * z, -30, 8)),
    "logarithm": lambda z, rng: np.log(np.abs(z) + 1e-2),
    "step": lambda z, rng: np.sign(z),
    "wiggle": lambda z, rng: np.sin(rng.uniform(2, 25) * z),
    "mixed wiggle": lambda z, rng: z + 0.3 * np.sin(rng.uniform(4, 15) * z),
    "nothing": lambda z, rng: np.zeros_like(z),
}


@dataclass(frozen=True)
class Case:
    kind: str
    values: Table  # (N, 2) or (N, 3), standardised; the last column is the node


def cases(n: int, n_parents: int, seed: int) -> Iterator[Case]:
    rng = np.random.default_rng([seed, n_parents])
    while n > 0:
        rows = int(rng.choice([40, 80, 120]))
        kinds, parents, node = [], [], np.zeros(rows)
        for _ in range(n_parents):
            column, curve = rng.choice(list(COLUMNS)), rng.choice(list(CURVES))
            z = standardised(COLUMNS[column](rng, rows))
            kinds.append(f"{curve} of {column}")
            parents.append(z)
            node = node + rng.choice([0.3, 1.0]) * standardised(CURVES[curve](z, rng))
        noise = rng.choice(list(COLUMNS))
        size = rng.choice([0.05, 0.2, 0.5, 1.0])
        node = node + size * standardised(COLUMNS[noise](rng, rows))
        values = np.column_stack([*parents, node])
        if rng.random() < 0.3:  # the wrong way round: the shapes of causes are seen as noise
            values = values[:, ::-1]
            kinds.append("reversed")
        if rng.random() < 0.1:  # a bootstrap
            values = values[rng.integers(0, rows // 3, rows)]
            kinds.append("resampled")
        values = np.column_stack([standardised(column) for column in values.T])
        if np.ptp(values, axis=0).min() > 0:
            yield Case(f"{', '.join(kinds)}, {noise} noise {size}, {rows} rows", values)
            n -= 1


def standardised(z: Table) -> Table:
    return (z - z.mean()) / (z.std(ddof=1) or 1.0)


def grid_log_marginal(x: Table, z: Table) -> float:
    """The trapezoidal rule over log lengthscale and log sigma; one eigendecomposition for each
    lengthscale serves all sigmas."""
    step = 0.05
    lengthscales, sigmas = np.arange(np.log(6e-4), np.log(150), step), np.arange(-6.5, 2.0, step)
    squares = (z[:, None] - z) ** 2
    values = np.empty((len(lengthscales), len(sigmas)))
    for i, u in enumerate(lengthscales):
        gram = np.exp(-squares / (2 * np.exp(2 * u))) + PRIORS.mean.sd**2
        eigenvalues, vectors = np.linalg.eigh(gram)
        inside = np.maximum(eigenvalues, 0)[:, None] + np.exp(2 * sigmas)
        along = ((vectors.T @ x) ** 2)[:, None]
        values[i] = -0.5 * (np.log(2 * np.pi * inside) + along / inside).sum(axis=0)
    log_prior = PRIORS.lengthscale.log_density(lengthscales)[0][:, None]
    values += log_prior + PRIORS.noise.log_density(sigmas)[0]
    return float(logsumexp(values)) + 2 * np.log(step)


def estimate(target: FastTarget, modes: list[Mode]) -> float:
    return Qmc().estimate(target, modes, (1,)).value


def pair(case: Case) -> float:
    """Nats by which the search falls short."""
    model = FastModel(case.values, Additive(), PRIORS)
    found = estimate(*search(model, 1, (0,), {}))
    return grid_log_marginal(case.values[:, 1], case.values[:, 0]) - found


def triple(case: Case, seed: int) -> float:
    """The same, against the modes that random starts lead to on the same tables."""
    model = FastModel(case.values, Additive(), PRIORS)
    target, modes = search(model, 2, (0, 1), {})
    rng = np.random.default_rng(seed)
    more = list(modes)
    for _ in range(N_STARTS):
        u = rng.uniform(np.log(target.model.shortest), np.log(10), 2)
        start = np.append(u, rng.uniform(-4, 0.3))
        mode = target.climb(start)
        known = any(np.abs(mode.u - other.u).max() < 0.05 for other in more)
        if mode.converged and not known:
            more.append(mode)
    best = max(mode.log_laplace for mode in more)
    more = sorted(
        (mode for mode in more if mode.log_laplace > best - 8), key=lambda m: -m.log_laplace
    )
    return estimate(target, more[:8]) - estimate(target, modes)


def main(n_pairs: int, n_triples: int, seed: int) -> None:
    for name, n_parents, n, measure in [
        ("pairs", 1, n_pairs, lambda case, k: pair(case)),
        ("triples", 2, n_triples, triple),
    ]:
        missed = []
        for k, case in enumerate(cases(n, n_parents, seed)):
            short = measure(case, k)
            missed.append(short)
            if short > MISSED:
                print(f"{name} {k}: {short:.2f} nats missed; {case.kind}", flush=True)
        n_missed = sum(short > MISSED for short in missed)
        print(f"{name}: {n_missed} of {n} miss more than {MISSED} nats", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:] or ("2000", "500", "0")))
