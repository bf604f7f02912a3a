"""Bands of effects hold the truth as often as they say: a small twin of `benchmarks.effects`."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import gpnet
from gpnet.graphs.dag import topological_order
from gpnet.graphs.enumeration import all_dags

N_NETWORKS, N_NODES, N_ROWS = 60, 3, 60


def linear_network(rng):
    """Slopes and noise from the prior; a table that standardising hardly changes, and effects."""
    dags = all_dags(N_NODES)
    dag = dags[rng.integers(len(dags))]
    slopes, levels = np.zeros((N_NODES, N_NODES)), np.zeros(N_NODES)
    table = np.zeros((N_ROWS, N_NODES))
    for v in topological_order(dag):
        column = np.zeros(N_ROWS)
        while not abs(np.log(max(column.std(), 1e-9))) < 0.1:
            slopes[:, v] = rng.standard_normal(N_NODES) * dag[:, v]
            column = table @ slopes[:, v] + rng.standard_normal(N_ROWS) / rng.gamma(1)
        levels[v] = -column.mean()
        table[:, v] = column + levels[v]
    return slopes, levels, table


def true_mean(slopes, levels, cause, on, value):
    """E[on | do(cause = value)], in closed form."""
    given, start = slopes.copy(), levels.copy()
    given[:, cause], start[cause] = 0, value
    return float(start @ np.linalg.inv(np.eye(N_NODES) - given)[:, on])


@pytest.fixture(scope="module")
def held():
    """(networks, 2): whether the band of E[y | do(x)] holds the truth, and one half as wide."""
    found = []
    for seed in range(N_NETWORKS):
        rng = np.random.default_rng([seed, 5])
        slopes, levels, table = linear_network(rng)
        frame = pd.DataFrame(table, columns=list("abc"))
        posterior = gpnet.learn(frame, score="linear", prior="uniform", draws=500, workers=1)
        cause, on = rng.permutation(N_NODES)[:2]
        effect = posterior.effect("abc"[cause], "abc"[on], draws=200, seed=seed)
        place = int(rng.integers(len(effect.values)))
        true = true_mean(slopes, levels, cause, on, effect.values[place][0])
        low, high, mean = (getattr(effect.curve, k)[place] for k in ("low", "high", "mean"))
        inner = (low + mean) / 2 <= true <= (high + mean) / 2
        found.append((low <= true <= high, inner))
    return np.array(found)


def test_bands_hold_what_they_promise(held):
    """Of 60 bands of 90%: outside these limits by chance in less than one of 500 runs."""
    n = int(held[:, 0].sum())
    low, high = binom.ppf([0.001, 0.999], N_NETWORKS, 0.9)
    assert low <= n <= high


def test_bands_that_are_too_narrow_are_seen(held):
    """The control."""
    assert held[:, 1].sum() < binom.ppf(0.001, N_NETWORKS, 0.9)
