"""What all plots share: axes to draw into, and how they look."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import count, quote, suggestion
from gpnet.common.types import Node
from gpnet.plots import palette
from gpnet.posterior.relation_tables import checks_of

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SMALL: Final = 9.0  # points: titles and notes
TINY: Final = 8.0  # numbers on ticks and in cells
CMAP: Final = LinearSegmentedColormap.from_list("probability", palette.PROBABILITY)


def one_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """What was given, or the axes of a new figure of this size in inches."""
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise OptionError(f"ax: expected axes of matplotlib, found {quote(ax)}")
    return ax


def several_axes(
    ax: Sequence[Axes] | NDArray[Any] | None,
    n_panels: int,
    size: tuple[float, float],
    *,
    share_y: bool = False,
) -> NDArray[Any]:
    """(n_panels,): what was given, or those of a new figure; of this size in inches for all."""
    if ax is None:
        _, panels = plt.subplots(
            1, n_panels, figsize=size, squeeze=False, sharey=share_y, layout="constrained"
        )
        return np.array(panels[0], dtype=object)
    given = np.array(ax, dtype=object).reshape(-1)
    if len(given) != n_panels or not all(isinstance(one, Axes) for one in given):
        raise OptionError(
            f"ax: expected {count(n_panels, 'panel')} of matplotlib here, found "
            f"{count(len(given), 'thing')}; make them by plt.subplots(1, {n_panels})"
        )
    return given


def tidy(ax: Axes) -> None:
    """Nothing around the data that does not help to read them."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(palette.GREY)
    ax.tick_params(labelsize=TINY, color=palette.GREY)
    ax.set_axisbelow(True)
    ax.xaxis.label.set_fontsize(SMALL)
    ax.yaxis.label.set_fontsize(SMALL)


def variable(posterior: "Posterior", option: str, name: object) -> Node:
    """The number of a variable that is asked for by name."""
    if name not in posterior.names:
        raise OptionError(
            f"{option}: no variable is called {quote(name)}; {suggestion(name, posterior.names)}"
        )
    return posterior.names.index(str(name))


def shown_residuals(posterior: "Posterior", node: Node) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Rows, of those that are shown, in which a variable was not set; and their residuals."""
    residual = checks_of(posterior).residual[node]
    rows = np.flatnonzero(np.isfinite(residual))
    if not len(rows):
        raise OptionError(
            f"node: {quote(posterior.names[node])} is exogenous, and has no residuals; take one "
            "that is modelled"
        )
    return rows, residual[rows]


def headline(ax: Axes, text: str, **plain: Any) -> None:
    """What the plot says, above it at the left."""
    ax.set_title(text, loc="left", fontsize=SMALL, **plain)


def diagonal(ax: Axes) -> None:
    """Where both of two probabilities are the same; both axes from 0 to 1."""
    ax.plot([0, 1], [0, 1], color=palette.FAINT, linewidth=1, zorder=0)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_yticks(np.linspace(0, 1, 6))
