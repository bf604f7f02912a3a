"""Statistics, modes and covers that cannot be: all refused."""

import numpy as np
import pytest

from gpnet import _core
from tests.core.misuse import check_table, refused
from tests.core.small import (
    GRID,
    ROWS,
    U,
    cover,
    net,
    panels,
    statistics,
    table_of,
    variable,
)

NAN, INF = np.nan, np.inf
UNITS = np.eye(3)

# Gaussian processes


def of_table(**changed):
    return lambda c: table_of(c, **changed)


@check_table(
    ("order 3", ValueError, "order", lambda c: c.squared_exponential_gram(np.zeros(3), 1.0, 3)),
    ("order -1", ValueError, "order", lambda c: c.squared_exponential_gram(np.zeros(3), 1.0, -1)),
    ("matrix", TypeError, "z", lambda c: c.squared_exponential_gram(np.zeros((3, 2)), 1.0, 0)),
    ("no rows", ValueError, "n_rows", of_table(n_rows=0)),
    ("negative rows", ValueError, "n_rows", of_table(n_rows=-1)),
    ("shortest nan", ValueError, "log_shortest", of_table(log_shortest=NAN)),
    ("width zero", ValueError, "band_width", of_table(band_width=0.0)),
    ("width nan", ValueError, "band_width", of_table(band_width=NAN)),
    ("mean negative", ValueError, "mean_sd", of_table(mean_sd=-1.0)),
    ("line negative", ValueError, "line", of_table(line=-1.0)),
    ("slope nan", ValueError, "slope_variance", of_table(slope_variance=NAN)),
    ("no priors", ValueError, "priors", of_table(priors=[])),
    ("priors short", ValueError, "priors", of_table(amplitude=True)),
    ("priors long", ValueError, "priors", of_table(priors=[(2.0, 2.0)] * 2)),
    ("shape zero", ValueError, "priors", of_table(priors=[(0.0, 2.0)])),
    ("scale nan", ValueError, "priors", of_table(priors=[(2.0, NAN)])),
    ("noise negative", ValueError, "noise", of_table(noise=(1.0, -1.0))),
    ("no targets", ValueError, "target_sums", of_table(target_sums=np.zeros(0))),
    ("squares short", ValueError, "target_squares", of_table(target_squares=np.ones(2))),
)
def test_tables_of_gaussian_processes(core, error, argument, call):
    refused(core, error, argument, call)


def first_band(size=None, root=None, log_left=None):
    """The bands of variable 0, the first of them with a part changed."""
    given = variable(_core, 0)["bands"]
    own = given[0]
    changed = (
        own[0] if size is None else size,
        own[1] if root is None else root,
        own[2] if log_left is None else log_left,
    )
    return [changed, *given[1:]]


def grown():
    """A second band larger than the first."""
    bands = variable(_core, 0)["bands"]
    return [bands[-1], bands[0]]


SIZE = variable(_core, 0)["bands"][0][0]
WIDTH = variable(_core, 0)["rows"].width
HEIGHT = len(variable(_core, 0)["coordinates"])
N_PANELS = len(panels(0)["starts"])


