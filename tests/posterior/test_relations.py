"""Fitted relations: what is in them, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from tests.posteriors import all_dags, fits_of, posterior_of

FAMILIES = [(1, (0, 2)), (1, (2, 3)), (3, (0,))]


@pytest.fixture
def fits():
    return fits_of(FAMILIES, 4)


def test_families_and_their_curves(fits):
    assert fits.families() == FAMILIES
    assert [fits.find(*family) for family in FAMILIES] == [0, 1, 2]
    assert fits.find(1, [3, 2]) == 1
    assert fits.find(1, (0,)) is None
    assert fits.with_edge(2, 1) == [0, 1]
    assert fits.with_edge(1, 2) == []
    assert [fits.curves(fit) for fit in range(3)] == [{0: 0, 2: 1}, {2: 2, 3: 3}, {0: 4}]


def test_they_are_read_only(fits):
    for array in vars(fits).values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_none_at_all():
    assert fits_of([], 4).families() == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"node": [1, 1, 4]}, "node: expected numbers from 0 to 3"),
        ({"node": [1, 1, 0]}, "a node is among its own"),
        ({"node": [1.0, 1.0, 3.0]}, "node: expected an array of int32"),
        ({"fit": [0, 0, 1, 2, 1]}, "one curve for each parent"),
        ({"parent": [2, 0, 2, 3, 0]}, "one curve for each parent"),
        ({"mean": np.zeros((5, 3))}, "mean: expected the shape"),
        ({"mean": np.full((5, 4), np.inf)}, "mean: expected finite"),
        ({"x": np.zeros(5)}, "expected the shape"),
        ({"x": np.tile([0.0, 2.0, 1.0, 3.0], (5, 1))}, "x: expected values in order"),
        ({"low": np.full((5, 4), 9.0)}, "low: expected no more than high"),
        ({"shown": np.zeros((3, 3))}, "shown: expected the shape"),
        ({"residual": np.zeros((5, 2))}, "residual: expected the shape"),
    ],
)
def test_what_does_not_fit_is_refused(fits, wrong, told):
    with pytest.raises(OptionError, match=told):
        replace(fits, **{name: np.asarray(array) for name, array in wrong.items()})


def test_the_same_set_twice_is_refused():
    with pytest.raises(OptionError, match="fitted twice"):
        fits_of([(1, (0,)), (1, (0,))], 3)


def test_a_posterior_refuses_fits_of_another_table():
    with pytest.raises(OptionError, match=r"fits\.parents: expected the shape"):
        posterior_of(all_dags(3), fits=fits_of([(1, (0,))], 4))
