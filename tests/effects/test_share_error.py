"""The share of an effect's variance that is due to the network is told with its error."""

import numpy as np
import pytest

from gpnet.effects.quantities import summarise

PAIRS = 250


def drawn(rng, p, apart, within):
    """Draws of a contrast, each two of one DAG: with probability p of a kind that is apart.

    (T, 1) numbers, and of which of 50 DAGs each draw is.
    """
    dag = np.sort(rng.integers(50, size=PAIRS))
    mean = np.where(np.arange(50) < p * 50, apart, 0.0)[dag]
    return (
        np.repeat(mean, 2)[:, None] + within * rng.normal(size=(2 * PAIRS, 1)),
        np.repeat(dag, 2),
    )


@pytest.mark.parametrize(("p", "apart"), [(0.5, 1.0), (0.1, 3.0), (0.5, 6.0)])
def test_the_error_is_that_of_repeated_computations(p, apart):
    """200 repeats: their sd is known to 5%; errors on average to within a third of it."""
    rng = np.random.default_rng(1)
    found = [summarise(*drawn(rng, p, apart, 1.0), rng) for _ in range(200)]
    shares = np.array([one.structural_share[0] for one in found])
    errors = np.array([one.structural_share_error[0] for one in found])
    assert np.sqrt((errors**2).mean()) == pytest.approx(shares.std(), rel=0.35)


def test_a_share_that_one_rare_dag_makes_is_as_uncertain_as_it_is_large():
    """As in the tutorial, where it came out as 31% or as 0% from one seed to the next."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(500, 1))
    dag = np.zeros(500, dtype=np.intp)
    dag[:2], numbers[:2] = 1, 12.0
    found = summarise(numbers, dag, rng).at(0)
    assert found.structural_share > 0.3
    assert found.structural_share_error > 0.8 * found.structural_share


def test_where_nothing_differs_there_is_no_share_and_no_error():
    found = summarise(np.full((20, 1), 3.0), np.zeros(20, dtype=np.intp), np.random.default_rng(0))
    assert found.structural_share[0] == found.structural_share_error[0] == 0
    pair = summarise(np.ones((2, 1)), np.zeros(2, dtype=np.intp), np.random.default_rng(0))
    assert pair.structural_share_error[0] == 0
