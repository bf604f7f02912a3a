"""Densities and sizes of noise that cannot be, and residuals of nothing: all refused."""

import numpy as np
import pytest

from tests.core.misuse import check_table
from tests.core.small import BUILDS, ROWS, U, data, statistics

NAN, INF = np.nan, np.inf
ROOT = np.linspace(0, 1, 10).reshape(5, 2)
E = np.array([-1.0, 0.2, 1.5])


def told(core, error, argument, call):
    """It raises the error, with the argument's name and what was expected."""
    with pytest.raises(error) as caught:
        call(core)
    message = str(caught.value)
    assert argument in message if error is TypeError else message.startswith(argument)
    assert error is TypeError or "expected" in message


def family(degrees=INF, root=ROOT, support="line", low=-2.0, high=2.0):
    return support, degrees, low, high, root


def shapes(core, *families):
    return core.NoiseShapes(list(families))


@check_table(
    ("no families", ValueError, "families", []),
    ("grid turned round", ValueError, "families", [family(low=2.0)]),
    ("grid nan", ValueError, "families", [family(low=NAN)]),
    ("grid infinite", ValueError, "families", [family(high=INF)]),
    ("support unknown", ValueError, "families", [family(support="circle")]),
    ("degrees 2", ValueError, "families", [family(2.0)]),
    ("degrees 1", ValueError, "families", [family(), family(1.0)]),
    ("degrees negative", ValueError, "families", [family(-INF)]),
    ("degrees nan", ValueError, "families", [family(NAN)]),
    ("one row", ValueError, "families", [family(root=ROOT[:1])]),
    ("no rows", ValueError, "families", [family(root=ROOT[:0])]),
    ("no columns", ValueError, "families", [family(root=ROOT[:, :0])]),
    ("root nan", ValueError, "families", [family(root=NAN * ROOT)]),
    ("root infinite", ValueError, "families", [family(root=INF * (ROOT + 1))]),
    ("root flat", TypeError, "families", [family(root=ROOT[0])]),
)
def test_families(core, error, argument, call):
    told(core, error, argument, lambda c: shapes(c, *call))


@check_table(
    ("no residuals", ValueError, "residuals", (E[:0], E[:0])),
    ("residual nan", ValueError, "residuals", (np.array([1.0, NAN, 0.0]), 0 * E)),
    ("residual infinite", ValueError, "residuals", (np.array([1.0, INF, 0.0]), 0 * E)),
    ("residuals a matrix", TypeError, "residuals", (E[:, None], 0 * E)),
    ("widths short", ValueError, "widths", (E, 0 * E[:2])),
    ("widths long", ValueError, "widths", (E[:2], 0 * E)),
    ("no widths", ValueError, "widths", (E, E[:0])),
    ("width negative", ValueError, "widths", (E, np.array([0.0, -0.1, 0.0]))),
    ("width nan", ValueError, "widths", (E, np.array([0.0, NAN, 0.0]))),
    ("width infinite", ValueError, "widths", (E, np.array([0.0, INF, 0.0]))),
)
def test_log_ratios(core, error, argument, call):
    told(core, error, argument, lambda c: shapes(c, family()).log_ratios(*call))


@check_table(
    ("no residuals", ValueError, "residuals", (E[:0], np.ones((0, 1)))),
    ("residual nan", ValueError, "residuals", (NAN * E, np.ones((3, 1)))),
    ("design short", ValueError, "design", (E, np.ones((2, 1)))),
    ("design long", ValueError, "design", (E, np.ones((4, 1)))),
    ("design narrow", ValueError, "design", (E, np.ones((3, 0)))),
    ("design nan", ValueError, "design", (E, np.full((3, 1), NAN))),
    ("design infinite", ValueError, "design", (E, np.full((3, 1), INF))),
    ("design flat", TypeError, "design", (E, E)),
)
def test_varying_scales(core, error, argument, call):
    told(core, error, argument, lambda c: c.varying_scale(*call))


X = data()[:, 2]


@check_table(
    ("x short", ValueError, "x", (2, [0, 1], U, X[:-1])),
    ("x long", ValueError, "x", (2, [0, 1], U, np.zeros(ROWS + 1))),
    ("no x", ValueError, "x", (2, [0, 1], U, X[:0])),
    ("x a matrix", TypeError, "x", (2, [0, 1], U, X[:, None])),
    ("u short", ValueError, "u", (2, [0, 1], U[:2], X)),
    ("u nan", ValueError, "u", (2, [0, 1], NAN * U, X)),
    ("node beyond", IndexError, "node", (3, [0, 1], U, X)),
    ("parent twice", ValueError, "parents", (2, [0, 0], U, X)),
    ("own parent", ValueError, "parents", (2, [0, 2], U, X)),
    ("line beyond", IndexError, "parents, lines", (2, [0, 1], U, X, [3])),
    ("line twice", ValueError, "parents, lines", (2, [0], U[1:], X, [1, 1])),
)
def test_residuals(core, error, argument, call):
    told(core, error, argument, lambda c: statistics(c).leave_one_out(*call))


def test_residuals_on_variables_never_set(core):
    def call(core):
        return statistics(core, without=(1,)).leave_one_out(2, [0, 1], U, X)

    told(core, RuntimeError, "parents", call)


# The control: what is as it should be passes, at its ends too


def test_what_is_allowed(core):
    for support in ("line", "above_edge", "below_edge", "between_edges"):
        one = shapes(core, family(support=support))
        assert np.isfinite(one.log_ratios(E, 0 * E)).all()
        assert np.isfinite(one.log_ratios(1e6 * E, 50 + 0 * E)).all()  # far beyond the grid
        assert np.isfinite(one.log_ratios(0 * E, 0.1 + 0 * E)).all()
    few = shapes(core, family(2.1, ROOT[:2, :1]))
    assert np.isfinite(few.log_ratios(E[:1], E[2:])).all()
    ratio, log_sd = core.varying_scale(E, np.ones((3, 1)))
    assert np.isfinite([ratio, *log_sd]).all()
    ratio, _ = core.varying_scale(np.zeros(3), np.ones((3, 1)))
    assert np.isfinite(ratio)
    for found in statistics(core).leave_one_out(2, [0, 1], U, X):
        assert found.shape == (ROWS,)


def test_builds_agree_on_noise():
    """To rounding, whatever the processor."""
    e = np.random.default_rng(0).standard_t(4, 200)
    found = [
        np.concatenate(
            [
                shapes(core, family(), family(4.0)).log_ratios(e, 0 * e),
                [core.varying_scale(e, np.abs(e)[:, None])[0]],
            ]
        )
        for core in BUILDS.values()
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-9, atol=1e-9)
