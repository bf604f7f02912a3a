"""The heat map of edge probabilities, causes first."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import CMAP, SMALL, TINY, one_axes
from gpnet.plots.layout.ranks import causal_order
from gpnet.plots.text import PLAIN, labels, text_widths

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

CELL: Final = (0.36, 0.13)  # inches: one with a number in it, and the smallest
SIDE: Final = (2.2, 8.0)  # inches of all cells
ROOM: Final = 15.0  # points of a cell that a number fits in
WORTH_A_NUMBER: Final = 0.005  # what would not be written as 0.00
DARK: Final = 0.55  # from here on numbers are white


def edges(posterior: "Posterior", ax: Axes | None = None) -> Axes:
    """A cell for each ordered pair: rows are parents, columns their children.

    Variables stand in an order along which most probability points forward: above the diagonal.
    """
    p = posterior.edge_probabilities().to_numpy()
    order = causal_order(p)
    names = labels(posterior.names)
    names = [names[node] for node in order]
    side, margin = _sizes(names)
    ax = one_axes(ax, (side + margin + 0.9, side + margin + 0.2))
    shown = p[np.ix_(order, order)]
    np.fill_diagonal(shown, np.nan)
    image = ax.imshow(shown, cmap=CMAP, vmin=0, vmax=1)
    _write_names(ax, names)
    _draw_grid(ax, len(p))
    if _cell_in_points(ax, len(p)) >= ROOM:
        _write_numbers(ax, shown)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=18, pad=0.02)
    bar.set_label("probability of the edge", size=SMALL)
    bar.ax.tick_params(labelsize=TINY, color=palette.GREY)
    bar.outline.set_visible(False)
    return ax


def _sizes(names: list[str]) -> tuple[float, float]:
    """Inches of all cells together, and of the longest name beside them."""
    side = float(np.clip(CELL[0] * len(names), *SIDE))
    return max(side, CELL[1] * len(names)), float(text_widths(names, TINY).max()) / 72 + 0.4


def _cell_in_points(ax: Axes, n_cells: int) -> float:
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return float(min(box.width, box.height) * 72 / dpi / n_cells)


def _write_names(ax: Axes, names: list[str]) -> None:
    n, cell = len(names), _cell_in_points(ax, len(names))
    size = min(TINY, 0.85 * cell)
    upright = text_widths(names, size).max() > 0.9 * cell
    ax.set_xticks(range(n), names, fontsize=size, rotation=90 if upright else 0, **PLAIN)
    ax.set_yticks(range(n), names, fontsize=size, **PLAIN)
    ax.set_xlabel("child", fontsize=SMALL)
    ax.set_ylabel("parent", fontsize=SMALL)
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()


def _draw_grid(ax: Axes, n: int) -> None:
    """Thin lines between cells, and the diagonal greyed: no variable is its own parent."""
    ax.set_facecolor(palette.FAINT)  # shines through where there is no number
    lines = np.arange(n + 1) - 0.5
    ax.set_xticks(lines, minor=True)
    ax.set_yticks(lines, minor=True)
    ax.grid(which="minor", color=palette.FAINT, linewidth=0.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_color(palette.FAINT)


def _write_numbers(ax: Axes, shown: Floats) -> None:
    for i, j in np.argwhere(shown >= WORTH_A_NUMBER).tolist():
        color = "white" if shown[i, j] > DARK else palette.INK
        size = min(TINY, 0.36 * _cell_in_points(ax, len(shown)))
        ax.text(j, i, f"{shown[i, j]:.2f}", ha="center", va="center", fontsize=size, color=color)
