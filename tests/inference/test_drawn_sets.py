"""Parent sets of draws, scored as well as their shares deserve."""

import numpy as np
import pytest

from gpnet.gp.evidence import Evidence
from gpnet.inference.drawn_sets import Care, DrawnSets, TableErrors, care_for, n_curves
from gpnet.samplers.dag_sample import DagSample

NO_PARENTS, ONE = (), (0,)


def draws(n_with, n_draws):
    """Of two nodes: 0 -> 1 in so many of the draws, no edge in all others."""
    dags = np.zeros((n_draws, 2, 2), dtype=bool)
    dags[:n_with, 0, 1] = True
    return DagSample(dags, np.zeros(n_draws), np.zeros(n_draws, dtype=np.int32))


class Told:
    """Stands for a rescorer: the table is 0.3 nats too low for the parent of node 1."""

    def __init__(self):
        self.asked = []

    def rescore(self, families, *, roughly=(), stage):
        self.asked += [(family, "well") for family in families]
        self.asked += [(family, "roughly") for family in roughly]
        return {family: self._evidence(family, 0.3) for family in (*families, *roughly)}

    def by_table(self, families, *, stage):
        self.asked += [(family, "by table") for family in families]
        return {family: self._evidence(family, 0.0) for family in families}

    def known_by_table(self, families):
        return {family: self._evidence(family, 0.0) for family in families}

    def _evidence(self, family, more):
        return Evidence(-5.0 + more * len(family[1]), 0.0, "told", linear=0.0)


@pytest.mark.parametrize(
    ("share", "care"),
    [
        (0.001, Care.BY_TABLE),
        (0.0051, Care.ROUGHLY),
        (0.04, Care.ROUGHLY),
        (0.06, Care.WELL),
        (0.5, Care.WELL),
        (0.97, Care.ROUGHLY),
        (1.0, Care.ROUGHLY),
    ],
)
def test_care_goes_by_what_an_error_would_move(share, care):
    assert care_for(share) == care


def test_what_is_drawn_more_often_later_is_scored_better_then():
    rescorer = Told()
    sets = DrawnSets(rescorer)
    for n_with in (1, 20, 500, 20, 1):  # of 1 000
        sets.score(draws(n_with, 1000))
    of_edge = [how for family, how in rescorer.asked if family == (1, ONE)]
    assert of_edge == ["by table", "roughly", "well"]
    assert sets.known[1, ONE].value == pytest.approx(-4.7)


def test_rare_sets_are_moved_by_what_the_table_errs_on_others():
    sets = DrawnSets(Told())
    first = draws(500, 1000)
    first.dags[500:, 1, 0] = True  # 1 -> 0 in the others: both single parents are scored well
    sets.score(first)
    rare = np.zeros((1000, 3, 3), dtype=bool)
    rare[0, 0, 2] = True
    sets.score(DagSample(rare, np.zeros(1000), np.zeros(1000, dtype=np.int32)))
    assert sets.known[2, ONE].value == pytest.approx(-4.7)


def test_errors_of_the_table_by_curve():
    """Twice as many curves, twice the error; lines have none, and what is left is told."""
    rng = np.random.default_rng(0)
    by_table, accurate = {}, {}
    for k in range(200):
        family = (k, tuple(range(k % 4)))
        linear = rng.random() if k % 2 else np.nan
        table = Evidence(rng.normal(), np.nan, "laplace", linear=linear)
        error = 0.15 * n_curves(family[1], table) + 0.05 * rng.normal()
        by_table[family] = table
        accurate[family] = Evidence(table.value + error, 0.02, "qmc")
    errors = TableErrors(accurate, by_table)
    assert errors.each == pytest.approx(0.15, abs=0.01)  # three standard errors
    assert errors.std_error == pytest.approx(0.05, abs=0.01)
    moved = errors.mended((4, 7), Evidence(1.0, np.nan, "laplace", linear=0.25))
    assert moved.value == pytest.approx(1 + 1.5 * errors.each)
    assert moved.std_error == errors.std_error


def test_without_anything_to_compare_the_table_stays():
    moved = TableErrors({}, {}).mended((1,), Evidence(2.0, np.nan, "laplace"))
    assert (moved.value, moved.std_error) == (2.0, 0.0)
