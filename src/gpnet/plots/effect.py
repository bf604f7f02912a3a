"""What happens to a variable when another is set: the mean with its band, and the spread."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from matplotlib.axes import Axes

from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import SMALL, headline, one_axes, tidy
from gpnet.plots.text import PLAIN, labels

SIZE: Final = (4.4, 3.4)  # inches


class MeasuredEffect(Protocol):
    """What is drawn, as `gpnet.effects.effect.Effect` has it."""

    @property
    def causes(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def on(self) -> str: ...  # noqa: D102
    @property
    def probability(self) -> float: ...  # noqa: D102
    @property
    def values(self) -> Sequence[tuple[Any, ...]]: ...  # noqa: D102
    @property
    def curve(self) -> Any: ...  # noqa: D102
    @property
    def quantiles(self) -> Floats: ...  # noqa: D102


def effect(found: MeasuredEffect, ax: Axes | None = None) -> Axes:
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
