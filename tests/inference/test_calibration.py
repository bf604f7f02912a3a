"""Calibration of edge probabilities on data from the model's own prior.

Where the model is correct, the truth is one more draw from its posterior. So the log loss of the
truths, summed over data sets, is held against that of truths imagined by drawing one DAG from each
posterior: no binning, no normal approximation, and edges of one data set may depend on each other.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from experiments import edges
from experiments.calibration.run import (
    OwnScale,
    draw_dag,
    draw_from_prior,
    imagined_losses,
    structure_prior,
    surprise,
)
from experiments.experiment import Experiment, Place

import gpnet
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior import metrics

pytestmark = pytest.mark.xdist_group("calibration")  # what one has learnt the others need too

EXPERIMENT = Experiment.load("calibration", quick=False)
SMALL = EXPERIMENT.settings | {"nodes": 4}
N_SMALL = 12
N_IMAGINED = 20_000
FALSE_ALARMS = 1e-3


@cache
def learnt(dataset, drawn_from, learnt_with):
    """The truth and the posterior of a small data set."""
    made = draw_from_prior(drawn_from, dataset, SMALL)
    table = OwnScale(made.values, made.names)
    options = {"score": "gp", "prior": learnt_with, "bag": "off"}
    return made.dag, gpnet.learn(table, draws=2000, workers=1, **options)


def rank_of_truth(truths, posteriors):
    """The share of imagined truths whose loss is below that of the real ones, ties half."""
    rng, real, imagined = np.random.default_rng(0), 0.0, np.zeros(N_IMAGINED)
    for truth, posterior in zip(truths, posteriors, strict=True):
        losses, weights = imagined_losses(posterior)
        real += metrics.log_loss(posterior.edge_probabilities().to_numpy(), truth)
        imagined += rng.choice(losses, N_IMAGINED, p=weights / weights.sum())
    return np.mean((imagined < real) + (imagined == real) / 2)


def honest(truths, posteriors):
    """Whether the losses of the truths are neither too large nor too small."""
    return FALSE_ALARMS / 2 < rank_of_truth(truths, posteriors) < 1 - FALSE_ALARMS / 2


@pytest.mark.parametrize("prior", ["edges:1", "uniform"])
def test_the_truth_is_one_more_draw(prior):
    found = [learnt(dataset, prior, prior) for dataset in range(N_SMALL)]
    assert honest(*zip(*found, strict=True))


def test_a_wrong_prior_is_noticed():
    found = [learnt(dataset, "uniform", "edges:4.6") for dataset in range(N_SMALL)]
    assert not honest(*zip(*found, strict=True))


def test_truths_of_other_data_sets_are_noticed():
    found = [learnt(dataset, "edges:1", "edges:1") for dataset in range(N_SMALL)]
    truths, posteriors = zip(*found, strict=True)
    assert not honest(truths[1:] + truths[:1], posteriors)


def test_dags_are_drawn_from_the_structure_prior():
    """Mean number of edges within 4 standard errors of that over all 543 DAGs: 1 in 15 000."""
    prior, n_edges = structure_prior("edges:1", 4), all_dags(4).sum(axis=(1, 2))
    probability = np.exp(-n_edges) / np.exp(-n_edges).sum()
    mean = probability @ n_edges
    sd = np.sqrt(probability @ (n_edges - mean) ** 2)
    drawn = [draw_dag(prior, 4, seed).sum() for seed in range(400)]
    assert abs(np.mean(drawn) - mean) < 4 * sd / np.sqrt(400)
    assert abs(np.mean(drawn) - n_edges.mean()) > 4 * sd / np.sqrt(400)  # not from all alike


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["standard", "own"])
def test_calibration_error_over_200_data_sets(scale, tmp_path):
    """Some 0.012 by chance alone; the surprise is beyond 3.3 in one of 1 000.

    Columns that are drawn until they are nearly standard follow the model nearly: their surprise
    is not judged, their calibration is.
    """
    settings = EXPERIMENT.settings | {"priors": ["edges:1"], "scales": [scale]}
    keys = EXPERIMENT.keys(settings)
    place = Place(tmp_path, workers=1)
    rows = pd.DataFrame([EXPERIMENT.measure(key, settings, place) for key in keys])
    assert len(rows) == 200
    assert rows["converged"].all()
    assert edges.judged(rows)["ece"] <= 0.03
    assert scale == "standard" or abs(surprise(rows)) < 3.3
