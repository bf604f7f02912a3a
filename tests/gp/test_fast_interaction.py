"""GP^2 at low rank against the dense route."""

import numpy as np
import pytest

from gpnet import load_table
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_interaction import FastInteractionTarget, fast_interaction_route
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.gp.target import DenseTarget
from gpnet.scores import Gp2Score
from tests.gp.marginals import regression

OTHER_PRIORS = Hyperpriors(
    InverseGamma(3, 1), InverseGamma(2, 0.5), InverseGamma(4, 2), Normal(0.3, 0.6)
)


def both(n_rows, n_parents, priors):
    table = regression(n_rows, n_parents, seed=n_parents)
    parents = tuple(range(n_parents))
    model = FastModel(table, Additive(), priors)
    fast = FastInteractionTarget(model, table, n_parents, parents, priors)
    return fast, DenseTarget(table[:, -1], table[:, :-1], KERNELS["interaction"](), priors)


@pytest.mark.parametrize("n_parents", [1, 2, 3])
@pytest.mark.parametrize("priors", [Hyperpriors(), OTHER_PRIORS])
def test_value_gradient_and_hessian(n_parents, priors):
    fast, dense = both(320, n_parents, priors)
    rng = np.random.default_rng(n_parents)
    n_low_rank = 0
    for log_lengthscale in (0.7, 1.5, 2.5):
        u = rng.normal(0, 0.2, fast.n_dims)
        u[:n_parents] += log_lengthscale
        n_low_rank += fast._low_rank(u) is not None
        assert fast.value(u) == pytest.approx(dense.value(u), abs=1e-5)
        for one, other in zip(fast.hessian(u), dense.hessian(u), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=2e-2)
        np.testing.assert_allclose(fast.gradient(u)[1], dense.gradient(u)[1], rtol=0, atol=1e-3)
    assert n_low_rank >= 1  # the comparison is not dense against dense


def test_the_dense_route_takes_over_where_the_rank_is_large():
    fast, dense = both(320, 2, Hyperpriors())
    u = np.array([-1.5, -1.5, 0.0, 0.0, -0.5])
    assert fast._low_rank(u) is None
    assert fast.value(u) == dense.value(u)


def test_which_tables_take_this_route():
    table = regression(320, 1, seed=1)
    assert fast_interaction_route(KERNELS["interaction"](), table)
    assert not fast_interaction_route(KERNELS["interaction"](), table[:100])
    assert not fast_interaction_route(KERNELS["additive"](), table)


def test_the_score_agrees_with_the_dense_one(monkeypatch):
    data = load_table(regression(320, 1, seed=4))
    fast = Gp2Score().log_marginal(data, 1, (0,))
    monkeypatch.setattr("gpnet.scores.gp.fast_interaction_route", lambda *_: False)
    dense = Gp2Score().log_marginal(data, 1, (0,))
    assert fast.value == pytest.approx(dense.value, abs=1e-3)