@check_table(
    ("z of two dimensions", TypeError, "z", {"z": np.zeros((ROWS, 1))}),
    ("z of other numbers", TypeError, "z", {"z": np.zeros(ROWS, dtype=np.float32)}),
    ("panel short", ValueError, "panel", {"panel": np.zeros(ROWS - 1, dtype=np.int32)}),
    ("panel beyond", IndexError, "panel", {"panel": np.full(ROWS, N_PANELS, dtype=np.int32)}),
    ("panel negative", IndexError, "panel", {"panel": np.full(ROWS, -1, dtype=np.int32)}),
    ("panel of 64 bits", TypeError, "panel", {"panel": np.full(ROWS, 2**32)}),
    ("no panels", ValueError, "starts", {"starts": np.empty(0, dtype=np.int32)}),
    ("starts late", ValueError, "starts", {"starts": panels(0)["starts"] + np.int32(1)}),
    ("starts fall", ValueError, "starts", {"starts": panels(0)["starts"][::-1].copy()}),
    ("nodes narrow", ValueError, "nodes", {"nodes": np.zeros((N_PANELS, WIDTH - 1))}),
    ("weights short", ValueError, "weights", {"weights": np.zeros((N_PANELS - 1, WIDTH))}),
    ("kept short", ValueError, "kept", {"kept": np.arange(ROWS - 1)}),
    ("kept long", ValueError, "kept", {"kept": np.arange(ROWS + 1)}),
    ("kept in disorder", ValueError, "kept", {"kept": np.arange(ROWS)[::-1].copy()}),
    ("values short", ValueError, "values", {"values": np.zeros((ROWS - 1, WIDTH))}),
    ("values of no width", ValueError, "values", {"values": np.zeros((ROWS, 0))}),
)
def test_panels(core, error, argument, call):
    refused(core, error, argument, lambda c: c.PanelRows(**panels(0) | call))


@check_table(
    ("rows beyond", IndexError, "rows", lambda own: own.some(np.array([ROWS]))),
    ("rows negative", IndexError, "rows", lambda own: own.some(np.array([-1]))),
    ("starts beyond", IndexError, "rows", lambda own: own.starts(np.array([ROWS]))),
    (
        "products too late",
        ValueError,
        "first",
        lambda own: own.add_products(1, np.zeros((ROWS, 2)), np.zeros((HEIGHT, 2))),
    ),
    (
        "sums short",
        ValueError,
        "sums",
        lambda own: own.add_products(0, np.zeros((ROWS, 2)), np.zeros((WIDTH, 2))),
    ),
    (
        "sums narrow",
        ValueError,
        "sums",
        lambda own: own.add_products(0, np.zeros((ROWS, 2)), np.zeros((HEIGHT, 1))),
    ),
)
def test_rows_in_panels(core, error, argument, call):
    own = core.PanelRows(**panels(0))
    refused(core, error, argument, lambda _: call(own))


@check_table(
    ("index beyond", IndexError, "index", {"index": 3}),
    ("index negative", IndexError, "index", {"index": -1}),
    ("rows of another kind", TypeError, "rows", {"rows": np.zeros((ROWS, WIDTH))}),
    ("coordinates short", ValueError, "coordinates", {"coordinates": np.zeros((1, SIZE))}),
    ("coordinates narrow", ValueError, "bands", {"coordinates": np.zeros((HEIGHT, SIZE - 1))}),
    ("no bands", ValueError, "bands", {"bands": []}),
    ("band of nothing", ValueError, "bands", {"bands": first_band(size=0)}),
    ("band negative", ValueError, "bands", {"bands": first_band(size=-1)}),
    ("band too large", ValueError, "bands", {"bands": first_band(size=10**6)}),
    ("band grows", ValueError, "bands", {"bands": grown()}),
    ("root short", ValueError, "bands", {"bands": first_band(root=np.zeros((3, 14)))}),
    ("root narrow", ValueError, "bands", {"bands": first_band(root=np.zeros((3, 2)))}),
    ("left long", ValueError, "bands", {"bands": first_band(log_left=np.zeros((10**4, 14)))}),
    ("left narrow", ValueError, "bands", {"bands": first_band(log_left=np.zeros((1, 1)))}),
    ("line short", ValueError, "line", {"line": np.zeros(SIZE - 1)}),
    ("ones short", ValueError, "ones", {"ones": np.zeros(SIZE - 1)}),
    ("targets short", ValueError, "targets", {"targets": np.zeros((SIZE - 1, 3))}),
    ("targets narrow", ValueError, "targets", {"targets": np.zeros((SIZE, 2))}),
)
def test_variables(core, error, argument, call):
    refused(core, error, argument, lambda c: table_of(c).set_variable(**variable(c, 0) | call))


