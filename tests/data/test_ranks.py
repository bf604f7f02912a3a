"""Columns by their ranks: what is learnt from changes, what is shown does not."""

from copy import deepcopy

import numpy as np
import pytest
from scipy.stats import norm, rankdata, spearmanr

from gpnet import DataError, OptionError, load_table
from gpnet.data.dataset import Dataset
from gpnet.data.transforms import normal_scores

N = 40


def values(seed=0):
    """A skewed column, one with ties, one in other units."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((N, 3))
    return np.column_stack([np.exp(2 * z[:, 0]), np.round(z[:, 1], 1), 1e3 * z[:, 2] + 7])


@pytest.fixture
def data():
    return load_table(values(), names=["a", "b", "c"])


def test_by_ranks_learns_from_normal_scores(data):
    ranked = data.by_ranks(["b", "a"])
    assert ranked.ranked == ("a", "b")  # in the order of the table
    for column in (0, 1):
        scores = norm.ppf((rankdata(data.values[:, column]) - 0.5) / N)
        expected = (scores - scores.mean()) / scores.std(ddof=1)
        np.testing.assert_allclose(ranked.standardised()[:, column], expected, atol=1e-12)
    np.testing.assert_array_equal(ranked.standardised()[:, 2], data.standardised()[:, 2])


def test_units_and_the_first_table_are_kept(data):
    before = data.fingerprint
    ranked = data.by_ranks(["a"])
    np.testing.assert_array_equal(ranked.values, data.values)
    assert (ranked.names, ranked.transform, ranked.warnings) == (
        data.names,
        data.transform,
        data.warnings,
    )
    assert (data.ranked, data.fingerprint) == ((), before)


def test_no_names_are_no_change(data):
    assert data.by_ranks([]).fingerprint == data.fingerprint
    assert data.by_ranks(["a"]).by_ranks([]).fingerprint == data.fingerprint


def test_fingerprints_see_which_columns_are_ranked(data):
    choices = [[], ["a"], ["b"], ["a", "b"], ["a", "b", "c"]]
    assert len({data.by_ranks(names).fingerprint for names in choices}) == len(choices)
    assert data.by_ranks(["a", "b"]).fingerprint == data.by_ranks(["b", "a"]).fingerprint


def test_by_hand_and_copied_it_is_the_same(data):
    ranked = data.by_ranks(["a"])
    by_hand = Dataset(data.values, data.names, ranked=["a"])
    for other in (by_hand, deepcopy(ranked)):
        assert other.fingerprint == ranked.fingerprint
        np.testing.assert_array_equal(other.standardised(), ranked.standardised())


def test_names_that_are_not_there(data):
    with pytest.raises((DataError, OptionError), match="'z'"):
        Dataset(data.values, data.names, ranked=["z"])


@pytest.mark.parametrize("names", [(), ("a", "b", "c")])
def test_units_and_back(data, names):
    table = data.by_ranks(names)
    for column in range(3):
        x = table.values[:, column]
        z = table.to_standard(column, x)
        np.testing.assert_allclose(z, table.standardised()[:, column], atol=1e-12)
        np.testing.assert_allclose(table.to_units(column, z), x, rtol=1e-12, atol=1e-9)
        between = np.linspace(x.min(), x.max(), 301)
        back = table.to_units(column, table.to_standard(column, between))
        np.testing.assert_allclose(back, between, rtol=1e-9, atol=1e-9)


def test_without_ranks_units_are_mean_and_standard_deviation(data):
    z = np.array([-2.0, 0.0, 3.0])
    for column, x in enumerate(data.values.T):
        np.testing.assert_allclose(data.to_units(column, z), x.mean() + z * x.std(ddof=1))


@pytest.mark.parametrize("names", [(), ("a", "b", "c")])
def test_both_ways_are_monotone(data, names):
    table = data.by_ranks(names)
    for column, x in enumerate(table.values.T):
        wide = np.linspace(x.min() - np.ptp(x), x.max() + np.ptp(x), 500)
        assert (np.diff(table.to_standard(column, wide)) >= 0).all()
        assert (np.diff(table.to_units(column, np.linspace(-6, 6, 500))) >= 0).all()
        inside = np.linspace(x.min(), x.max(), 500)
        assert (np.diff(table.to_standard(column, inside)) > 0).all()


def test_beyond_its_range_a_ranked_column_has_its_last_value(data):
    table = data.by_ranks(["a"])
    x = table.values[:, 0]
    np.testing.assert_array_equal(table.to_units(0, np.array([-9.0, 9.0])), [x.min(), x.max()])
    ends = table.to_standard(0, np.array([x.min() - 5, x.max() + 5]))
    scores = table.standardised()[:, 0]
    np.testing.assert_allclose(ends, [scores.min(), scores.max()])


def test_any_shape_of_arrays(data):
    """Curves come as blocks."""
    for table in (data, data.by_ranks(["a"])):
        z = np.linspace(-1, 1, 12).reshape(3, 4)
        found = table.to_units(0, z)
        assert found.shape == (3, 4)
        np.testing.assert_array_equal(found.ravel(), table.to_units(0, z.ravel()))


def test_normal_scores():
    x = values()[:, 1]
    scores = normal_scores(x)
    assert spearmanr(x, scores).statistic == pytest.approx(1)
    assert len(np.unique(scores)) == len(np.unique(x))  # ties stay ties
    np.testing.assert_array_equal(normal_scores(np.exp(x)), scores)


# Where a Dataset is given a transform


def test_a_dataset_keeps_its_transform():
    table = load_table(values(), transform="none")
    assert load_table(table).transform == "none"
    assert load_table(table, transform="none") is table
    with pytest.raises(OptionError, match="when the Dataset is loaded"):
        load_table(table, transform="log")


def test_a_dataset_keeps_its_ranked_columns(data):
    ranked = data.by_ranks(["a"])
    assert load_table(ranked).ranked == ("a",)
