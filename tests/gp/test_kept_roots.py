"""Roots at the lengthscales that every search tries are kept, and are those of the tables."""

import numpy as np
import pytest

from gpnet.gp.fast import FastModel
from gpnet.gp.kernels import Additive
from gpnet.gp.priors import Hyperpriors
from tests.gp.marginals import regression

FORMS = {
    "plain": Additive(),
    "amplitude": Additive(amplitude=True),
    "line": Additive(line=0.5),
}
# As in _core/gp/factor.hpp; next to each, nothing is kept.
KEPT = (-2.3, -1.6, -1.4, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0)
NEXT_TO = 1e-11


@pytest.mark.parametrize("n_finer", [0, 4])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_kept_is_what_would_be_computed(form, n_finer):
    values = regression(80, 2, seed=3)
    model = FastModel(values, FORMS[form], Hyperpriors(), n_finer=n_finer)
    target = model.target(2, (0, 1))
    u = np.full(target.n_dims, 0.13)
    for sigma in (0.02, 0.5):
        u[-1] = np.log(sigma)
        for place in KEPT:
            u[0] = place
            kept = target.hessian(u)
            u[0] += NEXT_TO
            for one, other in zip(kept, target.hessian(u), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-6)


def test_a_profile_is_as_fine_as_its_shortest_place():
    """Whether it begins among the long or the short lengthscales, its values are the same."""
    model = FastModel(regression(80, 2, seed=4), Additive(), Hyperpriors())
    model.target(2, (0, 1))
    u, places = np.array([0.2, -0.1, -0.9]), np.array([-1.0, 0.3, 2.0])
    short = np.concatenate([[model.log_shortest], places])
    found = model._core.profile(2, (0, 1), u, 0, places)
    np.testing.assert_allclose(found, model._core.profile(2, (0, 1), u, 0, short)[1:], atol=1e-9)
