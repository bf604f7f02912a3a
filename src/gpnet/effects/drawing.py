"""The picture of an effect: its mean with its band, and the spread of the target.

Imported when it is asked for, as matplotlib takes long to import.
"""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from gpnet.plots import palette
from gpnet.plots.base import SMALL, headline, one_axes, tidy
from gpnet.plots.text import PLAIN, labels

if TYPE_CHECKING:
    from gpnet.effects.effect import Effect

SIZE: Final = (4.4, 3.4)  # inches


def draw_effect(found: "Effect", ax: Axes | None = None) -> Axes:
    """E[target | do(cause)] with its 90% band; thin lines hold 90% of the target itself."""
    ax = one_axes(ax, SIZE)
    values = [value[0] for value in found.values]
    several, texts = len(found.causes) > 1, isinstance(values[0], str)
    x = np.arange(len(values)) if texts else np.array(values, dtype=float)
    if several:
        x = np.linspace(0, 1, len(values))
    curve = found.curve
    if texts:
        ax.vlines(x, curve.low, curve.high, alpha=0.45, linewidth=6, color=palette.ACCENT)
        ax.hlines(curve.mean, x - 0.2, x + 0.2, linewidth=2, color=palette.ACCENT)
        ax.set_xticks(x, labels(list(map(str, values))), **PLAIN)
    else:
        ax.fill_between(x, curve.low, curve.high, alpha=0.25, lw=0, color=palette.ACCENT)
        ax.plot(x, curve.mean, linewidth=2, color=palette.ACCENT)
    for tail in (0, -1):
        ax.plot(x, found.quantiles[:, tail], color=palette.GREY, linewidth=0.8, linestyle=":")
    names = labels([*found.causes, found.on])
    along = "from start to end of: " if several else ""
    ax.set_xlabel(along + ", ".join(names[:-1]) + " (set)", fontsize=SMALL, **PLAIN)
    ax.set_ylabel(names[-1], fontsize=SMALL, **PLAIN)
    headline(ax, f"probability of any effect {found.probability:.2f}\nmean, 90% band; dots: rows")
    tidy(ax)
    return ax