def test_a_variable_is_set_once(core):
    found = statistics(core)
    refused(core, RuntimeError, "set_variable", lambda c: found.set_variable(**variable(c, 1)))


CALLS = {  # of node 2 given 0 and 1, or as it is told
    "evaluate": lambda s, node=2, parents=(0, 1), u=U: s.evaluate(node, parents, u, 2),
    "values": lambda s, node=2, parents=(0, 1), u=U: s.values(node, parents, u[None]),
    "find_modes": lambda s, node=2, parents=(0, 1), u=U: s.find_modes(node, parents, u[None]),
    "climb": lambda s, node=2, parents=(0, 1), u=U: s.climb(node, parents, u, -1),
    "profile": lambda s, node=2, parents=(0, 1), u=U: s.profile(node, parents, u, 0, np.zeros(2)),
}
LENGTHS = {"values": "points", "find_modes": "seeds", "climb": "start"}  # else u


@pytest.mark.parametrize("name", CALLS)
@check_table(
    ("node beyond", IndexError, "node", {"node": 3}),
    ("node negative", IndexError, "node", {"node": -1}),
    ("parent beyond", IndexError, "parents", {"parents": (0, 3)}),
    ("parent negative", IndexError, "parents", {"parents": (-1, 0)}),
    ("parent twice", ValueError, "parents", {"parents": (0, 0)}),
    ("own parent", ValueError, "parents", {"parents": (0, 2)}),
    ("too few parameters", ValueError, "u", {"u": U[:2]}),
    ("too many parameters", ValueError, "u", {"u": np.append(U, 0.0)}),
    ("no parameters", ValueError, "u", {"u": U[:0]}),
    ("lengthscale nan", ValueError, "u", {"u": np.array([NAN, 0.0, 0.0])}),
    ("noise nan", ValueError, "u", {"u": np.array([0.0, 0.0, NAN])}),
)
def test_problems(core, name, error, argument, call):
    argument = LENGTHS.get(name, "u") if argument == "u" else argument
    refused(core, error, argument, lambda c: CALLS[name](statistics(c), **call))


@pytest.mark.parametrize("name", CALLS)
def test_problems_on_variables_never_set(core, name):
    refused(core, RuntimeError, "parents", lambda c: CALLS[name](statistics(c, without=(1,))))


@pytest.mark.parametrize("lines", [(3,), (-1,), (0,), (2,), (1, 1)])
def test_lines(core, lines):
    """Beyond, negative, a parent already, the node itself, twice."""
    error = IndexError if set(lines) & {3, -1} else ValueError
    one = np.array([0.1, -0.5])
    found = statistics(core)
    refused(core, error, "parents, lines", lambda _: found.evaluate(2, (0,), one, 0, lines))
    refused(core, error, "parents, lines", lambda _: found.values(2, (0,), one[None], lines))
    refused(core, error, "parents, lines", lambda _: found.find_modes(2, (0,), one[None], lines))


