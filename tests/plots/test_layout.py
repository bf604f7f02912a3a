"""Layouts: nothing overlaps, nothing runs through a box, everything is there."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from gpnet.graphs.dag import random_dag
from gpnet.plots.layout.layered import HEIGHT, layout

SIZES = [(5, 0.5), (11, 0.3), (30, 0.09), (60, 0.04)]


def random_network(n, share, seed=0):
    """Probabilities of a random DAG, some of its edges uncertain in direction; long labels."""
    rng = np.random.default_rng(seed)
    p = random_dag(n, share, rng) * rng.uniform(0.3, 1, (n, n))
    back = np.where(rng.random((n, n)) < 0.3, 1 - p.T, 0.0) * (p.T > 0)
    return p + back, rng.choice([8.0, 30.0, 150.0], n)


def boxes(placed):
    half = np.stack([placed.widths, np.full(len(placed.widths), HEIGHT)], axis=1) / 2
    return placed.positions - half, placed.positions + half


def along(route, n=60):
    """Points of the curve, by de Casteljau's construction."""
    found = []
    for k in range(0, len(route) - 1, 3):
        points = [np.repeat(p[None], n, axis=0) for p in route[k : k + 4]]
        t = np.linspace(0, 1, n)[:, None]
        while len(points) > 1:
            points = [(1 - t) * a + t * b for a, b in pairwise(points)]
        found.append(points[0])
    return np.concatenate(found)


@pytest.fixture(params=SIZES, ids=lambda size: f"n={size[0]}")
def network(request):
    p, label_widths = random_network(*request.param)
    return p, label_widths, layout(p, label_widths, 0.1)


def test_boxes_hold_their_labels_and_do_not_overlap(network):
    _, label_widths, placed = network
    low, high = boxes(placed)
    assert (placed.widths > label_widths + 10).all()
    for a, b in combinations(range(len(low)), 2):
        assert ((high[a] + 5 < low[b]) | (high[b] + 5 < low[a])).any()
    assert low.min() >= 0
    assert (high <= placed.size).all()


def test_edges_are_those_above_the_threshold(network):
    p, _, placed = network
    shown = np.zeros(p.shape, dtype=bool)
    shown[placed.edges[:, 0], placed.edges[:, 1]] = True
    np.testing.assert_array_equal(shown, p >= 0.1)
    assert (shown & shown.T).any()  # pairs of both directions among them


def test_edges_go_from_box_to_box_and_through_none(network):
    _, _, placed = network
    low, high = boxes(placed)
    for (parent, child), route in zip(placed.edges, placed.routes, strict=True):
        points = along(route)
        for end, node in ((route[0], parent), (route[-1], child)):
            assert low[node][0] < end[0] < high[node][0]
            assert abs(abs(end[1] - placed.positions[node][1]) - HEIGHT / 2) < 1e-9
        inside = (points[:, None] > low + 1e-6) & (points[:, None] < high - 1e-6)
        assert not inside.all(axis=2).any()


def test_waypoints_lie_on_the_way(network):
    _, _, placed = network
    ways = {tuple(edge): route for edge, route in zip(placed.edges, placed.routes, strict=True)}
    assert placed.waypoints
    for edge, points in placed.waypoints.items():
        curve = along(ways[edge], 101)  # odd: the middle of each piece among them
        apart = np.linalg.norm(curve[:, None] - points, axis=2)
        assert apart.min(axis=0).max() < 1e-6
        assert (np.diff(apart.argmin(axis=0)) > 0).all()  # in the order of the way
    assert all(len(ways[edge]) == 10 for edge in ways if edge not in placed.waypoints)


def test_both_directions_of_a_pair_have_a_way_of_their_own(network):
    _, _, placed = network
    ways = {tuple(edge): route for edge, route in zip(placed.edges, placed.routes, strict=True)}
    pairs = [(a, b) for a, b in ways if a < b and (b, a) in ways]
    assert pairs
    for a, b in pairs:
        there, back = along(ways[a, b]), along(ways[b, a])[::-1]
        assert np.abs(there - back)[:, 0].min() > 3


def test_ends_do_not_lie_on_each_other(network):
    _, _, placed = network
    ends = np.array([point for route in placed.routes for point in (route[0], route[-1])])
    apart = np.abs(ends[:, None] - ends).max(axis=2) + 100 * np.eye(len(ends))
    assert apart.min() > 5


def test_causes_stand_above_effects():
    p = random_dag(20, 0.15, np.random.default_rng(2)) * 0.9
    y = layout(p, np.full(20, 20.0), 0.5).positions[:, 1]
    parent, child = np.nonzero(p)
    assert (y[parent] + HEIGHT < y[child]).all()


def test_nodes_without_edges_stand_below():
    p = np.zeros((40, 40))
    p[0, 1] = p[1, 2] = 1
    placed = layout(p, np.full(40, 30.0), 0.5)
    assert placed.positions[3:, 1].min() > placed.positions[:3, 1].max() + HEIGHT
    assert placed.size[0] < 620  # in lines, not in one


def test_a_chain_is_a_straight_line():
    placed = layout(np.eye(6, k=1), np.full(6, 20.0), 0.5)
    assert np.ptp(placed.positions[:, 0]) < 1e-6
    assert all(np.ptp(route[:, 0]) < 1e-6 for route in placed.routes)


def test_the_same_twice():
    p, widths = random_network(30, 0.09)
    one, two = layout(p, widths, 0.1), layout(p, widths, 0.1)
    np.testing.assert_array_equal(one.positions, two.positions)
    for a, b in zip(one.routes, two.routes, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_no_edges_at_all(n):
    placed = layout(np.zeros((n, n)), np.full(n, 40.0), 0.0)
    low, high = boxes(placed)
    for a, b in combinations(range(n), 2):
        assert ((high[a] + 5 < low[b]) | (high[b] + 5 < low[a])).any()
    assert placed.routes == []
