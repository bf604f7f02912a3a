"""Functions that scores draw: their moments are those of the curves that the same scores fit."""

import numpy as np
import pandas as pd
import pytest

from gpnet import load_table, simulate
from gpnet.gp.curves import Places
from gpnet.scores import SCORES, CurveRequest, FunctionRequest, ScoreSettings
from gpnet.scores.smooth import SmoothScore

N_DRAWS = 3000


@pytest.fixture(scope="module")
def data():
    made = simulate(nodes=4, rows=80, nonlinearity=0.7, edge_probability=1.0, seed=3)
    return load_table(made.frame())


def make(name):
    return SCORES[name].from_settings(ScoreSettings())


def request_of(data, node=1, parents=(0, 2), n=N_DRAWS, seed=(0,)):
    return FunctionRequest(data, node, parents, n, seed)


def moments(curves):
    """(p, G) each: of the mixture."""
    mean = curves.expected()
    square = np.tensordot(curves.weights, curves.mean**2 + curves.sd**2, 1)
    return mean, np.sqrt(np.maximum(square - mean**2, 0))


def centred(functions, z, grid):
    """(K, p, G): parts, less their means over the rows of the table."""
    return np.stack(
        [
            functions.part(i, grid[None, i]) - functions.part(i, z[None, :, i]).mean(1)[:, None]
            for i in range(len(grid))
        ],
        axis=1,
    )


@pytest.mark.parametrize("name", [name for name in SCORES if name != "gp2"])
def test_moments_are_those_of_the_curves(data, name):
    """Each may be off by 5 standard errors of 3 000 draws."""
    score, z = make(name), data.standardised()[:, [0, 2]]
    grid = np.linspace(z.min(axis=0), z.max(axis=0), 7).T
    places = Places(grid, np.arange(5))
    mean, sd = moments(score.curves(CurveRequest(data, 1, (0, 2), places)))
    found = centred(score.sample_functions(request_of(data)), z, grid)
    assert (np.abs(found.mean(axis=0) - mean) < 5 * sd / np.sqrt(N_DRAWS) + 3e-3).all()
    np.testing.assert_allclose(found.std(axis=0), sd, rtol=0.12, atol=3e-3)


def test_interactions_are_drawn_besides(data):
    """Over the rows, of the mean of the draws: what curves say, and what pairs add to them."""
    score, z = make("gp2"), data.standardised()[:, [0, 2]]
    functions = score.sample_functions(request_of(data, n=400))
    (pair,) = functions.pairs
    assert np.abs(pair.heights).max() > 0.1
    fitted = functions.at([z[None, :, 0], z[None, :, 1]]).mean(axis=0)
    places = Places(np.zeros((2, 1)), np.arange(data.n_rows))
    curves = score.curves(CurveRequest(data, 1, (0, 2), places))
    alone = curves.level + curves.parts.sum(axis=0)
    x = data.standardised()[:, 1]
    assert np.std(x - fitted) < np.std(x - alone)
    assert np.corrcoef(fitted, alone)[0, 1] > 0.9


@pytest.mark.parametrize("name", SCORES)
def test_functions_are_those_of_their_seed(data, name):
    score = make(name)
    one, same, other = (
        score.sample_functions(request_of(data, n=3, seed=(seed,))).heights[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("name", ["linear", "bge"])
def test_lines_are_straight_far_beyond_the_rows(data, name):
    functions = make(name).sample_functions(request_of(data, n=2))
    far = np.array([[-40.0, 0.0, 40.0]])
    np.testing.assert_allclose(np.diff(functions.part(0, far), 2), 0, atol=1e-9)


def test_lines_and_curves_have_their_shares(data):
    score = make("adaptive")
    linear = score.log_marginal(data, 1, (0, 2)).linear
    functions = score.sample_functions(request_of(data, n=500))
    assert abs(functions.straight.mean() - linear) < 1 / 500 + 1e-9


def test_rows_in_which_the_node_was_set_do_not_count(data):
    were_set = np.zeros(data.values.shape, dtype=bool)
    were_set[:30, 1] = True
    spoilt = np.array(data.values)
    spoilt[:30, 1] += 50 * data.values[:30, 0]
    score = make("linear")

    def slopes(values):
        table = data._with(values=values).with_interventions(were_set)
        functions = score.sample_functions(request_of(table, n=500))
        scale = table._standard.scale
        z = np.array([[0.0, 1.0]])
        return np.diff(functions.part(0, z)).mean() * scale[1] / scale[0]

    assert slopes(np.array(data.values)) == pytest.approx(slopes(spoilt), abs=0.1)


@pytest.mark.parametrize("name", ["adaptive", "gp", "linear"])
def test_levels_have_heights_of_their_own(name):
    rng = np.random.default_rng(0)
    level = np.arange(120) % 3
    x = np.array([0.0, 2.0, -1.0])[level] + 0.3 * rng.standard_normal(120)
    frame = {"x": x, "other": rng.standard_normal(120), "batch": [f"b{i}" for i in level]}
    table = load_table(pd.DataFrame(frame))
    functions = make(name).sample_functions(request_of(table, 0, (2,), n=300))
    scale = table._standard.scale[0]
    heights = functions.heights[0].mean(axis=0) * scale
    np.testing.assert_allclose(np.diff(heights), [2.0, -3.0], atol=0.25)


def test_a_score_without_functions_says_so(data):
    assert SmoothScore().sample_functions(request_of(data)) is None
