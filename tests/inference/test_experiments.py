"""What experiments tell, against the truth: directions of lines, and calibration.

The figures of docs/experiments.md are those of more data sets.
"""

import numpy as np
import pytest
from experiments.calibration.run import draw_dag, structure_prior
from scipy.stats import binom

import gpnet


def directions(n_networks, *, told, **options):
    """Of true edges of linear networks: how many are adjacent, and directed the right way."""
    adjacent = right = 0
    for seed in range(n_networks):
        made = gpnet.simulate(
            nodes=5, rows=100, nonlinearity=0, edge_probability=0.4, interventions=5, rows_each=50,
            seed=seed,
        )  # fmt: skip
        frame = made.frame()
        how = {"interventions": "target"} if told else {"drop": ["target"]}
        posterior = gpnet.learn(frame, draws=500, workers=1, curves=False, **how, **options)
        p = posterior.edge_probabilities().to_numpy()
        found = made.dag & (p + p.T > 0.5)
        adjacent += int(found.sum())
        right += int((found & (p > 0.9)).sum())
    return adjacent, right


def test_with_every_variable_set_lines_have_directions():
    """At least 95%; untold, the negative control, the same rows do not tell them."""
    adjacent, right = directions(10, told=True, score="linear")
    assert adjacent > 30
    assert right >= 0.95 * adjacent
    adjacent, right = directions(10, told=False, score="linear")
    assert right < 0.8 * adjacent


@pytest.mark.slow
def test_with_every_variable_set_lines_have_directions_under_the_default():
    adjacent, right = directions(10, told=True)
    assert right >= 0.95 * adjacent


@pytest.mark.slow
def test_edges_are_true_as_often_as_they_say_where_variables_were_set():
    """Sums of p(1 - p) bound the chance of each bin: 4 standard deviations, or 1e-4."""
    prior, p, truth = structure_prior("edges:1", 5), [], []
    for dataset in range(60):
        dag = draw_dag(prior, 5, 1000 + dataset)
        made = gpnet.simulate(
            model="gp", dag=dag, rows=60, interventions=2, rows_each=30, seed=dataset
        )
        posterior = gpnet.learn(
            made.frame(), interventions="target", score="gp", prior="edges:1", draws=1000,
            workers=1, curves=False,
        )  # fmt: skip
        apart = ~np.eye(5, dtype=bool)
        p.append(posterior.edge_probabilities().to_numpy()[apart])
        truth.append(dag[apart])
    p, truth = np.concatenate(p), np.concatenate(truth)
    for low, high in ((0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)):
        these = (p >= low) & (p < high)
        spread = np.sqrt((p * (1 - p))[these].sum())
        assert abs(truth[these].sum() - p[these].sum()) < 4 * spread + 1
    n_sure = int((p > 0.9).sum())
    assert binom.cdf(truth[p > 0.9].sum(), n_sure, p[p > 0.9].mean()) > 1e-4