@check_table(
    ("line never set", RuntimeError, "parents, lines", lambda s: s.evaluate(2, [], U[2:], 0, [1])),
    ("order 3", ValueError, "order", lambda s: s.evaluate(2, [0], U[1:], 3)),
    ("order -1", ValueError, "order", lambda s: s.evaluate(2, [0], U[1:], -1)),
    ("no seeds", ValueError, "seeds", lambda s: s.find_modes(1, [0, 2], np.empty((0, 3)))),
    ("seeds flat", TypeError, "seeds", lambda s: s.find_modes(1, [0, 2], U)),
    ("fixed beyond", ValueError, "fixed", lambda s: s.climb(2, [0], U[1:], 2)),
    ("fixed negative", ValueError, "fixed", lambda s: s.climb(2, [0], U[1:], -2)),
    ("all fixed", ValueError, "fixed", lambda s: s.climb(2, [], U[2:], 0)),
    ("parent beyond", IndexError, "parent", lambda s: s.profile(2, [0], U[1:], 1, U)),
    ("parent negative", IndexError, "parent", lambda s: s.profile(2, [0], U[1:], -1, U)),
    ("no parent", IndexError, "parent", lambda s: s.profile(2, [], U[2:], 0, U)),
    ("place nan", ValueError, "places", lambda s: s.profile(2, [0], U[1:], 0, np.array([NAN]))),
    ("no place", ValueError, "places", lambda s: s.profile(2, [0], U[1:], 0, np.array([]))),
    ("variable beyond", IndexError, "variable", lambda s: s.factor(3, U[:1], 1e-6)),
    ("variable negative", IndexError, "variable", lambda s: s.factor(-1, U[:1], 1e-6)),
    ("variable never set", RuntimeError, "variable", lambda s: s.factor(1, U[:1], 1e-6)),
    ("no parameters", ValueError, "u", lambda s: s.factor(0, U[:0], 1e-6)),
    ("two parameters", ValueError, "u", lambda s: s.factor(0, U[:2], 1e-6)),
    ("parameter nan", ValueError, "u", lambda s: s.factor(0, np.array([NAN]), 1e-6)),
    ("tolerance negative", ValueError, "tolerance", lambda s: s.factor(0, U[:1], -1.0)),
    ("tolerance nan", ValueError, "tolerance", lambda s: s.factor(0, U[:1], NAN)),
)
def test_calls_on_statistics(core, error, argument, call):
    refused(core, error, argument, lambda c: call(statistics(c, without=(1,))))


def pivots(**changed):
    given = {"z": UNITS, "lengthscales": np.ones(3), "constant": 1.0, "main": 1.0, "pair": 1.0}
    given |= {"tolerance": 1e-3, "most": 3} | changed
    return lambda c: c.choose_pivots(**given)


def pivot_rows(**changed):
    given = {"z": UNITS, "noise": UNITS, "target": np.ones(3), "n_left": 2.0, "rest": 1.0}
    return lambda c: c.PivotRows(**given | changed)


def pivot_likelihood(**changed):
    given = {"lengthscales": np.ones(3), "constant": 1.0, "main": 1.0, "pair": 1.0, "variance": 1.0}
    return lambda c: pivot_rows()(c).log_likelihood(**given | changed)


@check_table(
    ("no rows", ValueError, "z", pivots(z=np.empty((0, 3)))),
    ("z nan", ValueError, "z", pivots(z=NAN * UNITS)),
    ("z flat", TypeError, "z", pivots(z=np.ones(3))),
    ("lengthscales short", ValueError, "lengthscales", pivots(lengthscales=np.ones(2))),
    ("lengthscale zero", ValueError, "lengthscales", pivots(lengthscales=np.zeros(3))),
    ("lengthscale nan", ValueError, "lengthscales", pivots(lengthscales=NAN * np.ones(3))),
    ("constant negative", ValueError, "constant", pivots(constant=-1.0)),
    ("main infinite", ValueError, "main", pivots(main=INF)),
    ("pair nan", ValueError, "pair", pivots(pair=NAN)),
    ("tolerance zero", ValueError, "tolerance", pivots(tolerance=0.0)),
    ("tolerance nan", ValueError, "tolerance", pivots(tolerance=NAN)),
    ("no pivots", ValueError, "most", pivots(most=0)),
    ("no rows", ValueError, "z", pivot_rows(z=np.empty((0, 3)))),
    ("z nan", ValueError, "z", pivot_rows(z=NAN * UNITS)),
    ("noise small", ValueError, "noise", pivot_rows(noise=np.eye(2))),
    ("noise nan", ValueError, "noise", pivot_rows(noise=NAN * UNITS)),
    ("target short", ValueError, "target", pivot_rows(target=np.ones(2))),
    ("target nan", ValueError, "target", pivot_rows(target=NAN * np.ones(3))),
    ("rows negative", ValueError, "n_left", pivot_rows(n_left=-1.0)),
    ("rest nan", ValueError, "rest", pivot_rows(rest=NAN)),
    ("lengthscales long", ValueError, "lengthscales", pivot_likelihood(lengthscales=np.ones(4))),
    ("main negative", ValueError, "main", pivot_likelihood(main=-1.0)),
    ("variance zero", ValueError, "variance", pivot_likelihood(variance=0.0)),
    ("variance nan", ValueError, "variance", pivot_likelihood(variance=NAN)),
)
def test_pivot_rows(core, error, argument, call):
    refused(core, error, argument, call)


