"""The quick score: against the dense density, and whether it sees what it is for."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_t, rankdata

from gpnet.data.load import load_table
from gpnet.scores import smooth
from gpnet.scores.smooth import N_WAVES, SHAPE, VARIANCES, SmoothScore

N = 60


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    line, curve = 0.8 * x + 0.4 * rng.normal(size=N), np.cos(2.5 * x) + 0.3 * rng.normal(size=N)
    return np.column_stack([x, line, curve, rng.exponential(size=N)])


def scores_of(column):
    return ndtri((rankdata(column) - 0.5) / len(column))


def waves_of(column):
    ranks = (rankdata(column) - 0.5) / len(column)
    return np.column_stack(
        [np.sqrt(VARIANCES[j]) * np.cos(np.pi * (j + 1) * ranks) for j in range(N_WAVES)]
    )


def densely(x, blocks):
    """sigma^2 is inverse gamma: x is multivariate t."""
    design = np.column_stack([np.ones(len(x)), *blocks])
    return multivariate_t.logpdf(x, shape=np.eye(len(x)) + design @ design.T, df=2 * SHAPE)


def quickly(values, node, parents):
    return SmoothScore().log_marginal(load_table(values), node, parents).value


def test_it_is_the_density_of_lines_and_waves(values):
    """Of a curve of one column, near to another and free of the third."""
    waves = [waves_of(values[:, v]) for v in range(4)]
    lines = [scores_of(values[:, v])[:, None] for v in range(4)]
    x = scores_of(values[:, 2])
    curved = [densely(x, [waves[v]]) > densely(x, [lines[v]]) for v in range(4)]
    assert curved[0], "the control: one is a curve"
    assert not curved[3], "and one a line"
    for parents in [(), (0,), (3,), (0, 3), (0, 1, 3)]:
        own = [waves[v] if curved[v] else lines[v] for v in parents]
        both = [densely(x, own), densely(x, [waves[v] for v in parents])]
        assert quickly(values, 2, parents) == pytest.approx(np.logaddexp(*both) - np.log(2))


def test_only_ranks_count(values):
    bent = values.copy()
    bent[:, 3] = np.exp(bent[:, 3])
    assert quickly(bent, 0, (1, 3)) == pytest.approx(quickly(values, 0, (1, 3)), abs=1e-9)


def test_relations_are_seen_and_others_cost_little():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    shapes = {"line": x, "square": x**2, "wave": np.sin(3 * x), "step": np.sign(x)}
    for shape in shapes.values():
        table = np.column_stack(
            [x, shape + 0.3 * rng.standard_t(3, size=300), rng.normal(size=300)]
        )
        none, alone, both = (quickly(table, 1, parents) for parents in [(), (0,), (0, 2)])
        assert alone - none > 40
        assert -5 < both - alone < 1  # as the GP scores have it, not 9 nats for five waves
    assert quickly(table, 0, (2,)) - quickly(table, 0, ()) < 0


def test_levels_have_a_number_each():
    rng = np.random.default_rng(2)
    batch = rng.integers(0, 6, size=200)
    x = np.sin(batch * 2.0) + 0.2 * rng.normal(size=200)
    data = load_table(pd.DataFrame({"x": x, "batch": np.array(list("abcdef"))[batch]}))
    found = [SmoothScore().log_marginal(data, 0, parents).value for parents in [(1,), ()]]
    assert found[0] - found[1] > 100


def test_rows_in_which_a_node_was_set_do_not_count(values):
    were_set = np.zeros((N, 4), dtype=bool)
    were_set[40:, 0] = True
    data = load_table(values, interventions=were_set)
    whole = load_table(values).standardised()[:40]
    names = [waves_of(whole[:, v]) for v in (1, 2)]
    x = scores_of(whole[:, 0])
    lines = [scores_of(whole[:, v])[:, None] for v in (1, 2)]
    own = [
        max(pair, key=lambda block: densely(x, [block])) for pair in zip(lines, names, strict=True)
    ]
    expected = np.logaddexp(densely(x, own), densely(x, names)) - np.log(2)
    found = SmoothScore().log_marginal(data, 0, (1, 2)).value
    assert found == pytest.approx(expected)


def test_blocks_of_rows_add_up(values, monkeypatch):
    whole = quickly(values, 0, (1, 2, 3))
    smooth.MODELS._models.clear()
    monkeypatch.setattr(smooth, "BLOCK", 7)
    assert quickly(values, 0, (1, 2, 3)) == pytest.approx(whole, abs=1e-9)
    smooth.MODELS._models.clear()
