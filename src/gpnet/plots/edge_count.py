"""The posterior over the number of edges."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from gpnet.plots import palette
from gpnet.plots.base import headline, one_axes, tidy

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (4.6, 3.0)
FEWEST_BARS: Final = 5  # room, so that one bar is not a wall


def edge_count(posterior: "Posterior", ax: Axes | None = None) -> Axes:
    """A bar for each number of edges that was drawn, and the mean."""
    ax = one_axes(ax, SIZE)
    numbers = posterior.dags.sum(axis=(1, 2))
    low, high = int(numbers.min()), int(numbers.max())
    share = np.bincount(numbers - low, weights=posterior.weights)
    ax.bar(np.arange(low, high + 1), share, width=0.8, color=palette.ACCENT)
    spare = max(FEWEST_BARS - (high - low + 1), 0) / 2
    ax.set_xlim(low - 0.7 - spare, high + 0.7 + spare)
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
    ax.set(xlabel="number of edges", ylabel="probability")
    mean = posterior.expect(lambda dag: int(dag.sum()) + 0.5) - 0.5  # 0 and 1 are numbers here
    headline(ax, f"{mean:.1f} edges to be expected")
    tidy(ax)
    return ax
