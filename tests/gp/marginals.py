"""Marginal distributions that a basis must cope with: heavy tails, ties, outliers, clusters."""

import numpy as np


def outliers_at_8(n, rng):
    z = rng.standard_normal(n)
    z[: max(2, n // 200)] = 8 + 0.3 * rng.standard_normal(max(2, n // 200))
    return z


MARGINALS = {
    "normal": lambda n, rng: rng.standard_normal(n),
    "t3": lambda n, rng: rng.standard_t(3, n),
    "lognormal": lambda n, rng: np.exp(rng.standard_normal(n)),
    "counts": lambda n, rng: rng.poisson(3, n).astype(float),
    "uniform": lambda n, rng: rng.random(n),
    "clusters": lambda n, rng: np.where(rng.random(n) < 0.5, -2, 2) + 0.4 * rng.standard_normal(n),
    "ties": lambda n, rng: np.round(rng.standard_normal(n), 1),
    "outliers": outliers_at_8,
}


def standardise(z):
    return (z - z.mean(axis=0)) / z.std(axis=0, ddof=1)


def draw(name, n, seed=0):
    return standardise(MARGINALS[name](n, np.random.default_rng(seed)))


def in_other_units(values):
    """The same columns, standardised anew: they differ by rounding alone."""
    for scale, offset in ((7, 5), (1e3, -2), (0.3, 1), (1e-3, 0.1)):
        yield standardise(values * scale + offset)


def regression(n_rows, n_parents, *, seed, noise=0.3, names=None):
    """A table whose last column is a sum of curves of the others, of assorted marginals."""
    rng = np.random.default_rng(seed)
    names = names or rng.permutation(list(MARGINALS))[:n_parents]
    z = np.column_stack([draw(name, n_rows, seed + i) for i, name in enumerate(names)])
    curves = np.sin(z * rng.uniform(0.7, 2.5, n_parents) + rng.uniform(0, 3, n_parents))
    x = curves.sum(axis=1) + noise * rng.standard_normal(n_rows)
    return np.column_stack([z, standardise(x)])
