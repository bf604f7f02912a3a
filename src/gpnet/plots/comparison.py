"""Two posteriors of the same variables, edge against edge."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quoted
from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import TINY, diagonal, headline, one_axes, tidy
from gpnet.plots.text import PLAIN, labels, text_widths

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIDE: Final = 3.9  # inches, without the list
NAMED: Final = 8  # edges with their names
NOTABLE: Final = 0.02  # a difference that is worth a name
TOGETHER: Final = 0.04  # marks nearer than that share a place for their numbers


def comparison(
    posterior: "Posterior",
    other: "Posterior",
    titles: Sequence[str] = ("this posterior", "the other"),
    ax: Axes | None = None,
) -> Axes:
    """A mark for each ordered pair, with standard errors; the largest differences are named."""
    x, x_errors = _edges(posterior, posterior.names)
    y, y_errors = _edges(other, posterior.names)
    pairs = _largest(x, y)
    lines = _lines(posterior.names, x, y, pairs)
    ax = one_axes(ax, (SIDE + 0.7 + 1.05 * text_widths(lines, TINY).max(initial=0.0) / 72, SIDE))
    diagonal(ax)
    _mark(ax, x, y, (x_errors, y_errors))
    _number(ax, x, y, pairs)
    _list(ax, lines)
    ax.set_xlabel(f"probability of an edge, {titles[0]}", **PLAIN)
    ax.set_ylabel(f"probability, {titles[1]}", **PLAIN)
    headline(ax, f"edges differ by {np.abs(x - y).max():.2f} at most")
    tidy(ax)
    return ax


def _mark(ax: Axes, x: Floats, y: Floats, errors: tuple[Floats, Floats]) -> None:
    ax.errorbar(
        x.ravel(),
        y.ravel(),
        xerr=errors[0].ravel(),
        yerr=errors[1].ravel(),
        fmt="o",
        color=palette.ACCENT,
        alpha=0.6,
        markersize=4,
        markeredgewidth=0,
        elinewidth=0.8,
    )


def _edges(posterior: "Posterior", names: tuple[str, ...]) -> tuple[Floats, Floats]:
    """(n, n) each: probabilities and errors, in the order of the names."""
    if set(posterior.names) != set(names):
        raise OptionError(
            f"other: expected a posterior of the same variables, {quoted(names)}; found "
            f"{quoted(posterior.names)}"
        )
    order = [posterior.names.index(name) for name in names]
    frames = posterior.edge_probabilities(), posterior.edge_errors()
    p, error = (frame.to_numpy()[np.ix_(order, order)] for frame in frames)
    return p, error


def _largest(x: Floats, y: Floats) -> NDArray[np.intp]:
    """(k, 2): parent and child where the difference is notable, the largest first."""
    apart = np.abs(x - y)
    flat = np.argsort(-apart, axis=None, kind="stable")[:NAMED]
    pairs = np.stack(np.unravel_index(flat, x.shape), axis=1)
    return pairs[apart[pairs[:, 0], pairs[:, 1]] > NOTABLE]


def _lines(names: Sequence[str], x: Floats, y: Floats, pairs: NDArray[np.intp]) -> list[str]:
    short = labels(names, 16)
    return [
        f"{number}  {short[i]} → {short[j]}  {x[i, j]:.2f} | {y[i, j]:.2f}"
        for number, (i, j) in enumerate(pairs.tolist(), start=1)
    ]


def _number(ax: Axes, x: Floats, y: Floats, pairs: NDArray[np.intp]) -> None:
    """Marks of another colour, each with its number; those that lie together share a place."""
    at: dict[tuple[float, float], dict[str, float]] = {}  # by place: numbers, each with its x
    for number, (i, j) in enumerate(pairs.tolist(), start=1):
        here = float(x[i, j]), float(y[i, j])
        near = [p for p in at if np.hypot(p[0] - here[0], p[1] - here[1]) < TOGETHER]
        at.setdefault(near[0] if near else here, {})[str(number)] = here[0]
        ax.plot(*here, "o", markersize=5, color=palette.SECOND, zorder=3)
    for place, numbers in at.items():
        left = place[0] > 0.5
        outermost = (min if left else max)(numbers.values())  # beside all of them, and on none
        ax.annotate(
            ", ".join(numbers),
            (outermost, place[1]),
            (-6 if left else 6, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=TINY,
            color=palette.SECOND,
        )


def _list(ax: Axes, lines: list[str]) -> None:
    """Names beside the axes, where they cover nothing."""
    ax.annotate(
        "\n".join(lines),
        (1, 1),
        (8, 0),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=TINY,
        linespacing=1.6,
        **PLAIN,
    )