def mode(u=U, value=-20.0, hessian=-UNITS):
    return {"modes": [(u, value, hessian)]}


@check_table(
    ("node beyond", IndexError, "node", {"node": 3}),
    ("parent beyond", IndexError, "parents", {"parents": [0, 5]}),
    ("parent twice", ValueError, "parents", {"parents": [1, 1]}),
    ("own parent", ValueError, "parents", {"parents": [0, 2]}),
    ("line beyond", IndexError, "parents, lines", {"lines": [7]}),
    ("no modes", ValueError, "modes", {"modes": []}),
    ("mode short", ValueError, "modes", mode(u=U[:2])),
    ("mode long", ValueError, "modes", mode(u=np.zeros(9))),
    ("mode nan", ValueError, "modes", mode(u=np.full(3, NAN))),
    ("value nan", ValueError, "modes", mode(value=NAN)),
    ("value minus infinity", ValueError, "modes", mode(value=-INF)),
    ("hessian small", ValueError, "modes", mode(hessian=-UNITS[:2, :2])),
    ("hessian large", ValueError, "modes", mode(hessian=-np.eye(4))),
    ("hessian oblong", ValueError, "modes", mode(hessian=-UNITS[:2])),
    ("hessian nan", ValueError, "modes", mode(hessian=NAN * UNITS)),
    ("no grids", ValueError, "grids", {"grids": []}),
    ("grids short", ValueError, "grids", {"grids": [GRID]}),
    ("grids long", ValueError, "grids", {"grids": [GRID] * 3}),
    ("grid nan", ValueError, "grids", {"grids": [GRID, [NAN]]}),
    ("grid empty", ValueError, "grids", {"grids": [GRID, []]}),
)
def test_covers(core, error, argument, call):
    refused(core, error, argument, lambda c: cover(c, **call))


def test_a_cover_on_variables_never_set(core):
    refused(
        core,
        RuntimeError,
        "parents",
        lambda c: cover(c, statistics=statistics(c, without=(0,))),
    )


@check_table(
    ("net narrow", ValueError, "net", (net(columns=3), net(), 30)),
    ("net wide", ValueError, "net", (net(columns=5), net(), 30)),
    ("shifts narrow", ValueError, "shifts", (net(), net(columns=3), 30)),
    ("shifts wide", ValueError, "shifts", (net(), net(columns=5), 30)),
    ("net flat", TypeError, "net", (net()[0], net(), 30)),
    ("net of fractions", TypeError, "net", (net() / 2, net(), 30)),
    ("net negative", ValueError, "net", (-1 - net(), net(), 30)),
    ("net beyond its bits", ValueError, "net", (net(), net(), 20)),
    ("shifts beyond the bits", ValueError, "shifts", (net(n_bits=20), net(), 20)),
    ("no bits", ValueError, "n_bits", (net(), net(), 0)),
    ("bits negative", ValueError, "n_bits", (net(), net(), -1)),
    ("too many bits", ValueError, "n_bits", (net(), net(), 63)),
)
def test_weights_of_covers(core, error, argument, call):
    refused(core, error, argument, lambda c: cover(c).log_weights(*call))
