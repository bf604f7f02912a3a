"""The network: edges as wide and as dark as they are probable, causes above effects."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Polygon
from matplotlib.text import Text

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import one_axes
from gpnet.plots.layout.layered import HEIGHT, Layout, layout
from gpnet.plots.text import PLAIN, labels, text_widths

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

FONT: Final = 10.0  # points of a name; layout's lengths are in the same
EDGE: Final = (0.5, 3.0)  # width of an edge of probability 0 and of 1
DARK: Final = (0.15, 0.95)  # its opacity
HEAD: Final = (4.5, 9.5, 7.5)  # of an arrow: width at probability 0 and 1, and its length
BORDER: Final = 10.0  # around everything
KEY: Final = (250.0, 34.0)  # width and height of the key below
SMALLEST: Final = (4.0, 2.4)  # inches of a figure
LARGEST: Final = (16.0, 16.0)  # beyond which everything is drawn smaller
ENLARGED: Final = 1.4  # at most, in axes that are larger than needed


def network(posterior: "Posterior", threshold: float = 0.1, ax: Axes | None = None) -> Axes:
    """All variables, and the edges at least as probable as the threshold."""
    if not 0 <= threshold <= 1:
        raise OptionError(f"threshold: a probability from 0 to 1, found {quote(threshold)}")
    p, names = posterior.edge_probabilities().to_numpy(), labels(posterior.names)
    placed = layout(p, text_widths(names, FONT), threshold)
    ax = one_axes(ax, _inches(placed))
    ax.set_axis_off()
    _set_limits(ax, placed)
    for (parent, child), route in zip(placed.edges.tolist(), placed.routes, strict=True):
        arrow = _arrow(_sampled(route), p[parent, child], gid=f"edge-{parent}-{child}")
        ax.add_patch(arrow)
    for node, name in enumerate(names):
        _draw_node(ax, placed, node, name)
    _draw_key(ax, placed, threshold)
    return ax


class ScaledText(Text):
    """Text that grows and shrinks with the axes, so that it stays in its box."""

    def __init__(self, ax: Axes, x: float, y: float, text: str, **options: Any) -> None:
        options |= {"ha": "center", "va": "center_baseline", **PLAIN}
        super().__init__(x, y, text, **options)
        self.within, self.in_units = ax, self.get_fontsize()
        ax.add_artist(self)

    def _fit(self) -> None:
        (_, low), (_, high) = self.within.transData.transform([(0, 0), (0, 1)])
        size = self.in_units * abs(high - low) * 72 / self.within.figure.dpi
        if abs(size - self.get_fontsize()) > 1e-3 * size:
            self.set_fontsize(size)

    def draw(self, renderer: Any) -> None:
        """As large as the axes say now."""
        self._fit()
        super().draw(renderer)

    def get_window_extent(self, *args: Any, **options: Any) -> Any:
        """As it will be drawn."""
        self._fit()
        return super().get_window_extent(*args, **options)


# Size


def _needed(placed: Layout) -> Floats:
    """Width and height of network, key and border."""
    width, height = placed.size
    return np.array([max(width, KEY[0]), height + KEY[1]]) + 2 * BORDER


def _inches(placed: Layout) -> tuple[float, float]:
    width, height = _needed(placed).tolist()
    shrunk = min(1.0, LARGEST[0] * 72 / width, LARGEST[1] * 72 / height)
    return max(SMALLEST[0], width * shrunk / 72), max(SMALLEST[1], height * shrunk / 72)


def _set_limits(ax: Axes, placed: Layout) -> None:
    """Everything in, y going down, and names not much larger than meant."""
    needed = _needed(placed)
    box = ax.get_window_extent()
    there = np.array([box.width, box.height]) * 72 / ax.figure.dpi / ENLARGED
    spare = np.maximum(there - needed, 0)
    low = np.array([(placed.size[0] - needed[0]) / 2, -BORDER]) - spare / 2
    high = low + needed + spare
    ax.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]), aspect="equal")


# Shapes


def _draw_node(ax: Axes, placed: Layout, node: int, name: str) -> None:
    (x, y), width = placed.positions[node], placed.widths[node]
    alone = node not in placed.edges
    box = FancyBboxPatch(
        (x - width / 2 + 5, y - HEIGHT / 2 + 5),
        width - 10,
        HEIGHT - 10,
        boxstyle="round,pad=5",
        facecolor="white" if alone else palette.PAPER,
        edgecolor=palette.FAINT if alone else palette.GREY,
        linewidth=0.8,
        gid=f"node-{node}",
    )
    ax.add_patch(box)
    ScaledText(ax, x, y, name, fontsize=FONT, color=palette.GREY if alone else palette.INK)


def _between(ends: tuple[float, float], probability: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * probability


def _sampled(route: Floats) -> Floats:
    """(m, 2): points of cubic Bezier curves, end to end."""
    t = np.linspace(0, 1, 24)[:, None]
    basis = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
    pieces = []
    for k in range(0, len(route) - 1, 3):
        piece = sum(b * point for b, point in zip(basis, route[k : k + 4], strict=True))
        pieces.append(piece if k == 0 else piece[1:])
    return np.concatenate(pieces)


def _arrow(points: Floats, probability: float, **options: Any) -> Polygon:
    """One shape for shaft and head: where it is transparent, nothing of it lies twice."""
    width, head = _between(EDGE, probability), _between(HEAD[:2], probability)
    back = np.linalg.norm(points - points[-1], axis=1)
    shaft = np.concatenate([points[back > HEAD[2]], _on_the_way(points, HEAD[2])[None]])
    along = np.gradient(shaft, axis=0)
    along[-1] = points[-1] - shaft[-1]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    aside = along[:, ::-1] * [1, -1] / 2
    outline = [
        shaft + width * aside,
        shaft[-1:] + head * aside[-1:],
        points[-1:],
        shaft[-1:] - head * aside[-1:],
        (shaft - width * aside)[::-1],
    ]
    return Polygon(
        np.concatenate(outline),
        facecolor=palette.ACCENT,
        alpha=_between(DARK, probability),
        linewidth=0,
        **options,
    )


def _on_the_way(points: Floats, distance: float) -> Floats:
    """The point so far from the end, which is reached straight."""
    back = points[-2] - points[-1]
    return np.asarray(points[-1] + distance * back / np.linalg.norm(back))


# The key


def _draw_key(ax: Axes, placed: Layout, threshold: float) -> None:
    """What width and darkness mean, below everything."""
    shown = sorted({round(threshold, 2), 0.5, 1.0} - {0.0})
    step, y = 58.0, placed.size[1] + KEY[1] - 8
    start = placed.size[0] / 2 - (step * len(shown) + 62) / 2
    ScaledText(ax, start + 28, y, "probability", fontsize=8, color=palette.GREY)
    for k, probability in enumerate(shown):
        x = start + 62 + k * step
        ax.add_patch(_arrow(np.linspace((x, y), (x + 24, y), 24), probability, gid="key"))
        ScaledText(ax, x + 38, y, f"{probability:g}", fontsize=8, color=palette.GREY)
