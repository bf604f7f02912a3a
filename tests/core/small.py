"""Both builds of the core, and small objects of each that are as they should be."""

from functools import cache

import numpy as np

from gpnet._core import _baseline
from gpnet.gp.basis import BAND, SHORTEST, build_basis
from gpnet.gp.components.squared_exponential import SquaredExponential

BUILDS = {"baseline": _baseline}
if _baseline.has_avx2():
    from gpnet._core import _avx2

    BUILDS["avx2"] = _avx2

N = 3  # nodes
ROWS = 20


# Tables over parent sets


def others(node, n=N):
    return [u for u in range(n) if u != node]


def node_sets(node, n=N, **changed):
    """Arguments of set_node: all sets of the other nodes."""
    masks = np.arange(2 ** (n - 1), dtype=np.uint64)
    given = {
        "node": node,
        "candidates": others(node, n),
        "masks": masks,
        "plus_one": np.full(len(masks), -1, dtype=np.int32),
        "log_scores": -np.random.default_rng(node).random(len(masks)),
    }
    return given | changed


def tables(core, kind="ParentSums", n=N, n_set=None, plus_one=False):
    """Sums or best sets of which the first `n_set` nodes are set."""
    found = getattr(core, kind)(n, plus_one)
    for node in range(n if n_set is None else n_set):
        found.set_node(**node_sets(node, n))
    return found


def without_sets_of_two(core):
    """Sums in whose support no node has two parents."""
    found = core.ParentSums(N, False)
    for node in range(N):
        scores = np.array([0.0, 0.0, 0.0, -np.inf])
        found.set_node(**node_sets(node, log_scores=scores))
    return found


def plus_one_sets(node, **changed):
    """The next node as candidate, the one after it from outside."""
    outside = (node + 2) % N
    given = {
        "node": node,
        "candidates": [(node + 1) % N],
        "masks": np.array([0, 1, 0, 1], dtype=np.uint64),
        "plus_one": np.array([-1, -1, outside, outside], dtype=np.int32),
        "log_scores": -np.random.default_rng(node).random(4),
    }
    return given | changed


def set_scores(core, n=N, n_set=None, candidates=others):
    found = core.SetScores(n, n - 1)
    for node in range(n if n_set is None else n_set):
        inside = candidates(node, n)
        n_sets = 2 ** len(inside)
        found.set_node(node, inside, [], np.zeros(n_sets))
    return found


# Chains


def dag(*edges, n=N):
    found = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        found[parent, child] = True
    return found


EMPTY = dag()
PATH = dag((0, 1), (1, 2))
CYCLE = dag((0, 1), (1, 2), (2, 0))
TWO_PARENTS = dag((0, 2), (1, 2))
KINDS = ["partition", "partition_order", "order", "structure"]
RATES = {"partition": "walk_rate", "partition_order": "walk_rate", "structure": "reversal_rate"}


def chain(core, kind="partition", **changed):
    """With any argument changed; those that a kind lacks are left out."""
    given = {
        "sums": changed.pop("sums", None) or tables(core),
        "starts": np.array([EMPTY, PATH]),
        "betas": [1.0, 1.0],
        "swap_every": 3,
        "seed": 1,
        **({RATES[kind]: 0.1} if kind in RATES else {}),
    } | changed
    if kind == "structure":
        given.setdefault("scores", set_scores(core))
    return getattr(core, f"{kind}_chain")(**given)


# Exact sums


def exact_node(node, n=N, **changed):
    """Arguments of add_node."""
    universe = (1 << n) - 1 - (1 << node)
    sets = np.array([s for s in range(1 << n) if not s & ~universe], dtype=np.uint32)
    given = {
        "universe": universe,
        "sets": sets,
        "log_weights": -np.random.default_rng(node).random(len(sets)),
        "keep_sets": True,
    }
    return given | changed


def exact(core, n=N, *, n_added=None, forward=False, backward=False, prepared=False, **changed):
    found = core.ExactDags(n)
    for node in range(n if n_added is None else n_added):
        found.add_node(**exact_node(node, n, **changed))
    if forward or backward or prepared:
        found.forward(3**n)
    if backward:
        found.backward(3**n)
    if prepared:
        found.prepare_draws()
    return found


# Gaussian processes


@cache
def data():
    values = np.random.default_rng(0).standard_normal((ROWS, N))
    values[:, 2] += np.sin(2 * values[:, 0])
    return values


@cache
def basis(j):
    return build_basis(data()[:, j], SquaredExponential())


def panels(j, **changed):
    """Arguments of PanelRows, with all rows kept."""
    own, every = basis(j).rows, np.arange(ROWS)
    starts, panel = np.unique(own.starts(every), return_inverse=True)
    given = {
        "z": data()[:, j],
        "panel": panel.astype(np.int32),
        "starts": starts.astype(np.int32),
        "nodes": np.zeros((len(starts), own.width)),
        "weights": np.zeros((len(starts), own.width)),
        "kept": every,
        "values": own.some(every),
    }
    return given | changed


def variable(core, j, **changed):
    """Arguments of set_variable."""
    own = basis(j)
    projected = own.project(np.column_stack([np.ones(ROWS), data()]))
    given = {
        "index": j,
        "rows": core.PanelRows(**panels(j)),
        "coordinates": own.coordinates,
        "bands": [(band.size, band.root, band.log_left) for band in own.bands],
        "line": own.line,
        "ones": projected[:, 0],
        "targets": projected[:, 1:],
    }
    return given | changed


def table_of(core, **changed):
    """Statistics without any variable."""
    given = {
        "n_rows": ROWS,
        "log_shortest": np.log(SHORTEST),
        "band_width": BAND,
        "mean_sd": 1.0,
        "amplitude": False,
        "line": 0.0,
        "line_parameter": False,
        "priors": [(2.0, 2.0)],
        "noise": (1.0, 1.0),
        "slope_variance": 1.0,
        "target_sums": data().sum(axis=0),
        "target_squares": (data() ** 2).sum(axis=0),
    }
    return core.Statistics(**given | changed)


def statistics(core, *, without=(), **changed):
    found = table_of(core, **changed)
    for j in range(N):
        if j not in without:
            found.set_variable(**variable(core, j))
    return found


U = np.array([0.1, 0.2, -0.5])  # of node 2 given 0 and 1
GRID = [0.0, 1.0]


def cover(core, **changed):
    """Of node 2 given 0 and 1."""
    given = {
        "statistics": changed.pop("statistics", None) or statistics(core),
        "node": 2,
        "parents": [0, 1],
        "modes": [(U, -20.0, -np.eye(3))],
        "grids": [GRID, GRID],
    }
    return core.Cover(**given | changed)


def net(rows=4, columns=4, n_bits=30, seed=0):
    return np.random.default_rng(seed).integers(2**n_bits, size=(rows, columns))
