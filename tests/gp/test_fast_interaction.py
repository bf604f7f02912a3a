"""GP^2 where few rows stand for all against the dense route."""

import numpy as np
import pytest

from gpnet import load_table
from gpnet.gp.evidence.qmc import Qmc
from gpnet.gp.fast_interaction import (
    HOPELESS,
    NEGLIGIBLE,
    FastInteractionTarget,
    fast_interaction_route,
)
from gpnet.gp.kernels import KERNELS, Interaction
from gpnet.gp.modes import find_modes
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.gp.target import DenseTarget
from gpnet.scores import Gp2Score
from tests.gp.marginals import regression, standardise

OTHER_PRIORS = Hyperpriors(
    InverseGamma(3, 1), InverseGamma(2, 0.5), InverseGamma(4, 2), Normal(0.3, 0.6)
)


def both(table, priors=None):
    priors, n_parents = priors or Hyperpriors(), table.shape[1] - 1
    fast = FastInteractionTarget(table, n_parents, tuple(range(n_parents)), priors)
    return fast, DenseTarget(table[:, -1], table[:, :-1], Interaction(), priors)


@pytest.mark.parametrize("n_parents", [1, 2, 3])
@pytest.mark.parametrize("priors", [Hyperpriors(), OTHER_PRIORS])
def test_value_gradient_and_hessian(n_parents, priors):
    """Also where next to nothing is explained, and errors are largest."""
    rng = np.random.default_rng(n_parents)
    for log_lengthscale in (0.7, 1.5, 2.5):
        fast, dense = both(regression(320, n_parents, seed=n_parents), priors)  # that knows nothing
        u = rng.normal(0, 0.2, fast.n_dims)
        u[:n_parents] += log_lengthscale
        assert fast.value(u) == pytest.approx(dense.value(u), abs=1e-3)
        assert fast._rows.find(u)[1] is not None  # the comparison is not dense against dense
        for one, other in zip(fast.hessian(u), dense.hessian(u), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=2e-2)
        np.testing.assert_allclose(fast.gradient(u)[1], dense.gradient(u)[1], rtol=0, atol=5e-3)


def test_the_dense_route_takes_over_where_too_many_rows_are_needed():
    fast, dense = both(regression(320, 2, seed=2))
    u = np.array([-1.5, -1.5, 0.0, 0.0, -0.5])
    assert fast.value(u) == dense.value(u)
    assert fast.gradient(u)[0] == dense.gradient(u)[0]
    assert fast.hessian(u)[0] == dense.hessian(u)[0]


@pytest.mark.parametrize("n_parents", [2, 3])
def test_guesses_far_below_the_best_value_are_near_enough(n_parents):
    """Far from a mode: to a few nats, or by blocks of rows as hopeless as they are."""
    fast, dense = both(regression(400, n_parents, seed=7))
    best = find_modes(fast)[0]
    rng, n_guessed = np.random.default_rng(1), 0
    for _ in range(60):
        u = best.u + rng.normal(0, 1.2, fast.n_dims)
        value, exact = fast.value(u), dense.value(u)
        if exact > best.value - NEGLIGIBLE:
            assert value == pytest.approx(exact, abs=5e-3)
        elif value != exact:
            n_guessed += 1
            assert value < best.value - NEGLIGIBLE / 2
            assert value == pytest.approx(exact, abs=5.0) or value < best.value - HOPELESS
    assert n_guessed > 10


@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_the_modes_are_those_of_the_dense_route(n_parents):
    fast, dense = both(regression(320, n_parents, seed=3))
    found, exact = find_modes(fast), find_modes(dense)
    assert len(found) == len(exact)
    for one, other in zip(found, exact, strict=True):
        np.testing.assert_allclose(one.u, other.u, atol=0.02)
        assert one.log_laplace == pytest.approx(other.log_laplace, abs=1e-3)
        assert one.converged


def test_a_mode_over_short_distances_is_found():
    """A wave that shows only when the other parent is known, and in no row by itself."""
    rng = np.random.default_rng(4)
    z = standardise(rng.standard_normal((400, 2)))
    x = np.sin(20 * z[:, 0]) + 3 * np.sin(z[:, 1]) + 0.3 * rng.standard_normal(400)
    fast, dense = both(np.column_stack([z, standardise(x)]))
    found, exact = find_modes(fast)[0], find_modes(dense)[0]
    assert found.u[0] < np.log(0.25)
    assert found.log_laplace == pytest.approx(exact.log_laplace, abs=1e-3)


def test_which_tables_take_this_route():
    table = regression(320, 1, seed=1)
    assert fast_interaction_route(KERNELS["interaction"](), table)
    assert not fast_interaction_route(KERNELS["interaction"](), table[:100])
    assert not fast_interaction_route(KERNELS["additive"](), table)


@pytest.mark.parametrize("n_parents", [1, 2, 3])
def test_the_score_agrees_with_the_dense_one(monkeypatch, n_parents):
    """At the same points, whose number says how good either is."""
    data = load_table(regression(320, n_parents, seed=4))
    parents, score = tuple(range(n_parents)), Gp2Score(evidence=Qmc(target_error=0.2))
    fast = score.log_marginal(data, n_parents, parents)
    assert fast == score.log_marginal(data, n_parents, parents)
    monkeypatch.setattr("gpnet.scores.gp.fast_interaction_route", lambda *_: False)
    dense = score.log_marginal(data, n_parents, parents)
    assert fast.value == pytest.approx(dense.value, abs=1e-3)
