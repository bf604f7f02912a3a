"""Where the variables of a network stand: causes above effects, few crossings; arrays only."""

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpnet.types import Floats

GAP: Final = 34.0  # between labels of a rank
RANK: Final = 92.0  # from rank to rank
SWEEPS: Final = 24
PASSING: Final = 14.0  # the width that an edge takes where it passes a rank


class Layout(NamedTuple):
    """Positions, y growing downwards; the points an edge passes on its way over ranks."""

    positions: Floats  # (n, 2): the middle of each label
    waypoints: dict[tuple[int, int], Floats]  # of (parent, child): (k, 2), without its ends


def layout(probabilities: Floats, label_widths: Floats, threshold: float) -> Layout:
    """By the edges of this probability or more; where there is a cycle the weaker gives way."""
    shown = np.where(probabilities >= threshold, probabilities, 0.0)
    place = np.argsort(_order(shown), kind="stable")
    down = (shown > 0) & (place[:, None] < place[None, :])
    rank = _ranks(down, _order(shown))
    rows, chains = _rows(down, rank)
    widths = np.concatenate([label_widths, np.full(sum(map(len, chains.values())), PASSING)])
    links = _links(chains)
    _untangle(rows, links)
    x = _across(rows, links, widths)
    y = np.empty(len(widths))
    for level, row in enumerate(rows):
        y[row] = level * RANK
    points = np.stack([x, y], axis=1)
    n = len(label_widths)
    return Layout(
        points[:n], {edge: points[between] for edge, between in chains.items() if between}
    )


def _order(p: Floats) -> NDArray[np.intp]:
    """Nodes from first to last: again and again the one that gives most and takes least."""
    left, order = list(range(len(p))), []
    while left:
        balance = p[np.ix_(left, left)].sum(axis=1) - p[np.ix_(left, left)].sum(axis=0)
        order.append(left.pop(int(np.argmax(balance))))
    return np.array(order, dtype=np.intp)


def _ranks(down: NDArray[np.bool_], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The longest way from the top; then sources come down to just above their first child."""
    rank = np.zeros(len(down), dtype=np.intp)
    for node in order:
        rank[node] = max((rank[p] + 1 for p in np.flatnonzero(down[:, node])), default=0)
    for node in order[::-1]:
        children = np.flatnonzero(down[node])
        if len(children):
            rank[node] = rank[children].min() - 1
    return rank - rank.min() if len(rank) else rank


def _rows(
    down: NDArray[np.bool_], rank: NDArray[np.intp]
) -> tuple[list[list[int]], dict[tuple[int, int], list[int]]]:
    """Who stands on each rank, passing edges included; these by edge."""
    rows = [np.flatnonzero(rank == level).tolist() for level in range(int(rank.max()) + 1)]
    chains: dict[tuple[int, int], list[int]] = {}
    number = len(rank)
    for i, j in np.argwhere(down).tolist():
        between = list(range(number, number + int(rank[j] - rank[i]) - 1))
        for level, passing in enumerate(between, start=int(rank[i]) + 1):
            rows[level].append(passing)
        chains[i, j] = between
        number += len(between)
    return rows, chains


def _links(chains: dict[tuple[int, int], list[int]]) -> dict[int, list[int]]:
    """The neighbours of each, above and below."""
    links: dict[int, list[int]] = {}
    for (i, j), between in chains.items():
        stops = [i, *between, j]
        for a, b in pairwise(stops):
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return links


def _untangle(rows: list[list[int]], links: dict[int, list[int]]) -> None:
    """Each goes to the middle of its neighbours, rank by rank, down and up."""
    place = {node: k - len(row) / 2 for row in rows for k, node in enumerate(row)}
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            middle = {
                v: np.mean([place[u] for u in links[v]]) if v in links else place[v] for v in row
            }
            row.sort(key=lambda v: (middle[v], v))
            for k, node in enumerate(row):
                place[node] = k - len(row) / 2


def _across(rows: list[list[int]], links: dict[int, list[int]], widths: Floats) -> Floats:
    """Near the neighbours, and never closer than the labels allow."""
    x = np.zeros(len(widths))
    for row in rows:
        x[row] = _apart(np.zeros(len(row)), widths[row])
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wish = np.array([np.mean(x[links[v]]) if v in links else x[v] for v in row])
            x[row] = _apart(wish, widths[row])
    return x


def _apart(wish: Floats, widths: Floats) -> Floats:
    """As near to the wishes as the widths allow, in the same order: pool adjacent violators."""
    start = np.concatenate([[0.0], np.cumsum((widths[1:] + widths[:-1]) / 2 + GAP)])
    means: list[float] = []
    sizes: list[int] = []
    for value in (wish - start).tolist():
        mean, size = value, 1
        while means and means[-1] >= mean:
            mean = (mean * size + means[-1] * sizes[-1]) / (size + sizes[-1])
            size += sizes[-1]
            means.pop(), sizes.pop()
        means.append(mean)
        sizes.append(size)
    return np.asarray(start + np.repeat(means, sizes))
