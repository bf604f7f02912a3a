"""Where the nodes and edges of a network go; arrays only, knows nothing of what draws them.

A layered drawing: causes above effects in ranks, edges that pass a rank go between its nodes
(Sugiyama, Tagawa & Toda 1981). Lengths are those of the labels' widths, in points of a font of 10:
x goes to the right, y goes down, both from 0.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from gpnet.common.types import Floats
from gpnet.plots.layout.crossings import untangle
from gpnet.plots.layout.ranks import causal_order, fold, rank

HEIGHT: Final = 20.0  # of a box
MARGIN: Final = 8.0  # left and right of a label in its box
APART: Final = 16.0  # two boxes beside each other
LANE: Final = 11.0  # two edges beside each other
STUB: Final = 9.0  # an edge leaves and enters straight: room for the head of an arrow
STEEP: Final = 0.16  # of the widest step to a side, that ranks are further apart
GAPS: Final = (52.0, 120.0)  # the smallest and largest distance between boxes of two ranks
STRAIGHT: Final = 8.0  # how much more edges want to be straight where they pass ranks
CENTRED: Final = 0.02  # how much everything wants to the middle
SETTLED: Final = 80  # sweeps until all stand well
LINE: Final = 600.0  # width of a line of nodes that needs no second one
WIDE: Final = 130.0  # times the width of all nodes in one line: the square of a page's width


@dataclass(frozen=True, eq=False)
class Layout:
    """Boxes of nodes and curves of edges; nothing runs through a box."""

    positions: Floats  # (n, 2): the middle of each box
    widths: Floats  # (n,): of the boxes, which are HEIGHT high
    edges: NDArray[np.intp]  # (E, 2): parent and child of what is shown
    routes: list[Floats]  # of each edge (3 k + 1, 2): k cubic Bezier curves, end to end
    waypoints: dict[tuple[int, int], Floats]  # of (parent, child): (k, 2), in the ranks it passes
    size: tuple[float, float]  # width and height of all


def layout(probabilities: Floats, label_widths: Floats, threshold: float) -> Layout:
    """Of the edges (n, n), [parent, child], that are at least as probable as the threshold.

    Two edges between a pair have a route each. Nodes without edges stand below all others.
    """
    p = np.where(np.eye(len(probabilities), dtype=bool), 0.0, probabilities)
    edges = np.argwhere((p >= threshold) & (p > 0))
    place = np.argsort(causal_order(p))
    backward = place[edges[:, 0]] > place[edges[:, 1]]
    widths = _box_widths(label_widths, edges, backward)
    chains = _Chains.of(p, edges, backward, widths)
    x, layers = _settle(chains, widths)
    y, bottom = _heights(chains, x)
    routes = _routes(chains, edges, x, y, widths)
    positions = np.stack([x, y], axis=1)[: len(p)]
    alone = np.setdiff1d(np.arange(len(p)), edges)
    positions[alone] = _lines(widths[alone], _extent(layers, x, widths), bottom)
    return _framed(positions, widths, edges, routes, _waypoints(chains, edges, x, y))


@dataclass(frozen=True, eq=False)
class _Chains:
    """Edges cut into links from rank to rank, over vertices: nodes, then the points passed."""

    rank: NDArray[np.intp]  # (V,): of each vertex; -1 for nodes without edges
    paths: list[list[int]]  # of each edge its vertices, from top to bottom
    backward: NDArray[np.bool_]  # (E,): whether the edge points up

    @classmethod
    def of(
        cls,
        p: Floats,
        edges: NDArray[np.intp],
        backward: NDArray[np.bool_],
        widths: Floats,
    ) -> "_Chains":
        """Nodes by rank, in ranks that are not too wide for a page."""
        down = np.where(backward[:, None], edges[:, ::-1], edges)
        ranks = np.full(len(p), -1)
        joined, numbers = np.unique(down, return_inverse=True)
        down = numbers.reshape(-1, 2)
        flat = rank(len(joined), down, p[edges[:, 0], edges[:, 1]])
        room = widths[joined] + APART
        widest = max(LINE, np.sqrt(WIDE * room.sum()))
        ranks[joined] = fold(flat, down, room, widest)
        of_vertices, paths = ranks.tolist(), []
        for top, bottom in joined[down].tolist():
            passed = range(ranks[top] + 1, ranks[bottom])
            points = range(len(of_vertices), len(of_vertices) + len(passed))
            of_vertices += passed
            paths.append([top, *points, bottom])
        return cls(np.array(of_vertices, dtype=np.intp), paths, backward)

    @property
    def links(self) -> NDArray[np.intp]:
        """(L, 2): upper and lower vertex of each."""
        pairs = [pair for path in self.paths for pair in pairwise(path)]
        return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def _box_widths(
    label_widths: Floats, edges: NDArray[np.intp], backward: NDArray[np.bool_]
) -> Floats:
    """Room for the label, and for all edges side by side above and below."""
    down = np.where(backward[:, None], edges[:, ::-1], edges)
    ports = np.zeros((2, len(label_widths)))
    np.add.at(ports[0], down[:, 0], 1)
    np.add.at(ports[1], down[:, 1], 1)
    return np.asarray(np.maximum(label_widths + 2 * MARGIN, (ports.max(axis=0) + 1) * LANE))


# Places along a rank


def _settle(chains: _Chains, widths: Floats) -> tuple[Floats, list[NDArray[np.intp]]]:
    """x (V,) of all vertices, and the vertices of each rank from left to right.

    The least sum of squared steps to a side that keeps the order and the distances in each rank:
    one rank at a time, where it is an isotonic regression, down and up until all have settled.
    """
    n_ranks, links = int(chains.rank.max(initial=-1)) + 1, chains.links
    members = [np.flatnonzero(chains.rank == r) for r in range(n_ranks)]
    joined = np.zeros((len(chains.rank), len(chains.rank)))
    passed = (links >= len(widths)).sum(axis=1)
    np.add.at(joined, (links[:, 0], links[:, 1]), np.array([1, 2, STRAIGHT])[passed])
    gaps = [joined[np.ix_(a, b)] > 0 for a, b in pairwise(members)]
    orders = untangle(gaps, [len(some) for some in members])
    layers = [some[order] for some, order in zip(members, orders, strict=True)]
    pull, x = joined + joined.T, np.zeros(len(chains.rank))
    steps = [_steps(layer, widths) for layer in layers]
    for sweep in range(SETTLED):
        for r in range(n_ranks)[:: 1 if sweep % 2 == 0 else -1]:
            layer = layers[r]
            strength = pull[layer].sum(axis=1) + CENTRED
            wanted = pull[layer] @ x / strength
            offset = np.concatenate([[0], np.cumsum(steps[r])])
            x[layer] = isotonic_regression(wanted - offset, weights=strength).x + offset
    return x, layers


def _steps(layer: NDArray[np.intp], widths: Floats) -> Floats:
    """The least distances of neighbours in a rank."""
    is_box = layer < len(widths)
    half = np.where(is_box, widths[np.where(is_box, layer, 0)], 0.0) / 2
    room = np.where(is_box[:-1] & is_box[1:], APART, LANE)
    return np.asarray(half[:-1] + half[1:] + room)


# Heights


def _heights(chains: _Chains, x: Floats) -> tuple[Floats, float]:
    """y (V,), and where the next rank would begin: ranks are apart as far as edges go aside."""
    links, n_ranks = chains.links, int(chains.rank.max(initial=-1)) + 1
    aside = np.zeros(n_ranks)
    np.maximum.at(aside, chains.rank[links[:, 0]], np.abs(np.diff(x[links], axis=1)[:, 0]))
    apart = HEIGHT + np.clip(GAPS[0] + STEEP * (aside - GAPS[0]), *GAPS)
    tops = np.concatenate([[0], np.cumsum(apart)])
    return tops[np.maximum(chains.rank, 0)], float(tops[-1])


def _extent(layers: list[NDArray[np.intp]], x: Floats, widths: Floats) -> tuple[float, float]:
    """The left and right end of all ranks."""
    boxes = np.concatenate([np.empty(0, dtype=np.intp), *layers])
    boxes = boxes[boxes < len(widths)]
    if not len(boxes):
        return 0.0, 0.0
    return (
        float((x[boxes] - widths[boxes] / 2).min()),
        float((x[boxes] + widths[boxes] / 2).max()),
    )


def _lines(widths: Floats, extent: tuple[float, float], top: float) -> Floats:
    """(k, 2): boxes in lines, as text is set, each line in the middle."""
    middle, room = sum(extent) / 2, max(extent[1] - extent[0], LINE)
    lines: list[list[int]] = [[]]
    for box, width in enumerate(widths):
        used = widths[lines[-1]].sum() + APART * len(lines[-1])
        if lines[-1] and used + width > room:
            lines.append([])
        lines[-1].append(box)
    places = np.empty((len(widths), 2))
    for number, line in enumerate(lines):
        ends = np.cumsum(widths[line] + APART)
        total = ends[-1] - APART if line else 0.0
        places[line, 0] = middle - total / 2 + ends - APART - widths[line] / 2
        places[line, 1] = top + number * (HEIGHT + APART)
    return places


# Curves


def _routes(
    chains: _Chains, edges: NDArray[np.intp], x: Floats, y: Floats, widths: Floats
) -> list[Floats]:
    """Straight through the height of a rank, and in the shape of an S between two of them."""
    leaving, entering = _ports(chains, x, widths)
    routes = []
    for edge, path in enumerate(chains.paths):
        across = np.array([leaving[edge], *x[path[1:-1]], entering[edge]])
        room = np.full(len(path), HEIGHT / 2)
        room[[0, -1]] += STUB  # also straight, so that heads of arrows are
        upper, lower = y[path] - room, y[path] + room
        points = [(across[0], y[path[0]] + HEIGHT / 2), (across[0], lower[0])]
        for k in range(1, len(path)):
            points += [(across[k], upper[k]), (across[k], lower[k])]
        points[-1] = (across[-1], y[path[-1]] - HEIGHT / 2)
        curve = _bezier(np.array(points))
        routes.append(curve[::-1] if chains.backward[edge] else curve)
    return routes


def _ports(chains: _Chains, x: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """(E,) each: where edges leave a box below and enter one above, in the order of where they go.

    Those of a pair keep the same order at both ends: they do not cross.
    """
    found = []
    for end, step in ((0, 1), (-1, -2)):
        places = np.empty(len(chains.paths))
        boxes = np.array([path[end] for path in chains.paths], dtype=np.intp)
        toward = np.array([x[path[step]] for path in chains.paths])
        for box in np.unique(boxes):
            mine = np.flatnonzero(boxes == box)
            mine = mine[np.argsort(np.round(toward[mine], 6), kind="stable")]
            room = min(2 * LANE, (widths[box] - LANE) / len(mine))
            places[mine] = x[box] + room * (np.arange(len(mine)) - (len(mine) - 1) / 2)
        found.append(places)
    return found[0], found[1]


def _bezier(points: Floats) -> Floats:
    """(3 k + 1, 2): cubic curves through k + 1 points, each of them passed straight down."""
    start, end = points[:-1], points[1:]
    middle = (start[:, 1] + end[:, 1]) / 2
    first, second = start.copy(), end.copy()
    first[:, 1] = second[:, 1] = middle
    pieces = np.stack([first, second, end], axis=1).reshape(-1, 2)
    return np.concatenate([points[:1], pieces])


def _waypoints(
    chains: _Chains, edges: NDArray[np.intp], x: Floats, y: Floats
) -> dict[tuple[int, int], Floats]:
    """In the order from parent to child; of edges that pass a rank."""
    found = {}
    for (parent, child), path, backward in zip(
        edges.tolist(), chains.paths, chains.backward, strict=True
    ):
        passed = path[1:-1][:: -1 if backward else 1]
        if passed:
            found[parent, child] = np.stack([x[passed], y[passed]], axis=1)
    return found


def _framed(
    positions: Floats,
    widths: Floats,
    edges: NDArray[np.intp],
    routes: list[Floats],
    waypoints: dict[tuple[int, int], Floats],
) -> Layout:
    """All of it from 0 on, and how large it is."""
    half = np.stack([widths, np.full(len(widths), HEIGHT)], axis=1) / 2
    everything = np.concatenate([positions - half, positions + half, *routes])
    low, high = everything.min(axis=0), everything.max(axis=0)
    return Layout(
        positions - low,
        widths,
        edges,
        [route - low for route in routes],
        {edge: points - low for edge, points in waypoints.items()},
        (float(high[0] - low[0]), float(high[1] - low[1])),
    )
