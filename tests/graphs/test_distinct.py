"""What differs in a batch of DAGs, and work done once for each."""

import numpy as np
import pytest

from gpnet.graphs import distinct as module
from gpnet.graphs.dag import random_dag
from gpnet.graphs.distinct import blocks, distinct, for_distinct
from gpnet.graphs.enumeration import all_dags


@pytest.mark.parametrize("n_nodes", [1, 3, 4, 9])
def test_each_dag_is_found_where_it_stands(n_nodes):
    rng = np.random.default_rng(1)
    dags = np.array([random_dag(n_nodes, 0.1, rng) for _ in range(200)])
    different, place = distinct(dags)
    np.testing.assert_array_equal(different[place], dags)
    assert len(different) == len({dag.tobytes() for dag in dags})
    assert sorted(set(place)) == list(range(len(different)))


def test_all_dags_are_different_and_the_order_of_the_batch_does_not_matter():
    dags = all_dags(4)
    different, _ = distinct(dags)
    assert len(different) == 543
    shuffled, _ = distinct(np.random.default_rng(2).permutation(dags))
    np.testing.assert_array_equal(shuffled, different)


def test_a_view_that_is_not_contiguous():
    dags = all_dags(3)
    different, place = distinct(dags.swapaxes(1, 2))
    np.testing.assert_array_equal(different[place], dags.swapaxes(1, 2))


@pytest.mark.parametrize(("shape", "n_different"), [((0, 3, 3), 0), ((5, 0, 0), 1), ((0, 0, 0), 0)])
def test_nothing_to_tell_apart(shape, n_different):
    different, place = distinct(np.zeros(shape, dtype=bool))
    assert different.shape == (n_different, *shape[1:])
    assert place.tolist() == [0] * shape[0]


def test_work_is_done_once_for_each_and_in_blocks(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 40)
    sizes = []

    def count_edges(dags):
        sizes.append(len(dags))
        return dags.sum(axis=(1, 2))

    dags = np.concatenate([all_dags(3), all_dags(3)])
    found = for_distinct(count_edges, dags, cells_each=9)
    np.testing.assert_array_equal(found, dags.sum(axis=(1, 2)))
    assert sum(sizes) == 25
    assert max(sizes) == 4


def test_blocks_cover_the_batch_and_hold_at_least_one():
    covered = [i for block in blocks(7, module.MOST_CELLS // 3) for i in range(7)[block]]
    assert covered == list(range(7))
    assert len(list(blocks(7, module.MOST_CELLS * 9))) == 7
    assert list(blocks(0, 9)) == []
